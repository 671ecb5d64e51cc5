"""Two halves of what is known of a person meet in a published row."""

import numpy as np
import pyarrow as pa
import pytest

from privet.attacks._attack_registry import Case
from privet.attacks.tables._linkability import _halves, linkability, linked
from privet.attacks.tables._table_codes import coded
from privet.errors import BadAttack


def test_ambiguous_halves_do_not_hide_a_copy() -> None:
    draw = np.random.default_rng(6)
    make = lambda: pa.table({f"k{j}": draw.choice(list("abc"), 900) for j in range(8)})  # noqa: E731
    members, control = make(), make()
    found = linkability(
        members, Case(members=members, control=control, settings={"guesses": 900, "repeats": 1})
    )
    assert found.success.value == pytest.approx(1.0)
    assert found.details["risk"]["low"] > 0


def test_halves_that_meet_by_hand() -> None:
    """Ann is published as she is; Bo's halves are nearest to two different rows."""
    people = pa.table({"a": [1, 5], "b": [1, 9]})
    published = pa.table({"a": [1, 5, 20], "b": [1, 30, 9]})
    mine, theirs = coded([people, published], ["a", "b"])
    assert linked(mine, theirs, ([0], [1]), 1, None) == (1, 0)
    assert linked(mine, theirs, ([0], [1]), 3, None) == (2, 0), "with all rows near, everything meets"


def test_blind_guesses_tie_facts_of_two_people() -> None:
    """Everybody is published: one's first half never meets another's second."""
    people = pa.table({"a": [0, 10, 20], "b": [0, 10, 20]})
    mine, theirs = coded([people, people], ["a", "b"])
    assert linked(mine, theirs, ([0], [1]), 1, np.array([2, 0, 1])) == (3, 0)


def test_columns_are_dealt_out_by_how_varied_they_are() -> None:
    (table,) = coded([pa.table({"a": [1, 1, 1], "b": [1, 2, 3], "c": [1, 2, 2]})], ["a", "b", "c"])
    assert _halves(table, Case()) == ([0, 1], [2])
    assert _halves(table, Case(settings={"halves": [["c"], ["a", "b"]]})) == ([2], [0, 1])
    with pytest.raises(BadAttack, match="two columns"):
        _halves(table.only([0]), Case())
    for wrong in ([["a"]], [["a"], ["a"]], [["a"], []], [["a"], ["zip"]]):
        with pytest.raises(BadAttack, match="halves"):
            _halves(table, Case(settings={"halves": wrong}))
