"""Counts of combinations on the embedded engine, against plain counting, over several batches."""

from __future__ import annotations

import math
import random
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import privet as pv
from privet.engine import _engine_results as running
from privet.engine import _frequency_table as frequencies
from privet.engine._frequency_table import frequency_table


def _relation(table: pa.Table, folder: Path):
    pq.write_table(table, folder / "t.parquet")
    return pv.open_table(folder / "t.parquet", unit=pv.Row()).relation


def _table(rows: int) -> pa.Table:
    draw = random.Random(rows)
    return pa.table(
        {
            "a": pa.array([draw.choice([None, 1, 2, 3]) for _ in range(rows)], pa.int64()),
            "b": pa.array([draw.choice(["x", "x ", "", None, "é"]) for _ in range(rows)], pa.string()),
            "c": pa.array(
                [draw.choice([0.0, -0.0, float("nan"), None, 1.5]) for _ in range(rows)], pa.float64()
            ),
            "d": pa.array([f"only {at}" for at in range(rows)], pa.string()),
        }
    )


def _as_key(value: object) -> object:
    if not isinstance(value, float):
        return value
    return None if math.isnan(value) else value + 0.0


def _plain(row: dict, names: list[str]) -> tuple:
    """A combination as the engine sees it: what is not a number is missing, and there is one zero."""
    values = [row[name] for name in names]
    return tuple(_as_key(value) for value in values)


@pytest.mark.parametrize("rows", [0, 1, 700])
@pytest.mark.parametrize("names", [["a", "b", "c"], ["d"], ["c"]])
def test_counts_are_those_of_plain_counting(rows, names, tmp_path, monkeypatch) -> None:
    table = _table(rows)
    relation = _relation(table, tmp_path)

    def small(chosen):
        for batch in running.stream(chosen):
            yield from (batch.slice(start, 90) for start in range(0, batch.num_rows, 90))

    monkeypatch.setattr(frequencies, "stream", small)
    found = frequency_table(relation, names)
    got = {
        tuple(found.labels[at][code].as_py() for at, code in enumerate(row)): number
        for row, number in zip(found.codes.tolist(), found.counts.tolist(), strict=True)
    }
    assert got == Counter(_plain(row, names) for row in table.to_pylist())
    assert len(got) == len(found)
    assert found.codes.tolist() == sorted(found.codes.tolist())
    for labels in found.labels:
        known = [value for value in labels.to_pylist() if value is not None]
        assert known == sorted(known)
        assert labels.null_count == 0 or labels.to_pylist()[-1] is None


def test_the_rows_are_read_once(tmp_path, monkeypatch) -> None:
    relation, read = _relation(_table(50), tmp_path), []
    monkeypatch.setattr(frequencies, "stream", lambda chosen: read.append(1) or running.stream(chosen))
    monkeypatch.setattr(frequencies, "fetch", lambda *_: read.append(2))
    found = frequency_table(relation, ["a", "b", "c"])
    assert read == [1]
    assert found.counts.sum() == 50
    assert found.codes.dtype == np.int32
