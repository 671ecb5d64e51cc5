"""Rows for training: nobody has more than allowed, nobody's rows depend on others, and which are kept is fixed."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest
from tests.engine.oracle import order_of

from privet.engine import _bounded_rows as bounding
from privet.engine._bounded_rows import OWNER, unit_rows
from privet.engine._open_relation import open_frame
from privet.errors import PrivetError
from privet.guarantee._privacy_units import Person, Row

ROWS = [
    {"u": person, "x": 10 * person + at} for person, count in ((1, 6), (2, 2), (3, 1)) for at in range(count)
]


def kept(rows, unit, columns=("x",), **more):
    batches = list(unit_rows(open_frame(pa.Table.from_pylist(rows)), columns, unit, **more))
    return [row for batch in batches for row in batch.to_pylist()]


def of_person(found, person):
    return sorted(row["x"] for row in found if row[OWNER] == person)


def test_nobody_keeps_more_rows_than_allowed() -> None:
    found = kept(ROWS, Person("u", max_rows=2))
    assert len(of_person(found, 1)) == 2
    assert of_person(found, 2) == [20, 21]
    assert of_person(found, 3) == [30]
    assert set(found[0]) == {OWNER, "x"}


@pytest.mark.parametrize("key", ["privet", "other"])
def test_the_first_rows_in_hashed_order_are_kept(key) -> None:
    """The order is computed a second time, in plain Python: it is the person's and the row's own, and the key's."""
    rows = [{"u": 4, "x": 3 * at} for at in range(60)]
    order = sorted((row["x"] for row in rows), key=lambda x: order_of(4, (x,), key))
    assert of_person(kept(rows, Person("u", max_rows=7), bounding_key=key), 4) == sorted(order[:7])


def test_who_else_is_there_decides_nothing() -> None:
    whole = kept(ROWS, Person("u", max_rows=3))
    for gone in (1, 2, 3):
        rest = kept([row for row in ROWS if row["u"] != gone], Person("u", max_rows=3))
        for person in {1, 2, 3} - {gone}:
            assert of_person(rest, person) == of_person(whole, person)


def test_without_a_cap_all_rows_of_known_persons_stay() -> None:
    assert len(kept([*ROWS, {"u": None, "x": 7}], Person("u"))) == len(ROWS)


@pytest.mark.parametrize("cap", [None, 5])
def test_rows_of_nobody_are_dropped(cap) -> None:
    rows = [{"u": person, "x": at} for at, person in enumerate([1.5, math.nan, None, 2.0])]
    assert sorted(row["x"] for row in kept(rows, Person("u", max_rows=cap))) == [0, 3]


def test_where_each_row_is_a_unit_all_stay_and_nobody_owns_them() -> None:
    found = kept([*ROWS, {"u": None, "x": 7}], Row())
    assert sorted(row["x"] for row in found) == sorted([*(row["x"] for row in ROWS), 7])
    assert set(found[0]) == {"x"}


def test_a_column_that_is_not_there_is_refused_by_name() -> None:
    with pytest.raises(PrivetError, match="nowhere"):
        kept(ROWS, Person("u"), columns=("nowhere",))


def test_every_value_is_read_before_the_first_row_is_handed_over(monkeypatch) -> None:
    """Else a malformed value would stop the work half-way, and where it stops tells of rows."""
    seen = []
    monkeypatch.setattr(bounding, "read_through", seen.append)
    relation = open_frame(pa.Table.from_pylist(ROWS))
    next(unit_rows(relation, ["x"], Row()))
    assert seen == [relation]


def test_rows_come_in_batches_where_the_engine_can(monkeypatch) -> None:
    monkeypatch.setattr(bounding, "fetch", lambda *_: pytest.fail("all rows at once"))
    assert len(kept(ROWS, Row())) == len(ROWS)
