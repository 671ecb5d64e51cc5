"""What a verb sees of a data set: only what it may read, and no column at all where rows are counted."""

from pathlib import Path

import pytest

import privet as pv
from privet.dataset._dataset_rows import opened, seen

DECLARED = """version: 1
dataset:
  source: stays.csv
  unit: {column: row}
  ledger: stays.ledger
  budget: {epsilon: 3, delta: 1e-6}
columns:
  _row: {role: unknown}
  illness: {role: sensitive}
purposes:
  beds:
    use: planning of beds
    basis: Art. 6(1)(e)
    columns: [illness]
    outputs: [answer]
    recipients: [internal]
    budget: {epsilon: 2}
    expires: 2099-01-01
"""


@pytest.fixture
def declared(tmp_path: Path) -> pv.DataSet:
    lines = ["_row,illness", *(f"{at},flu" for at in range(200))]
    (tmp_path / "stays.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "privet.yaml").write_text(DECLARED, encoding="utf-8")
    return pv.DataSet.read(tmp_path / "privet.yaml")


def test_counting_rows_reads_no_column(declared: pv.DataSet) -> None:
    whole = opened(declared.declaration, declared.folder)
    found = seen(whole, (), declared.declaration)
    assert found.read == ()
    assert set(found.dropped) == {"_row", "illness"}
    assert "illness" not in found.query
    assert '"t0"."_row"' not in found.query
    assert len(found.table.columns) == 1
    assert not set(found.table.columns) & set(whole.columns)


def test_what_is_asked_for_is_read_and_nothing_beside(declared: pv.DataSet) -> None:
    found = seen(opened(declared.declaration, declared.folder), ("illness",), declared.declaration)
    assert (found.read, tuple(found.table.columns)) == (("illness",), ("illness",))
