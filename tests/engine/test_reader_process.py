"""Files are tried in a process without rights: what breaks there breaks nothing here; where there is none, it is said."""

import json
import os
import signal
import sqlite3
import threading
import time
from pathlib import Path

import pytest

import privet as pv
from privet import errors
from privet.engine import _process_isolation as isolation
from privet.engine import _reader_process as reader
from privet.engine._open_relation import open_file
from privet.engine._process_isolation import Isolation
from privet.engine._reader_limits import ReaderLimits

needs_it = pytest.mark.skipif(
    not isolation.offered().complete, reason="this system offers no Landlock or seccomp"
)


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,x\n")
    return path


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "t.sqlite"
    with sqlite3.connect(path) as made:
        made.execute("CREATE TABLE stays (patient INTEGER, born DATE, well BOOLEAN, note)")
        made.execute("INSERT INTO stays VALUES (1, '2020-02-03', 1, 'x'), (2, NULL, 0, NULL)")
    made.close()
    return path


@pytest.fixture
def nothing_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolation, "offered", Isolation)


@needs_it
def test_rows_of_sqlite_are_the_same_from_either_process(database, monkeypatch):
    there = reader.tables(database), reader.rows(database, "stays")
    monkeypatch.setenv(reader.VARIABLE, "off")
    assert there == (reader.tables(database), reader.rows(database, "stays"))


@needs_it
def test_sqlite_is_not_parsed_here(database, monkeypatch):
    monkeypatch.setattr(sqlite3, "connect", lambda *_, **__: pytest.fail("parsed here"))
    assert open_file(database).table.count().execute() == 2


@needs_it
def test_one_process_serves_many_files(text, database):
    reader.check("csv", text, None)
    first = reader._servers[os.getpid()].process.pid
    assert reader.tables(database) == {"stays": "stored"}
    reader.check("csv", text, None)
    assert reader._servers[os.getpid()].process.pid == first


@needs_it
def test_the_process_has_nothing_of_ours(text, monkeypatch):
    monkeypatch.setenv("PRIVET_KEY", "Canary Wharfinger")
    reader._stopped()
    reader.check("csv", text, None)
    where = Path(f"/proc/{reader._servers[os.getpid()].process.pid}")
    assert b"Canary" not in (where / "environ").read_bytes()
    opened = {str(one.readlink()) for one in (where / "fd").iterdir()}
    assert {one.split(":")[0] for one in opened} <= {"/dev/null", "socket", "pipe"} | {
        one for one in opened if one.startswith("anon_inode")
    }
    assert "Seccomp:\t2" in (where / "status").read_text()


@needs_it
@pytest.mark.parametrize("how", [signal.SIGSEGV, signal.SIGABRT])
def test_a_crash_there_is_a_refusal_here(text, monkeypatch, how):
    """What a parser does to the copy that reads the file, done by its exit status."""
    real = reader._conversation
    monkeypatch.setattr(reader, "_conversation", lambda *asked: (-how, *real(*asked)[1:]))
    with pytest.raises(errors.MalformedSource, match="broke off"):
        open_file(text)


@needs_it
def test_a_process_that_is_killed_is_started_again(text):
    reader.check("csv", text, None)
    process = reader._servers[os.getpid()].process
    process.kill()
    process.wait()
    reader.check("csv", text, None)
    assert reader._servers[os.getpid()].process.pid != process.pid


@needs_it
def test_one_that_answers_nothing_is_ended(text, monkeypatch):
    reader.check("csv", text, None)
    server = reader._servers[os.getpid()].process
    os.kill(server.pid, signal.SIGSTOP)
    began = time.monotonic()
    assert reader._conversation(b"{}", 1)[0] == -signal.SIGKILL
    assert time.monotonic() - began < 120
    assert server.poll() is not None
    reader.check("csv", text, None)


@needs_it
def test_a_file_that_takes_too_long_is_refused(tmp_path, monkeypatch):
    """Reading a pipe that nobody writes to never ends, as some files do to some parsers."""
    endless = tmp_path / "t.csv"
    os.mkfifo(endless)
    with pytest.raises(errors.SourceTooLarge, match="seconds"):
        reader._asked({"task": "check", "kind": "parquet", "path": str(endless)}, ReaderLimits(seconds=1))


@needs_it
def test_refusals_arrive_as_they_were_made(tmp_path, monkeypatch):
    with sqlite3.connect(tmp_path / "t.sqlite") as made:
        made.execute("CREATE TABLE t (a INTEGER)")
        made.execute("INSERT INTO t VALUES ('Canary Wharfinger')")
    made.close()
    with pytest.raises(errors.MalformedSource, match="column 'a'") as caught:
        reader.rows(tmp_path / "t.sqlite", "t")
    assert caught.value.details == {"column": "a"}
    assert "Canary" not in json.dumps(caught.value.to_json())


@pytest.mark.parametrize(
    "said",
    [
        None,
        [],
        ["os", "", "", {}],
        ["PrivetError"],
        ["SourceTooLarge", "f", "h", 3],
        ["checked", "", "", {}],
        5,
    ],
)
def test_what_comes_back_is_not_believed(said):
    assert isinstance(reader._relayed(said), errors.MalformedSource)


@needs_it
def test_threads_take_turns(database):
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(reader.rows(database, "stays").num_rows))
        for _ in range(6)
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert found == [2] * 6


@pytest.mark.usefixtures("nothing_offered")
def test_where_nothing_is_offered_files_are_read_here_and_that_is_said(text, database, monkeypatch):
    monkeypatch.setattr(reader, "_server", lambda: pytest.fail("there is no such process"))
    assert open_file(text).table.count().execute() == 1
    assert open_file(database).table.count().execute() == 2
    assert reader.reader_status()["isolated"] is False
    assert "this process" in reader.reader_status()["what"]
    monkeypatch.setenv("PRIVET_LIMITS", "file_bytes=3")
    with pytest.raises(errors.SourceTooLarge):
        open_file(text)


@pytest.mark.usefixtures("nothing_offered")
def test_where_it_is_required_and_not_offered_nothing_is_read(text, monkeypatch):
    monkeypatch.setenv(reader.VARIABLE, "required")
    with pytest.raises(errors.NotIsolated, match="no process without rights"):
        pv.open_table(text)


@needs_it
def test_one_that_does_not_start_is_no_fault_of_the_file(text, monkeypatch):
    reader._stopped()
    monkeypatch.setattr(reader, "_START", "raise SystemExit(1) # {}")
    with pytest.raises(errors.NotIsolated, match="does not start") as caught:
        open_file(text)
    assert f"{reader.VARIABLE}=off" in caught.value.hint
    monkeypatch.setenv(reader.VARIABLE, "off")
    assert open_file(text).table.count().execute() == 1


def test_a_word_that_is_not_known_is_refused(monkeypatch):
    monkeypatch.setenv(reader.VARIABLE, "perhaps")
    with pytest.raises(errors.BadSpeed, match=reader.VARIABLE):
        reader.reader_status()


@needs_it
def test_a_copy_of_this_process_starts_one_of_its_own(text):
    reader.check("csv", text, None)
    mine, theirs = os.pipe()
    child = os.fork()
    if not child:
        try:
            reader.check("csv", text, None)
            os.write(theirs, str(reader._servers[os.getpid()].process.pid).encode())
            reader._stopped()
        finally:
            os._exit(0)
    os.close(theirs)
    other = os.read(mine, 100)
    os.close(mine)
    os.waitpid(child, 0)
    assert other
    assert int(other) != reader._servers[os.getpid()].process.pid
    reader.check("csv", text, None)


@needs_it
def test_it_ends_when_this_end_is_closed(text):
    reader.check("csv", text, None)
    server = reader._servers.pop(os.getpid())
    server.channel.close()
    assert server.process.wait(120) == 0
