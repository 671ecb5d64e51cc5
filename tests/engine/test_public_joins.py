"""Public tables: each private row finds at most one public row."""

from __future__ import annotations

import ibis
import pyarrow as pa
import pytest

from privet.engine._frequency_table import frequency_table
from privet.engine._public_joins import apply_mapping, join_public
from privet.engine._relation import Relation
from privet.errors import BadKeys, UnknownColumn

BACKEND = ibis.duckdb.connect()
ROWS = pa.table({"zip": ["10", "10", "20", None, "99"], "n": [1, 2, 3, 4, 5]})
RELATION = Relation(BACKEND.create_table("rows", ROWS), "duckdb")
AREAS = pa.table({"zip": ["10", "20", None], "area": ["north", "south", "nowhere"]})


def rows(relation):
    return sorted(relation.table.to_pyarrow().to_pylist(), key=lambda row: row["n"])


def test_left_keeps_rows_and_inner_drops_them():
    left, inner = (rows(join_public(RELATION, AREAS, ["zip"], how)) for how in ("left", "inner"))
    assert [row["area"] for row in left] == ["north", "north", "south", None, None]
    assert [row["n"] for row in inner] == [1, 2, 3]
    assert list(left[0]) == ["zip", "n", "area"]


def test_a_mapping_adds_one_column():
    assert [row["area"] for row in rows(apply_mapping(RELATION, "zip", AREAS, "area"))][:3] == [
        "north",
        "north",
        "south",
    ]


@pytest.mark.parametrize(
    ("public", "on", "how", "error"),
    [
        (pa.table({"zip": ["10", "10"], "area": ["a", "b"]}), ["zip"], "left", BadKeys),
        (pa.table({"zip": ["10"], "n": [7]}), ["zip"], "left", BadKeys),
        (pa.table({"area": ["a"]}), ["zip"], "left", BadKeys),
        (pa.table({"zip": [[1]], "area": ["a"]}), ["zip"], "left", BadKeys),
        (AREAS, [], "left", BadKeys),
        (AREAS, ["zip"], "outer", BadKeys),
        (AREAS, ["zipp"], "left", UnknownColumn),
    ],
)
def test_what_could_multiply_rows_is_refused(public, on, how, error):
    with pytest.raises(error):
        join_public(RELATION, public, on, how)


def test_a_mapping_has_two_columns():
    with pytest.raises(BadKeys, match="mapping"):
        apply_mapping(RELATION, "zip", AREAS, "region")


def test_frequencies_are_codes_in_order_with_missing_last():
    found = frequency_table(RELATION, ["zip"])
    assert found.labels[0].to_pylist() == ["10", "20", "99", None]
    assert found.codes.tolist() == [[0], [1], [2], [3]]
    assert found.counts.tolist() == [2, 1, 1, 1]
    assert len(found) == 4
    assert "10" not in repr(found)
    both = frequency_table(RELATION, ["zip", "n"])
    assert both.codes.tolist() == [[0, 0], [0, 1], [1, 2], [2, 4], [3, 3]]
    with pytest.raises(BadKeys):
        frequency_table(RELATION, [])


def test_frequencies_of_nothing_are_empty():
    nothing = Relation(RELATION.table.filter(RELATION.table.n > 9), "duckdb")
    found = frequency_table(nothing, ["zip", "n"])
    assert (len(found), found.codes.shape) == (0, (0, 2))
