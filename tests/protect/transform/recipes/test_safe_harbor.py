"""HIPAA Safe Harbor: what goes, what stays, and what the written file says."""

import datetime
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import privet as pv
from privet.errors import BadRecipe, PromiseBroken
from privet.guarantee._promise_registry import SafeHarbor, promise_from_json
from privet.protect.transform.recipes import (
    _recipe_application as applying,
)
from privet.protect.transform.recipes import (
    apply_safe_harbor,
    zip_areas,
)

TODAY = datetime.date(2026, 11, 1)
KINDS = {
    "name": "remove",
    "zip": "zip",
    "born": "birth date",
    "age": "age",
    "admitted": "date",
    "diagnosis": "keep",
}


@pytest.fixture(autouse=True)
def _in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows stay where they are, to be compared one by one."""
    monkeypatch.setattr(applying, "in_random_order", lambda batches, *_: batches)


def people() -> pa.Table:
    return pa.table(
        {
            "name": ["Ada", "Ben", "Cem", "Dot", "Eva"],
            "zip": ["02139", "03601", "03601-1234", "ABC", None],
            "born": [
                datetime.date(1936, 12, 31),
                datetime.date(1937, 1, 1),
                datetime.date(1980, 5, 5),
                None,
                datetime.date(1900, 1, 1),
            ],
            "age": [89, 90, 46, None, 121],
            "admitted": ["2026-03-04", "04/05/2025", "spring", "2025 or 2024", "1999"],
            "diagnosis": ["flu", "flu", "gout", "gout", None],
        }
    )


def opened(source: object = None) -> pv.Table:
    return pv.open_table(people() if source is None else source, roles={"diagnosis": "sensitive"})


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


def test_an_own_list_of_areas(tmp_path: Path) -> None:
    (tmp_path / "areas.json").write_text(json.dumps({"year": 2020, "source": "x", "zip3": ["021"]}))
    areas = zip_areas(tmp_path / "areas.json")
    released = apply_safe_harbor(opened(), KINDS, areas=areas, today=TODAY)
    assert released.to_arrow()["zip"].to_pylist()[:2] == ["000", "036"]
    assert released.promise == SafeHarbor(2020)
    (tmp_path / "areas.json").write_text('{"year": 2020}')
    with pytest.raises(BadRecipe):
        zip_areas(tmp_path / "areas.json")


def test_every_column_must_be_spoken_of() -> None:
    with pytest.raises(BadRecipe) as refused:
        apply_safe_harbor(opened(), {"name": "remove", "zip": "postcode", "nmae": "keep"}, today=TODAY)
    assert len(refused.value.details["faults"]) == 6
    named = pv.open_table(people().select(["name"]), roles={"name": "direct"})
    with pytest.raises(BadRecipe, match="names people"):
        apply_safe_harbor(named, {"name": "keep"}, today=TODAY)


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
