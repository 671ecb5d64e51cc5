"""A declared file is not opened as if nothing were declared about it, however its place is written."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

import privet as pv
from privet.dataset import DataSet
from privet.errors import Contradicted, SecondLedger, UnsafePath
from privet.guarantee import DiscreteLaplace

STAYS = "patient_id,ward\np1,ICU\np1,Surgery\np2,ICU\n"
DECLARED = """version: 1
dataset:
  source: {source}
  unit: {{column: patient_id, max_rows: 4, max_groups: 2}}
  ledger: stays.ledger
  budget: {{epsilon: 3, delta: 1e-6}}
columns:
  patient_id: {{role: direct}}
  ward: {{role: insensitive, values: [ICU, Surgery]}}
purposes:
  beds:
    use: planning of beds
    basis: Art. 6(1)(e)
    columns: [ward]
    outputs: [answer]
    recipients: [internal]
    budget: {{epsilon: 2}}
    expires: 2099-01-01
"""
DOORS = [pv.open_table, pv.open_public, DataSet.bare]


def declared(folder: Path, source: str = "stays.csv") -> Path:
    (folder / "privet.yaml").write_text(DECLARED.format(source=source))
    return folder


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "stays.csv").write_text(STAYS)
    (tmp_path / "inner").mkdir()
    monkeypatch.chdir(tmp_path)
    return declared(tmp_path)


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("place", ["stays.csv", "inner/../stays.csv", "soft.csv", "hard.csv", "stays.csv#t"])
def test_a_declared_file_has_one_door(folder: Path, place: str, door: object) -> None:
    (folder / "soft.csv").symlink_to("stays.csv")
    os.link(folder / "stays.csv", folder / "hard.csv")
    assert callable(door)
    with pytest.raises(Contradicted) as refused:
        door(place)
    said = refused.value.hint.partition("in Python: ")[2].partition(". Nothing")[0]
    assert list(eval(said, {"pv": pv}).columns) == ["patient_id", "ward"], (
        "the hint, followed, gives the rows"
    )


def test_a_nearer_declaration_of_something_else_hides_none(folder: Path) -> None:
    (folder / "inner" / "rows.csv").write_text(STAYS)
    (folder / "inner" / "other.csv").write_text(STAYS)
    declared(folder / "inner", "other.csv")
    declared(folder, "inner/rows.csv")
    assert DataSet.of(folder / "inner" / "rows.csv").stated_in == folder / "privet.yaml"


def test_a_declaration_may_name_a_file_outside_its_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "privet.yaml").unlink()
    declared(folder / "inner", "../stays.csv")
    monkeypatch.chdir(folder / "inner")
    assert DataSet.of("../stays.csv").declaration is not None
    with pytest.raises(Contradicted):
        pv.open_table("../stays.csv", unit=pv.Row())


def test_what_nothing_is_declared_about_is_opened_as_before(folder: Path) -> None:
    (folder / "other.csv").write_text(STAYS)
    assert pv.open_table("other.csv", unit=pv.Row()).name == "other"
    assert len(pv.open_public(thing="other.csv").rows) == 3


def test_a_second_declaration_makes_no_second_budget(folder: Path) -> None:
    data = DataSet.read(folder / "privet.yaml")
    with data.ledger() as book:
        book.charge(DiscreteLaplace(10), why="beds")
    second = (folder / "privet.yaml").read_text().replace("ledger: stays.ledger", "ledger: other.ledger")
    (folder / "second.yaml").write_text(second)
    with pytest.raises(SecondLedger):
        DataSet.read(folder / "second.yaml").ledger()
    assert not (folder / "other.ledger").exists()
    DataSet.read(folder / "privet.yaml").ledger().close()


def test_a_ledger_that_was_moved_away_is_not_begun_anew(folder: Path) -> None:
    with DataSet.read(folder / "privet.yaml").ledger() as book:
        book.charge(DiscreteLaplace(10), why="beds")
    (folder / "stays.ledger").rename(folder / "elsewhere")
    with pytest.raises(UnsafePath, match="no ledger there"):
        DataSet.read(folder / "privet.yaml").ledger()


def test_a_folder_that_is_copied_takes_its_ledger_along(folder: Path) -> None:
    with DataSet.read(folder / "privet.yaml").ledger() as book:
        book.charge(DiscreteLaplace(10), why="beds")
    shutil.copytree(folder, folder / "copy")
    DataSet.read(folder / "copy" / "privet.yaml").ledger().close()
