"""Marginals of coded columns: counts as of plain Python, one person within the stated sensitivity, nothing readable."""

import copy
import datetime
import itertools
import math
import pickle
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

from privet.engine import Categories, CodedColumn, DateBins, EvenBins, coded_rows, prepare_marginals
from privet.engine import _coded_marginals as marginals
from privet.engine._open_relation import open_frame
from privet.errors import BadAggregate, SealBroken
from privet.guarantee import Change, Person, Row

DAY = datetime.date(2026, 1, 1)
COLUMNS = [
    CodedColumn("ward", Categories(pa.array(["icu", "eye"]), other=False)),
    CodedColumn("age", EvenBins(0, 100, 4)),
    CodedColumn("day", DateBins((DAY, DAY + datetime.timedelta(days=10), DAY + datetime.timedelta(days=20)))),
    CodedColumn("back", Categories(pa.array([False, True]), other=False)),
]
SETS = [*((at,) for at in range(4)), *itertools.combinations(range(4), 2)]
NAN = float("nan")
PEOPLE = [
    {"person": 1, "ward": "icu", "age": 10.0, "day": DAY, "back": True},
    {"person": 1, "ward": "icu", "age": 10.0, "day": DAY, "back": True},
    {"person": 1, "ward": "eye", "age": NAN, "day": None, "back": None},
    {"person": 1, "ward": "new", "age": 1e300, "day": datetime.date(2999, 1, 1), "back": False},
    {"person": 2, "ward": None, "age": -5.0, "day": datetime.date(1900, 1, 1), "back": False},
    {"person": 3, "ward": "eye", "age": 99.9, "day": DAY + datetime.timedelta(days=10), "back": True},
    {"person": None, "ward": "eye", "age": 50.0, "day": DAY, "back": True},
]
KIND = pa.schema(
    {"person": pa.int64(), "ward": pa.string(), "age": pa.float64(), "day": pa.date32(), "back": pa.bool_()}
)


def counted(rows, unit, sets=SETS):
    return prepare_marginals(open_frame(pa.Table.from_pylist(rows, KIND)), COLUMNS, unit, sets)()


def coded(row):
    """The codes of a row, a second time and in plain Python."""
    age, day = row["age"], row["day"]
    return (
        {"icu": 0, "eye": 1}.get(row["ward"], 2),
        4 if age is None or math.isnan(age) else min(3, max(0, int(min(age, 100) // 25))),
        2 if day is None else 0 if day < DAY + datetime.timedelta(days=10) else 1,
        2 if row["back"] is None else int(row["back"]),
    )


def test_counts_are_those_of_plain_python() -> None:
    found = counted(PEOPLE, Row())
    sizes = found.sizes
    assert sizes == (3, 5, 3, 3)
    for one in SETS:
        wanted = Counter(tuple(coded(row)[at] for at in one) for row in PEOPLE)
        table = found._counts[one].reshape([sizes[at] for at in one])
        assert {tuple(map(int, cell)): int(table[tuple(cell)]) for cell in np.argwhere(table)} == wanted


def test_rows_come_out_as_the_same_codes() -> None:
    relation = open_frame(pa.Table.from_pylist(PEOPLE, KIND))
    rows = [tuple(map(int, line)) for codes, _ in coded_rows(relation, COLUMNS, Row()) for line in codes]
    assert Counter(rows) == Counter(coded(row) for row in PEOPLE)


@pytest.mark.parametrize("cap", [1, 2, 5])
def test_one_person_moves_no_marginal_further_than_stated(cap) -> None:
    """Duplicated rows, not-a-number, huge values, new categories and missing ones: removed, added and replaced."""
    unit = Person("person", max_rows=cap)
    whole = counted(PEOPLE, unit)
    other = [{**row, "ward": "icu", "age": 77.0} for row in PEOPLE if row["person"] == 1]
    for gone in (1, 2, 3):
        rest = [row for row in PEOPLE if row["person"] != gone]
        for rows, sides in ((rest, 1), ([*rest, *other], 2)):
            replaced = Person("person", max_rows=cap, change=Change.REPLACE if sides == 2 else unit.change)
            less = counted(rows, replaced)
            for one in SETS:
                moved, stated = np.abs(whole._counts[one] - less._counts[one]), less.moved(one)
                assert np.count_nonzero(moved) <= stated.coordinates
                assert moved.max(initial=0) <= stated.largest
                assert moved.sum() <= stated.total
                assert (moved**2).sum() <= stated.squares


@pytest.mark.parametrize("cap", [2, 3, 5])
def test_a_person_whose_rows_are_all_alike_moves_every_marginal_as_far_as_stated(cap) -> None:
    """The length of the change is reached: with any less, the noise would be too small for this person."""
    alike = [{**PEOPLE[0], "person": 9} for _ in range(7)]
    others = [{**PEOPLE[5], "person": 9} for _ in range(7)]
    for change, before in ((Change.ADD_OR_REMOVE, []), (Change.REPLACE, others)):
        unit = Person("person", max_rows=cap, change=change)
        one, two = counted([*PEOPLE, *alike], unit), counted([*PEOPLE, *before], unit)
        for columns in SETS:
            moved = one._counts[columns] - two._counts[columns]
            assert (moved**2).sum() <= one.moved(columns).squares
            if columns != (3,):  # in which both have the same value
                assert (moved**2).sum() == one.moved(columns).squares


def test_finer_steps_scale_counts_and_sensitivity_alike() -> None:
    found = counted(PEOPLE, Person("person", max_rows=2))
    plain, fine = found.sealed((0, 1)), found.sealed((0, 1), 8)
    assert (fine._exact == 8 * plain._exact).all()
    assert fine.sensitivity.squares == 64 * plain.sensitivity.squares


def test_which_rows_of_a_person_are_kept_depends_on_that_person_alone() -> None:
    unit = Person("person", max_rows=2)
    alone = counted([row for row in PEOPLE if row["person"] == 1], unit)._counts
    rest = counted([row for row in PEOPLE if row["person"] != 1], unit)._counts
    whole = counted(PEOPLE, unit)._counts
    assert all((whole[one] == alone[one] + rest[one]).all() for one in SETS)
    assert int(alone[0,].sum()) == 2


def test_a_score_moves_by_no_more_than_stated() -> None:
    unit = Person("person", max_rows=2)
    expected = {one: np.full(np.prod([3, 5, 3, 3][one[0]]), 1.5) for one in SETS[:4]}
    weights, penalties = dict.fromkeys(expected, 3), dict.fromkeys(expected, 0.7)
    whole = counted(PEOPLE, unit).distances(expected, weights, penalties)
    for gone in (1, 2, 3):
        less = counted([row for row in PEOPLE if row["person"] != gone], unit)
        moved = np.abs(whole._exact - less.distances(expected, weights, penalties)._exact)
        assert 0 < moved.max() <= whole.sensitivity.largest
    assert whole.sensitivity.largest == 2 * marginals.STEPS * 3


def test_many_sets_are_counted_in_several_passes(monkeypatch) -> None:
    whole = counted(PEOPLE, Row())._counts
    for name, value in (("_SETS", 3), ("_BITS", 2)):
        monkeypatch.setattr(marginals, name, value)
        apart = counted(PEOPLE, Row())._counts
        assert all((whole[one] == apart[one]).all() for one in SETS)


def test_what_is_sealed_stays_sealed() -> None:
    found = counted(PEOPLE, Row())
    assert repr(found) == "<sealed marginals>"
    for stolen in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(SealBroken):
            stolen(found)


def test_an_engine_that_fails_gives_the_answer_of_no_rows(monkeypatch) -> None:
    ready = prepare_marginals(open_frame(pa.Table.from_pylist(PEOPLE, KIND)), COLUMNS, Row(), SETS)

    def broken(*_):
        raise RuntimeError("a value of the table")

    monkeypatch.setattr(marginals, "fetch", broken)
    found = ready()
    assert found.failure is not None
    assert "value" not in found.failure.said
    assert all(not counts.any() for counts in found._counts.values())


def test_what_cannot_be_counted_is_refused_before_a_row_is_read() -> None:
    wide = [CodedColumn("age", EvenBins(0, 100, 5000))] * 2
    with pytest.raises(BadAggregate, match="cells"):
        prepare_marginals(open_frame(pa.Table.from_pylist(PEOPLE, KIND)), wide, Row(), [(0, 1)])
    with pytest.raises(BadAggregate, match="how many rows"):
        counted(PEOPLE, Person("person"))
    with pytest.raises(BadAggregate, match="rise"):
        DateBins((DAY, DAY))
