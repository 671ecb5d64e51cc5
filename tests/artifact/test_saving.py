"""Files appear whole or not at all."""

import pytest

from privet.artifact.saving import written_whole
from privet.errors import FileProblem


def test_a_failure_leaves_what_was_there(tmp_path):
    target = tmp_path / "a.txt"
    target.write_text("old")

    def half(path):
        path.write_text("new, but")
        raise RuntimeError("stopped")

    with pytest.raises(RuntimeError):
        written_whole(target, half)
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_a_folder_that_is_not_there_is_said_clearly(tmp_path):
    with pytest.raises(FileProblem, match="could not be written"):
        written_whole(tmp_path / "no" / "a.txt", lambda path: path.write_text("x"))
