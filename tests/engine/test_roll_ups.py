"""Roll-ups of one bounded count: they add up to each other, and one unit moves them no further than they say."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa
import pytest

from privet.engine._contribution_bounds import Contribution
from privet.engine._group_measures import Measure
from privet.engine._roll_ups import RollUp
from privet.engine._sealed_aggregates import prepare
from privet.errors import BadAggregate
from privet.guarantee._privacy_units import Change, Person, Row

KEYS = pa.table({"k": ["a", "b", "c", "d", None, "e"]})
ROLLS = {
    "halves": RollUp("rows", np.array([0, 0, 0, 1, 1, 1]), 2),
    "all": RollUp("rows", np.zeros(6, np.int64), 1),
    "odd": RollUp("rows", np.array([2, 0, 2, 0, 2, 0]), 3),
}
PERSON = Person("u", max_rows=4)
BOUNDS = {
    "one cell": Contribution(PERSON, groups=1, rows=1),
    "several cells": Contribution(PERSON, groups=3, rows=2),
    "rows altogether": Contribution(PERSON, groups=4, total_rows=4),
    "replaced": Contribution(Person("u", max_rows=1, change=Change.REPLACE), groups=1, rows=1),
    "several replaced": Contribution(Person("u", max_rows=4, change=Change.REPLACE), groups=2, rows=2),
}


def _people(seed, persons=12, rows=9):
    dice = random.Random(seed)
    return [
        (u, dice.choice([*"abcdeXY", None])) for u in range(persons) for _ in range(dice.randint(1, rows))
    ]


def _table(rows):
    return pa.table({"u": pa.array([u for u, _ in rows], pa.int64()), "k": pa.array([k for _, k in rows])})


def _answers(relation, bound):
    found = prepare(
        relation,
        keys=["k"],
        public_keys=KEYS,
        measures={"rows": Measure("rows")},
        contribution=bound,
        rolls=ROLLS,
    )()
    return {name: (sealed._exact, sealed.sensitivity) for name, sealed in found.answers.items()}


def _moved(before, after):
    for name, (vector, stated) in before.items():
        assert after[name][1] == stated
        change = np.abs(vector - after[name][0])
        assert np.count_nonzero(change) <= stated.coordinates
        assert change.max() <= stated.largest
        assert change.sum() <= stated.total


@pytest.mark.parametrize("bound", BOUNDS.values(), ids=BOUNDS)
def test_one_person_moves_every_roll_up_no_further_than_it_says(engine, bound):
    rows = _people(3)
    whole = _answers(engine.load(_table(rows)), bound)
    for name, roll in ROLLS.items():
        expected = np.zeros(roll.entries, np.int64)
        np.add.at(expected, roll.into, whole["rows"][0])
        assert whole[name][0].tolist() == expected.tolist()
    for left in (0, 5):
        others = [row for row in rows if row[0] != left]
        if bound.unit.change is Change.REPLACE:
            others += [(left, key) for key in "abcabcabce"]
        _moved(whole, _answers(engine.load(_table(others)), bound))


def test_the_stated_sensitivity_is_reached():
    """One person in two groups of one class: the class moves by both together."""
    from tests.conftest import Engine

    bound = Contribution(PERSON, groups=2, rows=2)
    there = _answers(Engine("duckdb", None).load(_table([(1, "a"), (1, "a"), (1, "b"), (1, "b")])), bound)
    assert there["all"][0].tolist() == [4] == [there["all"][1].largest]


def test_a_person_in_one_cell_costs_what_theory_says():
    one = Contribution(Person("u", max_rows=1), groups=1, rows=1).rolled_up_sensitivity(6, 3)
    assert (one.coordinates, one.largest, one.total) == (1, 1, 1)
    swap = Contribution(Row(Change.REPLACE), groups=1, rows=1).rolled_up_sensitivity(6, 3)
    assert (swap.coordinates, swap.largest, swap.total) == (2, 1, 2)


@pytest.mark.parametrize(
    "roll",
    [
        RollUp("persons", np.zeros(6, np.int64), 1),
        RollUp("rows", np.zeros(5, np.int64), 1),
        RollUp("rows", np.array([0, 1, 2, 0, 1, 3]), 3),
        RollUp("nothing", np.zeros(6, np.int64), 1),
    ],
    ids=["persons", "too short", "out of range", "unknown"],
)
def test_other_roll_ups_are_refused(roll):
    from tests.conftest import Engine

    relation = Engine("duckdb", None).load(_table([(1, "a")]))
    measures = {"rows": Measure("rows"), "persons": Measure("persons")}
    with pytest.raises(BadAggregate):
        prepare(
            relation,
            keys=["k"],
            public_keys=KEYS,
            measures=measures,
            contribution=BOUNDS["one cell"],
            rolls={"bad": roll},
        )
