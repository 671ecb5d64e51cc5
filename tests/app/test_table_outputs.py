"""Files of a table: at least one, with a known ending, in a folder that is there."""

from pathlib import Path

import pytest

from privet.app._table_outputs import check_outputs
from privet.errors import BadUsage, FileProblem


def test_one_output_is_needed_and_one_is_enough(tmp_path: Path) -> None:
    with pytest.raises(BadUsage, match="no output file"):
        check_outputs(None, None, None)
    check_outputs(tmp_path / "a.parquet", None, None)
    check_outputs(None, tmp_path / "a.htm", None)
    check_outputs(None, None, tmp_path / "a.json")


@pytest.mark.parametrize("names", [("a.json", None, None), (None, "a.csv", None), (None, None, "a.html")])
def test_each_output_has_its_own_endings(tmp_path: Path, names: tuple[str | None, ...]) -> None:
    with pytest.raises(BadUsage, match="cannot be written"):
        check_outputs(*(name and tmp_path / name for name in names))


def test_folders_are_said(tmp_path: Path) -> None:
    with pytest.raises(BadUsage, match="does not exist"):
        check_outputs(tmp_path / "no" / "a.csv", None, None)
    (tmp_path / "a.csv").mkdir()
    with pytest.raises(FileProblem, match="could not be written"):
        check_outputs(tmp_path / "a.csv", None, None)
