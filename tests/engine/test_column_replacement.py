"""Replacing columns means the same on every engine."""

from __future__ import annotations

import datetime

import pyarrow as pa
import pytest

from privet.engine import expressions as ex
from privet.engine._column_replacement import (
    COUNT,
    INTO,
    distinct,
    kind_type,
    replace,
    replace_by,
    rows,
    settled,
    with_columns,
)
from privet.engine._relation import ColumnKind
from privet.errors import UnknownColumn

DAY = datetime.date(2024, 2, 29)
ROWS = pa.table(
    {
        "id": [2, 1, 2, None, 3],
        "town": ["a", "b", "a", "c", None],
        "day": [DAY, DAY, None, DAY, DAY],
        "n": [0, 1, 2, 3, 4],
    },
    schema=pa.schema({"id": pa.int64(), "town": pa.string(), "day": pa.date32(), "n": pa.int64()}),
)


def in_order(relation) -> dict:
    return settled(relation).sort_by("n").to_pydict()


def test_everything_on_every_engine(engine) -> None:
    relation = engine.load(ROWS)
    doubled = replace(relation, {"id": ex.Arithmetic("*", ex.Column("id"), ex.Literal(2))})
    assert in_order(doubled) == {**ROWS.to_pydict(), "id": [4, 2, 4, None, 6]}
    found = distinct(relation, ["id", "town"])
    assert sorted(zip(*(found[name].to_pylist() for name in ("id", "town", COUNT)), strict=True)) == [
        (1, "b", 1),
        (2, "a", 2),
    ]
    lookup = pa.table({"town": ["a", "b"], INTO: ["x", "y"]})
    assert in_order(replace_by(relation, "town", lookup)) == {
        **ROWS.to_pydict(),
        "town": ["x", "y", "x", None, None],
    }
    pairs = pa.table({"id": [1, 2], "day": [DAY, DAY], INTO: pa.array([DAY.replace(day=1)] * 2, pa.date32())})
    moved = in_order(replace_by(relation, "day", pairs))
    assert moved == {**ROWS.to_pydict(), "day": [DAY.replace(day=1)] * 2 + [None] * 3}
    none = pa.table({"town": pa.array([], pa.string()), INTO: pa.array([], pa.int64())})
    emptied = replace_by(relation, "town", none)
    assert in_order(emptied)["town"] == [None] * 5
    assert emptied.columns["town"] is ColumnKind.INTEGER
    assert sum(batch.num_rows for batch in rows(relation)) == 5


def test_a_column_exchanged_in_memory() -> None:
    relation = with_columns(ROWS, {"id": pa.array(["x"] * 5)})
    assert settled(relation).to_pydict() == {**ROWS.to_pydict(), "id": ["x"] * 5}


def test_kinds_have_types_and_columns_names(engine) -> None:
    assert kind_type(ColumnKind.DATE) == pa.date32()
    with pytest.raises(UnknownColumn):
        replace(engine.load(ROWS), {"towns": ex.Literal(1)})
    with pytest.raises(UnknownColumn):
        distinct(engine.load(ROWS), ["towns"])
