"""Records are read within limits: deep, large, self-referring and ambiguous ones are refused at once."""

import ast
import os
import time

import pytest
import yaml
from tests.source_tree import SOURCE, modules, nodes

from privet.errors import RecordTooDeep, UnsafePath
from privet.evidence import given_bytes, given_file, given_text, read_json, read_yaml
from privet.evidence._bounded_records import DEEPEST

DEEP = 100_000


@pytest.mark.parametrize(
    "text",
    ["[" * DEEP, "[" * DEEP + "]" * DEEP, '{"a":' * DEEP + "1" + "}" * DEEP, '["\\"[[",' * DEEP],
    ids=["open", "lists", "objects", "strings"],
)
def test_a_deep_json_is_refused_at_once(text):
    started = time.process_time()
    with pytest.raises(RecordTooDeep, match="deep"):
        read_json(text)
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    "text", ["[" * DEEP, "- " * DEEP + "1", "{a: " * DEEP], ids=["flow", "block", "maps"]
)
def test_a_deep_yaml_is_refused_at_once(text):
    started = time.process_time()
    with pytest.raises(RecordTooDeep, match="deep"):
        read_yaml(text)
    assert time.process_time() - started < 5


def test_as_deep_as_allowed_is_read():
    assert read_json("[" * DEEPEST + "]" * DEEPEST) is not None
    with pytest.raises(RecordTooDeep):
        read_json("[" * (DEEPEST + 1) + "]" * (DEEPEST + 1))


def test_brackets_in_texts_are_no_depth():
    assert read_json('["' + "[" * 1000 + '\\"{", 1]')[1] == 1


@pytest.mark.parametrize("end", ["", "\\", "\\\\", '\\"', "\n"])
def test_an_unfinished_text_with_many_quotes_takes_no_quadratic_time(end):
    started = time.process_time()
    with pytest.raises(ValueError):
        read_json('"' + '\\"' * 500_000 + end)
    assert time.process_time() - started < 5


def test_a_name_that_stands_twice_is_refused():
    with pytest.raises(ValueError, match="twice"):
        read_json('{"epsilon": 1, "epsilon": 0.001}')


def test_a_record_that_is_too_large_is_refused():
    with pytest.raises(RecordTooDeep, match="larger"):
        read_json(b"[1,2,3]", largest=5)


def test_yaml_that_points_at_its_own_parts_is_refused():
    with pytest.raises(RecordTooDeep, match="points at"):
        read_yaml("a: &x [1]\nb: [*x, *x]")


def test_yaml_and_json_are_read_as_they_are():
    assert read_yaml("a: [1, {b: x}]") == {"a": [1, {"b": "x"}]} == read_json('{"a": [1, {"b": "x"}]}')
    with pytest.raises(yaml.YAMLError):
        read_yaml("a: [")


# --- files that people name --------------------------------------------------------------------

# Who opens a file to read past the one reader, and why that waits for nothing and believes nothing.
BY_THEMSELVES = {
    "_front_door.py": "our own source",
    "audits/columns/_lexicon.py": "our own resource",
    "errors/_error_pages.py": "our own pages",
    "report/_page.py": "our own templates",
    "mechanism/_proofs.py": "our own proofs",
    "protect/train/language/_loss_table.py": "our own resource; what people name is read as a record",
    "protect/train/language/_noise_table.py": "our own resource",
    "protect/transform/recipes/_zip_areas.py": "our own resource; what people name is read by the one reader",
    "engine/_process_isolation.py": "of the system",
    "engine/_reader_server.py": "of the system",
    "engine/_file_kinds.py": "a table, once it is known to be an ordinary file",
    "engine/_file_check.py": "a table, once it is known to be an ordinary file",
    "engine/_open_relation.py": "a table, once it is known to be an ordinary file",
    "engine/_sqlite_files.py": "twenty bytes of a table, once it is known to be an ordinary file",
    "engine/_text_files.py": "a table, once it is known to be an ordinary file",
    "attacks/tables/_released_rows.py": "once it is known to be an ordinary file",
    "artifact/_makings.py": "what a run made, once it is known to be an ordinary file",
    "artifact/_record_files.py": "after special files are refused",
    "artifact/_released_table.py": "rows whose record was read, after special files are refused",
    "artifact/_parquet_size.py": "rows whose record was read, after special files are refused",
}


def reads(node):
    """Whether a call opens a file to read it."""
    if not isinstance(node, ast.Call):
        return False
    called = node.func
    if isinstance(called, ast.Name):
        return called.id == "open" and not _written(node, 1)
    if not isinstance(called, ast.Attribute):
        return False
    if called.attr in ("read_text", "read_bytes"):
        return True
    on = called.value.id if isinstance(called.value, ast.Name) else ""
    if called.attr != "open" or on in ("os", "self"):
        return False
    texts = [one for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    opened = (
        on in ("gzip", "io", "codecs")
        or bool(texts)
        or any(one.arg in ("mode", "encoding") for one in node.keywords)
    )
    return opened and not _written(node, 0)


def _written(node, at):
    given = [word.value for word in node.keywords if word.arg == "mode"] + node.args[at : at + 1]
    return any(isinstance(one, ast.Constant) and set(str(one.value)) & set("wax+") for one in given)


def test_no_other_module_reads_files_by_itself():
    """A new option that names a file reads it through `given_text`, or says here why not."""
    found = {
        path.relative_to(SOURCE).as_posix()
        for path in modules()
        if any(reads(node) and not _is_a_step(node) for node in nodes(path))
    } - {"evidence/_bounded_records.py"}
    assert found - set(BY_THEMSELVES) == set()
    assert set(BY_THEMSELVES) - found == set()


def _is_a_step(node):
    """`story.open(of, "…")` and `left.open(name, …)` open no file."""
    on = (
        node.func.value.id
        if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name)
        else ""
    )
    return on in ("story", "left", "run") or (on == "self" and node.func.attr == "open")


@pytest.mark.parametrize(
    "text",
    [
        "a.read_text()",
        "a.read_bytes()",
        "open(a)",
        'a.open("rb")',
        "a.open(encoding='utf-8')",
        "gzip.open(a)",
    ],
)
def test_the_check_sees_every_way_to_read(text):
    assert any(reads(node) for node in ast.walk(ast.parse(text)))


@pytest.mark.parametrize("text", ['a.open("w")', 'open(a, "ab")', "os.open(a, flags)", "given_text(a)"])
def test_the_check_takes_nothing_else_for_reading(text):
    assert not any(reads(node) for node in ast.walk(ast.parse(text)))


def test_what_people_name_may_be_a_link_and_is_an_ordinary_file(tmp_path):
    (tmp_path / "a").write_bytes(b"one\r\ntwo\rthree")
    (tmp_path / "b").symlink_to("a")
    assert given_text(tmp_path / "b") == "one\ntwo\nthree"
    assert given_bytes(tmp_path / "b") == b"one\r\ntwo\rthree"
    with given_file(tmp_path / "b") as file:
        assert file.read(3) == b"one"


@pytest.mark.parametrize(
    "make", [os.mkfifo, lambda place: place.symlink_to("/dev/zero")], ids=["pipe", "device"]
)
def test_what_never_ends_is_refused_at_once(tmp_path, make):
    make(tmp_path / "a")
    for read in (given_text, given_bytes, given_file):
        with pytest.raises(UnsafePath):
            read(tmp_path / "a")


def test_a_folder_nothing_and_a_name_that_no_system_has_are_errors_of_the_system(tmp_path):
    for place, error in (
        (tmp_path, IsADirectoryError),
        (tmp_path / "a", FileNotFoundError),
        ("a\0b", FileNotFoundError),
    ):
        with pytest.raises(error):
            given_bytes(place)


def test_what_is_larger_than_people_write_is_not_read(tmp_path):
    (tmp_path / "a").write_bytes(b"12345")
    assert given_bytes(tmp_path / "a", largest=5) == b"12345"
    with pytest.raises(RecordTooDeep, match="4 bytes"):
        given_bytes(tmp_path / "a", largest=4)
