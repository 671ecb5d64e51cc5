"""HIPAA Safe Harbor: what goes, what stays, and what the written file says."""

import datetime
import math
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.protect.transform.recipes.people import KINDS, TODAY, opened, people

import privet as pv
from privet.errors import BadRecipe
from privet.protect.transform.recipes import (
    _recipe_application as applying,
)
from privet.protect.transform.recipes import (
    apply_safe_harbor,
)


@pytest.fixture(autouse=True)
def _in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows stay where they are, to be compared one by one."""
    monkeypatch.setattr(applying, "in_random_order", lambda batches, *_: batches)


def test_what_is_left_of_each_column(tmp_path: Path) -> None:
    released = apply_safe_harbor(opened(), KINDS, out=tmp_path / "safe.parquet", today=TODAY)
    rows = pq.read_table(tmp_path / "safe.parquet").to_pydict()
    assert rows["zip"] == ["021", "000", "000", None, None]
    assert rows["born"] == ["1936 or before", "1937", "1980", None, "1936 or before"]
    assert rows["age"] == ["89", "90+", "46", None, "90+"]
    assert rows["admitted"] == ["2026", "2025", None, None, "1999"]
    assert rows["diagnosis"] == ["flu", "flu", "gout", "gout", None]
    assert "name" not in rows
    assert released.after.rows == 5
    assert released.before.unique_rows == 5


def test_zip_codes_that_a_reader_took_for_numbers() -> None:
    table = pv.open_table(pa.table({"zip": pa.array([2139, 3601, 94110])}))
    released = apply_safe_harbor(table, {"zip": "zip"}, today=TODAY)
    assert released.to_arrow()["zip"].to_pylist() == ["021", "000", "941"]


def test_every_column_must_be_spoken_of() -> None:
    with pytest.raises(BadRecipe) as refused:
        apply_safe_harbor(opened(), {"name": "remove", "zip": "postcode", "nmae": "keep"}, today=TODAY)
    assert len(refused.value.details["faults"]) == 6
    named = pv.open_table(people().select(["name"]), roles={"name": "direct"})
    with pytest.raises(BadRecipe, match="names people"):
        apply_safe_harbor(named, {"name": "keep"}, today=TODAY)


def test_a_gap_or_an_odd_date_in_one_row_does_not_stop_the_others() -> None:
    table = pv.open_table(
        pa.table(
            {
                "age": [31.0, math.nan, 89.5, -math.inf],
                "seen": [
                    datetime.date(1, 1, 1),
                    None,
                    datetime.date(2024, 2, 29),
                    datetime.date(9999, 12, 31),
                ],
            }
        )
    )
    rows = apply_safe_harbor(table, {"age": "age", "seen": "date"}, today=TODAY).to_arrow().to_pydict()
    assert rows["age"] == ["31", None, "90+", "-inf"]
    assert rows["seen"] == ["0001", None, "2024", "9999"]
