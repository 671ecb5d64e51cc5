"""Reports counted on their engine: groups of what fits, and batches of the columns that are needed."""

import pyarrow as pa
import pytest

from privet.engine import _report_groups, groupable, open_anything, report_batches, report_groups

TABLE = pa.table(
    {
        "who": ["a", "a", "b", None, "a", "a"],
        "x": [1, 1, 1, 1, 9, None],
        "y": [0, 0, 0, 0, 0, 0],
        "t": ["u"] * 6,
    }
)


def test_what_fits_is_counted_by_group() -> None:
    relation = open_anything(TABLE).relation
    found = report_groups(relation, "who", ["a"], {"x": 5, "y": 1})
    assert found.rows == 6
    assert found.groups.to_pylist() == [{"who": "a", "x": 1, "y": 0, "privet_count": 2}]


def test_only_whole_numbers_are_counted_there() -> None:
    relation = open_anything(TABLE).relation
    assert groupable(relation, "who", ["x", "y"])
    assert not groupable(relation, "who", ["x", "t"])
    assert not groupable(relation, "x", ["y"])


@pytest.mark.parametrize("rows", [1, 4, 1_000])
def test_batches_hold_all_rows_once(rows: int, monkeypatch) -> None:
    monkeypatch.setattr(_report_groups, "_ROWS", rows)
    parts = list(report_batches(open_anything(TABLE).relation, ["who", "x"]))
    assert pa.concat_tables(parts).select(["x"])["x"].to_pylist() == TABLE["x"].to_pylist()
