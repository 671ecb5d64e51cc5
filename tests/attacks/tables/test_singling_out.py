"""Statements true of one row: which are made, which are chosen, and what they are worth."""

import numpy as np
import pyarrow as pa
import pytest
from tests.attacks.tables.worlds import world

from privet.attacks._attack_registry import Case
from privet.attacks._seeded_generator import repeatable_generator
from privet.attacks.tables._predicates import counts, expected
from privet.attacks.tables._singling_out import (
    _in_turn,
    _independent,
    _names,
    multivariate,
    one_column,
    several_columns,
    univariate,
)
from privet.attacks.tables._table_codes import coded

FAST = {"guesses": 400, "repeats": 3}


@pytest.fixture(scope="module")
def tables() -> tuple[pa.Table, pa.Table]:
    return world(1200, 1), world(1200, 2)


def test_too_few_statements_are_said(tables) -> None:
    members, control = tables
    found = univariate(
        members, Case(members=members, control=control, settings={"guesses": 10**6, "repeats": 1})
    )
    assert found.details["guesses"] < found.details["guesses_wanted"] == 10**6
    assert any("could be made" in note for note in found.notes)


def test_one_telling_column_does_not_crowd_out_the_others() -> None:
    draw = np.random.default_rng(5)

    def with_numbers(seed: int) -> pa.Table:
        names = pa.array([f"id{int(x)}" for x in draw.integers(0, 10**9, 800)])
        return world(800, seed).append_column("account", names)

    case = Case(members=with_numbers(1), control=with_numbers(2), settings=FAST)
    found = multivariate(with_numbers(3), case)
    assert found.details["columns"] == 8
    assert found.details["risk"]["low"] <= 0 <= found.details["risk"]["high"]


def test_chosen_statements_are_true_of_one_row_and_unlikely_elsewhere() -> None:
    here, there = coded([world(1_500, 5), world(1_500, 6)], world(1, 5).column_names)
    made = several_columns(here, list(range(8)), 3, 200, repeatable_generator(1, "test"))
    assert len(made) == 200
    assert (counts(here, made) == 1).all()
    assert np.median(expected(here, made)) < 0.5
    assert counts(there, made).mean() < 1


def test_statements_about_one_column_by_hand() -> None:
    """Of 10, 20, 20, 30 and a gap: up to 10, from 30 on, and the gap; of f, m, m: f."""
    columns = {"age": pa.array([10, 20, 20, 30, None]), "sex": pa.array(["f", "m", "m", "m", "m"])}
    (table,) = coded([pa.table(columns)], list(columns))
    made = one_column(table)
    said = list(
        zip(made.column[:, 0].tolist(), made.low[:, 0].tolist(), made.high[:, 0].tolist(), strict=True)
    )
    assert said == [(0, -1, -1), (0, 0, 0), (0, 2, 3), (1, 0, 0)]
    assert counts(table, made).tolist() == [1, 1, 1, 1]


def test_people_further_out_than_anybody_published_are_caught() -> None:
    published, people = coded([pa.table({"a": [10, 20, 20]}), pa.table({"a": [3, 15]})], ["a"])
    made = one_column(published)
    assert counts(people, made).tolist() == [1]


def test_columns_take_turns() -> None:
    chosen = _in_turn(np.array([0] * 50 + [1, 1, 2]), 6, repeatable_generator(1))
    assert np.bincount(np.array([0] * 50 + [1, 1, 2])[chosen]).tolist() == [3, 2, 1]


def test_equal_statements_have_equal_names() -> None:
    (table,) = coded([world(300, 1)], world(1, 1).column_names)
    made = several_columns(table, list(range(8)), 2, 100, repeatable_generator(3))
    assert len(set(_names(made).tolist())) == len(made)
    assert (_names(made.take(np.array([4, 4]))) == _names(made)[4]).all()


def test_statements_about_the_same_person_are_worth_one() -> None:
    """Forty statements, all true of the one row, succeed together; each about another row, they do not."""
    nobody = (np.zeros(0, np.int64), np.zeros(0, np.int64))
    same = (np.arange(40), np.zeros(40, np.int64))
    apart = (np.arange(40), np.arange(40))
    assert _independent(40, 100, same, nobody, repeatable_generator(1)) < 3
    assert _independent(40, 100, apart, nobody, repeatable_generator(1)) > 20
    assert _independent(40, 100, nobody, nobody, repeatable_generator(1)) == pytest.approx(40)
