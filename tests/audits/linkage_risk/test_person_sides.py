"""People of two tables on the same codes: one row for each person, and nobody's number is none."""

import numpy as np
import pyarrow as pa

from privet.audits._person_records import people
from privet.audits.linkage_risk._person_sides import sides_of
from privet.disclosure.linkage._aligned_sides import Sides
from privet.disclosure.linkage._linkage_claims import exact_claims, probable_claims
from privet.source import open_table


def rows_of(found: Sides, side: str) -> list[tuple]:
    codes = getattr(found, side)
    return [
        tuple(None if code < 0 else found.labels[at][int(code)].as_py() for at, code in enumerate(row))
        for row in codes
    ]


def persons(table: pa.Table, *unit: str):
    return people(open_table(table).relation, [name for name in table.column_names if name not in unit], unit)


def test_values_of_different_types_meet() -> None:
    left = persons(pa.table({"zip": pa.array([1234, 99999]), "n": pa.array([1.0, 2.0])}))
    right = persons(pa.table({"zip": pa.array(["1234", "x"]), "n": pa.array([2, 1])}))
    both = sides_of(left, right, (("zip", "zip"), ("n", "n")))
    ours, theirs = ({row[0] for row in rows_of(both, side)} for side in ("left", "right"))
    assert ours & theirs == {"1234"}


def test_equal_records_are_as_many_people() -> None:
    left = persons(pa.table({"zip": ["a", "a", "b", None]}))
    both = sides_of(left, persons(pa.table({"post": ["b", "a"]})), (("zip", "post"),))
    assert sorted(map(str, rows_of(both, "left"))) == ["('a',)", "('a',)", "('b',)", "(None,)"]
    assert (both.left_ids == -1).all(), "without a unit nobody has a number"


def test_a_row_of_nobody_has_no_number() -> None:
    left = persons(pa.table({"who": [7, None, 8], "zip": ["a", "b", "c"]}), "who")
    both = sides_of(left, persons(pa.table({"zip": ["a"]})), (("zip", "zip"),))
    numbers = dict(zip((row[0] for row in rows_of(both, "left")), both.left_ids.tolist(), strict=True))
    assert numbers == {"a": 0, "b": -1, "c": 1}


def test_probable_claims_find_who_has_moved() -> None:
    """Three columns, one of which has changed for some: an exact join misses them, the model does not."""
    draw = np.random.default_rng(3)
    size = 400
    rows = np.stack(
        [draw.integers(0, 3000, size), draw.integers(0, 300, size), draw.integers(0, 50, size)], axis=1
    )
    other = rows.copy()
    moved = draw.random(size) < 0.2
    other[moved, 2] = (other[moved, 2] + 1 + draw.integers(0, 40, moved.sum())) % 50
    table = pa.table({"who": np.arange(size), **{f"c{j}": rows[:, j] for j in range(3)}})
    there = pa.table({"id": np.arange(size), **{f"c{j}": other[:, j] for j in range(3)}})
    names = ["c0", "c1", "c2"]
    both = sides_of(
        people(open_table(table).relation, names, ("who",)),
        people(open_table(there).relation, names, ("id",)),
        tuple((n, n) for n in names),
    )
    exact, probable = exact_claims(both), probable_claims(both)
    right = int((both.left_ids[probable.left] == both.right_ids[probable.right]).sum())
    assert len(exact.left) < 0.85 * size
    assert right > 0.95 * size
    assert right / len(probable.left) > 0.95
