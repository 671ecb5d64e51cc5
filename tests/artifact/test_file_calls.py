"""Files are written and removed by one layer: no other module does it by itself."""

import ast
import errno
import os

import pytest
from tests.source_tree import SOURCE, listed, modules, nodes

from privet.artifact import _file_calls as calls
from privet.artifact._atomic_write import written_folder, written_whole
from privet.artifact._audience import OwnerOnly

# The layer itself: what it calls is what the others may not.
LAYER = {
    "artifact/_file_calls.py",
    "artifact/_atomic_write.py",
    "artifact/_work_rooms.py",
    "artifact/_file_removal.py",
    "artifact/_replacement.py",
    "artifact/_confined_paths.py",
}
# Libraries that write by themselves, each to a path that the layer made, or to files that are its own to keep.
ALLOWED = {
    ("app/_cli.py", "os.open"),  # the null device, in place of a closed pipe
    ("app/_predict_command.py", "write_table"),  # Arrow, to a path of the layer
    ("app/_predict_command.py", "write_csv"),
    ("verbs/_split_rows.py", "write_table"),  # likewise
    ("verbs/_memorization_verb.py", "open"),  # likewise
    ("artifact/_record_files.py", "write_table"),  # Arrow, to a path of the layer
    ("artifact/_csv_files.py", "CSVWriter"),  # Arrow, to a path of the layer
    ("artifact/_released_table.py", "write_csv"),
    ("artifact/_released_twin.py", "open"),  # to a path of the layer
    ("artifact/_released_twin.py", "write_csv"),
    ("artifact/_released_twin.py", "write_text"),
    ("evidence/_bounded_records.py", "os.open"),  # to read, below the layer: neither links nor pipes
    ("engine/_process_isolation.py", "os.open"),  # folders, for rules about what a reader may open
    ("engine/_reader_server.py", "new_stream"),  # into a pipe, from the process that reads to this one
    ("engine/_reader_server.py", "os.write"),
    ("engine/_reader_server.py", "write_table"),
    (
        "engine/_spill_folder.py",
        "TemporaryDirectory",
    ),  # what DuckDB puts aside: its own files, below the layer's floor
    (
        "engine/_array_store.py",
        "os.open",
    ),  # in the folder of this process, filled some rows at a time; it has no name
    ("engine/_row_store.py", "OSFile"),  # Arrow, to a path of the layer
    ("engine/_row_store.py", "new_file"),
    ("engine/_row_store.py", "write_table"),
    ("engine/_spill_folder.py", "os.open"),  # a folder, to hold its lock
    (
        "examples/_example_files.py",
        "write_table",
    ),  # made-up rows, below the layer: doors hand it a path of the layer
    ("examples/_example_files.py", "write_csv"),
    ("protect/collect/_simulation.py", "write_table"),  # Arrow, to a path of the layer
    ("ledger/_sqlite_store.py", "sqlite3.connect"),  # SQLite keeps its own files, in one that the layer made
    ("ledger/_sqlite_store.py", "os.open"),  # the folder around a ledger, to sync its names
    ("protect/_row_order.py", "new_stream"),  # Arrow, in a temporary folder of the layer
    ("protect/_row_writer.py", "ParquetWriter"),  # Arrow, to a path of the layer
    ("protect/transform/pseudonyms/_vault.py", "sqlite3.connect"),  # as a ledger's
    ("artifact/_ledger_marks.py", "sqlite3.connect"),  # read only, to ask for the mark
    ("engine/_report_store.py", "sqlite3.connect"),  # as a ledger's
    ("app/_collect_serve_command.py", "open"),  # to a path of the layer
    ("engine/_sqlite_files.py", "sqlite3.connect"),  # read only
    ("ledger/_draft_ledger.py", "sqlite3.connect"),  # in memory
    ("engine/_expression_compiler.py", "truncate"),  # of a time, in a query
}
METHODS = {
    "write_text", "write_bytes", "mkdir", "rmdir", "unlink", "rename", "touch", "symlink_to", "hardlink_to", "chmod",
    "rmtree", "copy", "copy2", "copyfile", "copytree", "move", "removedirs", "renames", "makedirs", "truncate",
    "write_table", "write_csv", "ParquetWriter", "CSVWriter", "new_stream", "new_file", "save_file", "to_parquet", "to_csv",
    "savez", "savetxt", "NamedTemporaryFile", "TemporaryFile", "TemporaryDirectory", "mkdtemp", "mkstemp", "mktemp",
    "write_dataset", "OSFile", "saveAsTable", "write_feather",
}  # fmt: skip
OWN = {"new_file"}  # of the layer's front door as well
OS = {
    "open", "write", "pwrite", "remove", "unlink", "rmdir", "mkdir", "makedirs", "rename", "replace", "renames", "link",
    "symlink", "truncate", "ftruncate", "chmod", "fchmod", "chown", "mkfifo", "mknod", "removedirs", "sendfile",
    "copy_file_range",
}  # fmt: skip


def writes(node: ast.AST) -> str | None:
    """What a call writes or removes with, if it does."""
    if not isinstance(node, ast.Call):
        return None
    called = node.func
    if isinstance(called, ast.Name):
        if called.id in METHODS - OWN - {"copy", "move", "rename"}:
            return called.id
        return "open" if called.id == "open" and _mode(node, 1) else None
    if not isinstance(called, ast.Attribute):
        return None
    on = called.value.id if isinstance(called.value, ast.Name) else ""
    if on == "os":
        return f"os.{called.attr}" if called.attr in OS else None
    if on == "sqlite3" and called.attr == "connect":
        return "sqlite3.connect"
    if called.attr == "open":
        return "open" if _mode(node, 0) else None
    if called.attr in {"copy", "move", "rename"} and on != "shutil":
        # Of arrays, frames and tables; a path's rename takes one path.
        return None
    if called.attr == "replace":  # texts are replaced with two arguments, files with one
        return "replace" if len(node.args) == 1 and not node.keywords else None
    return called.attr if called.attr in METHODS else None


def _mode(node: ast.Call, at: int) -> bool:
    given = [word.value for word in node.keywords if word.arg == "mode"] + node.args[at : at + 1]
    return any(
        isinstance(mode, ast.Constant) and isinstance(mode.value, str) and set(mode.value) & set("wax+")
        for mode in given
    )


def test_no_other_module_writes_or_removes_by_itself():
    found = set()
    for path in modules():
        name = path.relative_to(SOURCE).as_posix()
        if name not in LAYER:
            found |= {(name, word) for node in nodes(path) if (word := writes(node)) is not None}
    assert not found - ALLOWED, listed([f"{name}: {word}" for name, word in sorted(found - ALLOWED)])
    assert not ALLOWED - found, listed(
        [f"not there: {name}: {word}" for name, word in sorted(ALLOWED - found)]
    )


@pytest.mark.parametrize(
    "text",
    [
        'Path(a).write_text("x")', 'a.write_bytes(b"x")', "os.remove(a)", "os.unlink(a)", "a.unlink()", "shutil.rmtree(a)",
        "shutil.move(a, b)", "shutil.copy(a, b)", "a.replace(b)", "os.replace(a, b)", 'open(a, "w")', 'a.open("ab")',
        "open(a, mode='r+')", "os.open(a, flags)", "tempfile.mkdtemp()", "TemporaryDirectory()", "a.mkdir()", "pq.write_table(t, a)",
        "sqlite3.connect(a)", "a.touch()", "os.fchmod(h, 7)",
    ],
)  # fmt: skip
def test_the_check_sees_every_way_to_write(text):
    assert any(writes(node) for node in ast.walk(ast.parse(text)))


@pytest.mark.parametrize(
    "text",
    [
        "text.replace('a', 'b')",
        "a.open('rb')",
        "open(a)",
        "table.rename(x=1)",
        "array.copy()",
        "new_file(a, b)",
    ],
)
def test_the_check_takes_nothing_else_for_writing(text):
    assert not any(writes(node) for node in ast.walk(ast.parse(text)))


def test_short_writes_go_on(tmp_path, monkeypatch):
    monkeypatch.setattr(calls, "_fault", lambda _, size: min(size, 3))
    written_whole(tmp_path / "a", OwnerOnly("a longer text"))
    assert (tmp_path / "a").read_text() == "a longer text"


def test_what_stands_there_is_exchanged_in_one_step_where_the_system_can(tmp_path, monkeypatch):
    target = tmp_path / "model"
    written_folder(target, OwnerOnly({"a": "old"}))
    for known in (calls._renameat2(), None):
        monkeypatch.setattr(calls, "_renameat2", lambda known=known: known)
        written_folder(target, OwnerOnly({"a": str(known)}))
        assert (target / "a").read_text() == str(known)
        assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_a_folder_that_cannot_be_synced_is_no_failure(tmp_path, monkeypatch):
    def refuse(handle):
        raise OSError(errno.EINVAL, "invalid")

    monkeypatch.setattr(calls.os, "fsync", refuse)
    with calls.folder_handle(tmp_path) as handle:
        calls.sync(handle)
        with pytest.raises(OSError, match="invalid"):
            calls.sync(made := calls.new_file("a", handle, 0o600))
        os.close(made)
    assert (tmp_path / "a").exists()
