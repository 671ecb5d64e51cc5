"""Published rows stand in an order that says nothing: every order is equally likely, and no row is lost."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.stats import chi2

import privet as pv
from privet.protect._row_order import in_random_order
from privet.protect.transform.recipes import apply_safe_harbor


def _batches(rows: int, size: int) -> tuple[list[pa.RecordBatch], pa.Schema]:
    table = pa.table({"number": pa.array(range(rows)), "text": pa.array([f"t{at}" for at in range(rows)])})
    return table.to_batches(max_chunksize=size), table.schema


@pytest.mark.parametrize("in_memory", [1_000, 100, 7])
def test_no_row_is_lost_or_torn(in_memory: int) -> None:
    batches, schema = _batches(500, 60)
    found = pa.Table.from_batches(in_random_order(batches, schema, 500, in_memory), schema).to_pylist()
    assert [row["number"] for row in found] != list(range(500))
    assert sorted(row["number"] for row in found) == list(range(500))
    assert all(row["text"] == f"t{row['number']}" for row in found)


def test_no_rows_are_no_batches() -> None:
    _, schema = _batches(1, 1)
    assert pa.Table.from_batches(in_random_order([], schema, 0), schema).num_rows == 0


@pytest.mark.parametrize("in_memory", [10, 2])
def test_every_order_is_equally_likely(in_memory: int) -> None:
    """Chi-square over all 24 orders of four rows; false alarm 1e-7 each."""
    batches, schema = _batches(4, 3)
    turns = 1_200
    seen: Counter[tuple[int, ...]] = Counter()
    for _ in range(turns):
        found = pa.Table.from_batches(in_random_order(batches, schema, 4, in_memory), schema)
        seen[tuple(found["number"].to_pylist())] += 1
    expected = turns / 24
    statistic = sum((seen[order] - expected) ** 2 / expected for order in itertools.permutations(range(4)))
    assert statistic < chi2.isf(1e-7, 23)


@pytest.mark.parametrize("search", ["optimal", "local", "mondrian"])
def test_a_sorted_table_is_not_published_in_its_order(search: str, tmp_path: Path) -> None:
    """Sorted by age: the place of a row in the file would tell its age, whatever its cell says."""
    source = tmp_path / "sorted.parquet"
    pq.write_table(
        pa.table({"age": [at // 2 for at in range(400)], "ill": [str(at) for at in range(400)]}), source
    )
    table = pv.open_table(source, roles={"age": "quasi", "ill": "sensitive"}, unit=pv.Row())
    made = pv.anonymize(table, pv.KAnonymity(5), search=search).to_arrow()
    order = [int(text) for text in made["ill"].to_pylist()]
    assert sorted(order) == list(range(400))
    # Under a random order the sum of |place - original| is about n²/3 = 53,333; being below half of that has a
    # probability below 1e-9 (standard deviation about 2,600).
    assert sum(abs(place - original) for place, original in enumerate(order)) > 26_000


def test_a_recipe_shuffles_too() -> None:
    table = pv.open_table(pa.table({"age": [20] * 400, "ill": [str(at) for at in range(400)]}), unit=pv.Row())
    made = apply_safe_harbor(table, {"age": "age", "ill": "keep"}).to_arrow()
    order = [int(text) for text in made["ill"].to_pylist()]
    assert sorted(order) == list(range(400))
    assert sum(abs(place - original) for place, original in enumerate(order)) > 26_000
