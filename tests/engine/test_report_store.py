"""Stores of reports: the same on SQLite and PostgreSQL; names once, nothing of when or who."""

import hashlib
import sqlite3
import stat
import threading

import pytest

from privet.engine import _report_store as storing
from privet.engine import report_store
from privet.errors import StoreProblem

NAMES = [f"{number:032x}" for number in (9, 3, 7)]


@pytest.fixture(params=["sqlite", "postgres"])
def place(request, tmp_path):
    if request.param == "sqlite":
        return str(tmp_path / "reports.db")
    connection = request.getfixturevalue("postgres_backend").con
    name = f"reports_{tmp_path.name.lower().replace('-', '_')}"
    import psycopg

    # On a connection of its own: the shared one is never left in another mode, which other tests would meet.
    with psycopg.connect(host=connection.info.host, user="postgres", autocommit=True) as own:
        own.execute(f"CREATE DATABASE {name}")
    return f"postgresql://postgres@/{name}?host={connection.info.host}"


def test_reports_are_kept_once_and_counted(place) -> None:
    store = report_store(place)
    store.begin("spec one")
    reports = [(name, f'{{"value":{name[-1]}}}') for name in NAMES]
    assert store.put(reports, {"malformed": 2, "foreign": 0}) == {
        "accepted": 3,
        "duplicate": 0,
        "conflict": 0,
    }
    assert store.put(reports[:1], {}) == {"accepted": 0, "duplicate": 1, "conflict": 0}
    assert store.put([(NAMES[0], "other")], {})["conflict"] == 1
    again = report_store(place)
    again.begin("spec one")
    assert list(again.lines()) == ['{"value":3}', '{"value":7}', '{"value":9}']  # in the order of the names
    assert again.counts() == {"accepted": 3, "duplicate": 1, "conflict": 1, "malformed": 2}
    with pytest.raises(StoreProblem, match="another specification"):
        again.begin("spec two")


def test_two_workers_on_one_store_begin_at_once_and_take_each_report_once(place, monkeypatch) -> None:
    """The same batches in opposite orders at the same time: no deadlock, nothing lost, nothing twice."""
    monkeypatch.setattr(storing, "_PATIENCE", 120.0)  # a slow disk is no fault
    batches = [
        [
            (hashlib.sha256(f"{batch} {number}".encode()).hexdigest()[:32], f'{{"value":{number}}}')
            for number in range(30)
        ]
        for batch in range(6)
    ]
    found, problems, begin = [], [], threading.Barrier(3)

    def work(order: int) -> None:
        begin.wait()
        try:
            store = report_store(place)
            store.begin("spec")
            found.extend(store.put(one[::order], {"malformed": 1}) for one in batches[::order])
        except StoreProblem as problem:
            problems.append(problem)

    threads = [threading.Thread(target=work, args=(order,)) for order in (1, -1, 1)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(timeout=120)
    assert problems == []
    assert sum(one["accepted"] for one in found) == 180
    assert sum(one["duplicate"] for one in found) == 360
    store = report_store(place)
    assert store.counts() == {"accepted": 180, "duplicate": 360, "malformed": 18}
    assert len(set(store.lines())) == 30
    assert len(list(store.lines())) == 180


def test_the_file_is_private_and_keeps_no_order(tmp_path) -> None:
    path = tmp_path / "reports.db"
    store = report_store(str(path))
    store.put([(name, "{}") for name in NAMES], {})
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with sqlite3.connect(path) as book, pytest.raises(sqlite3.OperationalError):
        book.execute("SELECT rowid FROM reports").fetchall()
    columns = [row[1] for row in sqlite3.connect(path).execute("PRAGMA table_info(reports)")]
    assert columns == ["id", "report"]


def test_places_that_cannot_hold_reports_are_refused(tmp_path) -> None:
    (tmp_path / "text.db").write_text("no database, " * 100)
    for where in (str(tmp_path / "text.db"), str(tmp_path / "none" / "x.db"), "http://example.org", ""):
        with pytest.raises(StoreProblem):
            report_store(where).counts()
    with pytest.raises(StoreProblem):
        report_store("postgresql://ann@127.0.0.1:1/db?connect_timeout=1")
