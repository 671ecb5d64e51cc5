"""Profiles of columns: counted against plain Python, the same on every engine and in every order of rows."""

from __future__ import annotations

import datetime
import random
from collections import Counter

import pyarrow as pa
import pytest

from privet import errors
from privet.engine._column_profiles import LONGEST, profile
from privet.engine._open_relation import open_frame
from privet.engine._relation import ColumnKind


def table(rows=3_000, seed=4):
    draw = random.Random(seed)
    return pa.table(
        {
            "id": pa.array([10**6 + 7 * place for place in range(rows)], pa.int64()),
            "word": [draw.choice(["a", "b", "", None, "Zoë", "line\nbreak", "a\x1fb"]) for _ in range(rows)],
            "code": [f"{draw.randrange(900):04d}" for _ in range(rows)],
            "real": [draw.choice([0.5, -0.0, 0.0, None, 2.25]) for _ in range(rows)],
            "flag": [draw.random() < 0.5 for _ in range(rows)],
            "day": [
                datetime.date(2000, 1, 1) + datetime.timedelta(days=draw.randrange(700)) for _ in range(rows)
            ],
            "none": pa.nulls(rows, pa.string()),
        }
    )


def counted(rows, name):
    return Counter(str(value) for value in rows[name].to_pylist() if value is not None)


def test_values_and_figures_are_those_of_the_rows(engine):
    rows = table()
    found = profile(engine.load(rows), sample=1_000)
    assert list(found) == rows.column_names
    for name in ("word", "code", "day"):
        assert dict(found[name].values) == counted(rows, name), name
        assert found[name].exact
    for name, one in found.items():
        values = [value for value in rows[name].to_pylist() if value is not None]
        assert (one.rows, one.present, one.distinct) == (len(rows), len(values), len(set(values))), name
        assert one.missing == rows[name].null_count
    assert (found["word"].shortest, found["word"].longest) == (0, 10)
    assert found["id"].kind is ColumnKind.INTEGER
    assert found["none"].values == ()


def test_a_sample_is_the_same_on_every_engine_and_in_every_order(engine):
    rows = table(rows=3_000)
    here = profile(engine.load(rows), ["id", "code", "day"], sample=50)
    order = random.Random(9).sample(range(len(rows)), len(rows))
    there = profile(open_frame(rows.take(order)), ["id", "code", "day"], sample=50)
    for name in here:
        assert here[name].values == there[name].values, name
        assert here[name].distinct == there[name].distinct, name
        assert len(here[name].values) == 50
        assert not here[name].exact
        assert {value for value, _ in here[name].values} <= set(counted(rows, name))


def test_identifiers_are_counted_exactly_and_others_nearly():
    rows = 60_000
    draw = random.Random(2)
    # A few frequent values among many rare ones is where rows by mean count would be far off.
    skewed = [draw.randrange(20_000) if draw.random() < 0.3 else -draw.randrange(1, 5) for _ in range(rows)]
    found = profile(
        open_frame(pa.table({"id": [f"p{n}" for n in range(rows)], "skewed": skewed})), sample=1_000
    )
    assert found["id"].distinct == rows
    assert not found["skewed"].exact
    assert found["skewed"].distinct == pytest.approx(len(set(skewed)), rel=6 / 1_000**0.5)


def test_long_text_is_cut_in_the_engine_and_wide_samples_stay_small():
    texts = [f"{n} " + "x" * 50_000 for n in range(1_000)]
    found = profile(open_frame(pa.table({"t": texts})))["t"]
    assert max(len(value) for value, _ in found.values) == LONGEST
    assert sum(len(value) for value, _ in found.values) <= 400_000
    assert found.longest == 50_004
    assert found.distinct == 1_000


def test_lists_structures_and_bytes():
    rows = pa.table({"l": [[1, 2], None, [1, 2]], "s": [{"a": "x"}] * 3, "b": [b"\xff", None, b"\xfe"]})
    found = profile(open_frame(rows))
    assert [found[name].present for name in "lsb"] == [2, 3, 2]
    assert found["l"].distinct == 1
    assert found["s"].distinct == 1
    assert found["b"].values == ()
    assert found["l"].kind is ColumnKind.OTHER


def test_empty_tables_and_unknown_columns():
    empty = open_frame(pa.table({"a": pa.array([], pa.int64()), "t": pa.array([], pa.string())}))
    assert [one.distinct for one in profile(empty).values()] == [0, 0]
    with pytest.raises(errors.UnknownColumn, match="'b'"):
        profile(empty, ["b"])


def test_a_profile_prints_no_value():
    found = profile(open_frame(pa.table({"t": ["canary-4711"] * 3})))["t"]
    assert "4711" not in repr(found)
