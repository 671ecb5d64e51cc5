"""What a command says, and where."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from privet.app._terminal import emit, fail, progress, remark, write_file
from privet.artifact import OwnerOnly
from privet.errors import BadUsage


def test_programs_get_one_document_and_people_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    emit({"epsilon": Fraction(1, 2), "where": Path("a"), "é": 1}, "words", plain="x", as_json=True)
    said = capsys.readouterr()
    assert json.loads(said.out) == {
        "epsilon": 0.5,
        "where": "a",
        "é": 1,
    }  # exact: a half, which a float holds
    assert said.out.isascii()
    assert said.err == ""


def test_a_pipe_gets_the_value_and_stderr_the_words(capsys: pytest.CaptureFixture[str]) -> None:
    emit({}, "words for people", plain="0.5", as_json=False)
    said = capsys.readouterr()
    assert (said.out, said.err.strip()) == ("0.5\n", "words for people")


def test_the_same_words_are_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    emit({}, "all there is to say", plain="all there is to say", as_json=False)
    said = capsys.readouterr()
    assert (said.out, said.err) == ("all there is to say\n", "")


def test_what_json_has_no_number_for_is_a_fault_of_ours() -> None:
    with pytest.raises(ValueError, match="JSON"):
        emit({"x": float("nan")}, "", plain="", as_json=True)


def test_errors_are_words_or_a_document(capsys: pytest.CaptureFixture[str]) -> None:
    error = BadUsage("no [bold]output[/].", "Name one.")
    fail(error, as_json=False)
    said = capsys.readouterr()
    assert said.out == ""
    assert "no [bold]output[/]." in said.err, "callers' texts are not read as markup"
    assert "hint: Name one." in said.err
    assert f"privet explain-error {error.code}" in said.err
    fail(error, as_json=True)
    assert json.loads(capsys.readouterr().out)["error"]["code"] == error.code


def test_remarks_are_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    remark("columns [1] were renamed")
    said = capsys.readouterr()
    assert (said.out, said.err.strip()) == ("", "remark: columns [1] were renamed")


def test_progress_is_silent_where_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("working", total=2) as step:
        step()
        step("more")
    assert capsys.readouterr() == ("", "")


def test_files_are_written_whole_with_plain_line_ends(tmp_path: Path) -> None:
    write_file(tmp_path / "x.txt", OwnerOnly("a\né\n"))
    assert (tmp_path / "x.txt").read_bytes() == "a\né\n".encode()
    assert [one.name for one in tmp_path.iterdir()] == ["x.txt"]
