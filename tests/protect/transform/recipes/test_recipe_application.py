"""Applying Safe Harbor: the record in the file, the file read back, and what breaks the rule not published."""

from pathlib import Path

import pyarrow as pa
import pytest
from tests.protect.transform.recipes.people import KINDS, TODAY, opened, people

import privet as pv
from privet.errors import PromiseBroken
from privet.guarantee._promise_registry import SafeHarbor, promise_from_json
from privet.protect.transform.recipes import (
    _recipe_application as applying,
)
from privet.protect.transform.recipes import (
    apply_safe_harbor,
    zip_areas,
)


@pytest.fixture(autouse=True)
def _in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows stay where they are, to be compared one by one."""
    monkeypatch.setattr(applying, "in_random_order", lambda batches, *_: batches)


def test_the_record_travels_inside_the_file(tmp_path: Path) -> None:
    made = apply_safe_harbor(opened(), KINDS, out=tmp_path / "safe.parquet", today=TODAY)
    loaded = pv.ReleasedTable.load(tmp_path / "safe.parquet")
    assert loaded.promise == SafeHarbor(2000)
    assert loaded.to_json() == made.published().to_json()
    assert loaded.columns[0].done == "removed"
    assert promise_from_json(made.promise.to_json()) == made.promise


def test_csv_keeps_digits(tmp_path: Path) -> None:
    made = apply_safe_harbor(opened(), KINDS, out=tmp_path / "safe.csv", today=TODAY)
    assert made.to_arrow()["zip"].to_pylist()[:2] == ["021", "000"]
    assert [path.name for path in tmp_path.iterdir()] == ["safe.csv"]


def test_a_file_that_breaks_the_rule_is_not_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        applying, "_changed", lambda relation, kept, schema: iter(people().select(["zip"]).to_batches())
    )
    table = pv.open_table(people().select(["zip"]))
    with pytest.raises(PromiseBroken, match="'zip'"):
        apply_safe_harbor(table, {"zip": "zip"}, out=tmp_path / "safe.parquet", today=TODAY)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("harbor", "allowed", "forbidden"),
    [
        ("zip", ["021", "000"], ["036", "02139", "02", "0 1", ""]),
        ("age", ["89", "0", "90+", "12.5"], ["90", "89.01", "nan", "old", "", "91+"]),
        ("date", ["1999", "0001"], ["1999-01-01", "99", "", "1999 or after"]),
        ("birth date", ["1937", "1936 or before"], ["1937-05-05", "before 1936"]),
    ],
)
def test_the_file_s_values_are_judged_one_by_one(
    harbor: str, allowed: list[str], forbidden: list[str]
) -> None:
    def judged(value: str) -> bool:
        return applying._allowed(applying.Harbor(harbor), value, zip_areas())

    assert [value for value in allowed if not judged(value)] == []
    assert [value for value in forbidden if judged(value)] == []


def test_a_file_that_lacks_a_row_is_not_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = applying._changed
    monkeypatch.setattr(
        applying, "_changed", lambda *given: (batch.slice(0, batch.num_rows - 1) for batch in plain(*given))
    )
    with pytest.raises(PromiseBroken, match="rows that were planned"):
        apply_safe_harbor(opened(), KINDS, out=tmp_path / "safe.parquet", today=TODAY)
    assert list(tmp_path.iterdir()) == []


def test_the_risk_after_is_that_of_the_coarse_values() -> None:
    """Two people of one three-digit area and one year cannot be told apart any more; before, they could."""
    table = pv.open_table(
        pa.table({"zip": ["02139", "02138", "94110"], "born": ["1980-01-01", "1980-12-31", "1990-01-01"]})
    )
    released = apply_safe_harbor(table, {"zip": "zip", "born": "birth date"}, today=TODAY)
    assert (released.before.unique_rows, released.before.classes) == (3, 3)
    assert (released.after.unique_rows, released.after.classes) == (1, 2)
    assert released.after.mean_risk == pytest.approx(2 / 3)
    assert [column.role for column in released.columns] == ["quasi", "quasi"]


def test_a_table_in_which_nothing_is_coarse_has_no_risk_to_state() -> None:
    released = apply_safe_harbor(pv.open_table(people().select(["diagnosis"])), {"diagnosis": "keep"})
    assert (released.after.rows, released.after.highest_risk) == pytest.approx((0, 0))
    assert released.found.loss == pytest.approx(0)
