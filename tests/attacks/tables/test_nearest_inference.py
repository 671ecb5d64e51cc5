"""Values read off the nearest rows, by hand."""

import numpy as np
import pyarrow as pa
import pytest

from privet.attacks._attack_registry import Case
from privet.attacks.tables._nearest_inference import _worst, guessed_right, inference
from privet.attacks.tables._table_codes import coded
from privet.attacks.tables._wp29_scores import GuessRound
from privet.errors import BadAttack, NoPower


def test_inference_of_one_column_by_some() -> None:
    draw = np.random.default_rng(7)
    known = draw.integers(0, 10**6, 600)
    members = pa.table(
        {"who": known, "noise": draw.integers(0, 5, 600), "ill": draw.choice(["yes", "no"], 600)}
    )
    control = pa.table(
        {
            "who": draw.integers(0, 10**6, 600),
            "noise": draw.integers(0, 5, 600),
            "ill": draw.choice(["yes", "no"], 600),
        }
    )
    found = inference(
        members,
        Case(members=members, control=control, settings={"secret": "ill", "known": ["who"], "guesses": 600}),
    )
    assert found.details["risk"]["low"] > 0.9
    assert found.details["secret"] == "ill"


def right(people: dict, published: dict, secret: str, tolerance: float = 0.05, known=None) -> int:
    names = list(people)
    mine, theirs = coded([pa.table(people), pa.table(published)], names)
    places = None if known is None else [names.index(name) for name in known]
    return int(guessed_right(mine, theirs, [names.index(secret)], places, tolerance)[0])


def test_the_most_frequent_value_of_the_nearest_rows_is_guessed() -> None:
    published = {"age": [10, 10, 10, 90], "ill": ["flu", "flu", "gout", "ague"]}
    assert right({"age": [11], "ill": ["flu"]}, published, "ill") == 1
    assert right({"age": [11], "ill": ["gout"]}, published, "ill") == 0
    assert right({"age": [80], "ill": ["ague"]}, published, "ill") == 1


def test_numbers_are_right_within_a_share_of_the_span() -> None:
    """The nearest rows' mean is 50, of a span of 100."""
    published = {"sex": ["f", "f", "m"], "wage": [40.0, 60.0, 100.0]}
    assert right({"sex": ["f", "m"], "wage": [54.9, 0.0]}, published, "wage") == 1
    assert right({"sex": ["f", "m"], "wage": [55.1, 0.0]}, published, "wage") == 0
    assert right({"sex": ["f", "m"], "wage": [55.1, 0.0]}, published, "wage", tolerance=0.06) == 1


def test_the_secret_itself_is_never_looked_at() -> None:
    """A row with the right secret and another age is not nearer for it."""
    published = {"age": [10, 90], "ill": ["flu", "gout"]}
    assert right({"age": [10], "ill": ["gout"]}, published, "ill") == 0


def test_a_gap_is_guessed_as_a_gap() -> None:
    published = {"sex": ["f", "m"], "ill": pa.array([None, "flu"])}
    assert right({"sex": ["f"], "ill": pa.array([None], pa.string())}, published, "ill") == 1
    gaps = {"sex": ["f", "m"], "wage": pa.array([None, 3.0])}
    assert right({"sex": ["f"], "wage": pa.array([None], pa.float64())}, gaps, "wage") == 1


def test_only_what_is_known_is_compared() -> None:
    published = {"a": [1, 9], "b": [9, 1], "ill": ["flu", "gout"]}
    people = {"a": [1], "b": [1], "ill": ["gout"]}
    assert right(people, published, "ill", known=["b"]) == 1
    assert right(people, published, "ill", known=["a"]) == 0


def test_the_worst_of_several_secrets_and_those_that_everybody_shares() -> None:
    rounds = [
        [GuessRound(right, control, 0, 100, 100) for right, control in pairs]
        for pairs in ([(50, 40), (90, 40), (100, 100)],)
    ]
    risks, worst = _worst(rounds, 0.95)
    assert worst == 1
    assert risks == [pytest.approx(1 / 6), pytest.approx(5 / 6), None]
    with pytest.raises(NoPower, match="always guessed"):
        _worst([[GuessRound(100, 100, 0, 100, 100)]], 0.95)


def test_one_column_is_nothing_to_guess_from() -> None:
    rows = pa.table({"a": [1, 2, 3]})
    with pytest.raises(BadAttack, match="nothing to guess it from"):
        inference(rows, Case(members=rows, control=rows))
    both = pa.table({"a": [1, 2], "b": [1, 2]})
    with pytest.raises(BadAttack, match="what is known"):
        inference(both, Case(members=both, control=both, settings={"known": ["z"]}))
