"""Outputs that cannot be are refused before anything is spent."""

from pathlib import Path

import pytest

from privet.app._output_files import check_outputs, file_of
from privet.errors import BadUsage


def test_the_file_of_a_table_in_a_database(tmp_path: Path) -> None:
    (tmp_path / "h.duckdb").touch()
    assert file_of(f"{tmp_path / 'h.duckdb'}#stays") == tmp_path / "h.duckdb"
    assert file_of("stays.csv") == Path("stays.csv")


@pytest.mark.parametrize("out", ["a.json", "a.parquet"])
def test_what_can_be_written_is_let_through(tmp_path: Path, out: str) -> None:
    check_outputs("stays.csv", tmp_path / out, tmp_path / "card.html")
    check_outputs("stays.csv", None, None)


@pytest.mark.parametrize(
    ("endings", "hint"),
    [
        ((".parquet", ".csv", ""), "Use a name that ends in .parquet or .csv, or for a folder one without an ending."),
        ((".json",), "Use a name that ends in .json."),
        (("",), "Name a folder, without an ending."),
    ],
)  # fmt: skip
def test_the_hint_names_endings_that_can_be_typed(
    tmp_path: Path, endings: tuple[str, ...], hint: str
) -> None:
    with pytest.raises(BadUsage) as refused:
        check_outputs("stays.csv", tmp_path / "a.txt", None, endings=endings)
    assert refused.value.hint == hint


@pytest.mark.parametrize(
    ("out", "card", "said"),
    [
        ("a.csv", None, "cannot be saved as a.csv"), (None, "a.pdf", "card cannot be saved as a.pdf"),
        ("no/a.json", None, "folder of a.json does not exist"), ("held.json", None, "held.json is a folder"),
        ("stays.json", None, "written over the data"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(tmp_path: Path, out: str | None, card: str | None, said: str) -> None:
    (tmp_path / "held.json").mkdir()
    with pytest.raises(BadUsage, match=said):
        check_outputs(str(tmp_path / "stays.json"), out and tmp_path / out, card and tmp_path / card)
