"""The settings that a search chooses from: listed or combined, and refused before anything is booked."""

from fractions import Fraction

import pytest

from privet.errors import BadTraining
from privet.guarantee import Change
from privet.protect.train._search_candidates import candidates, is_number
from privet.protect.train.tabular import LinearSettings

USUAL = LinearSettings(steps=100, q=Fraction(1), rate=0.5, clip=1.0, terms=4)


def chosen(settings, change=Change.ADD_OR_REMOVE):
    return candidates(settings, USUAL, change)


def test_a_space_is_all_its_combinations_and_the_rest_stays_as_usual():
    found = chosen({"rate": [0.1, 1.0], "steps": [10, 20, 30]})
    assert [(one.rate, one.steps) for one in found] == [  # exact: settings as given
        (0.1, 10),
        (0.1, 20),
        (0.1, 30),
        (1.0, 10),
        (1.0, 20),
        (1.0, 30),
    ]
    assert {(one.clip, one.terms) for one in found} == {(1.0, 4)}  # exact: settings as given


def test_a_list_is_taken_as_it_is_and_shares_are_exact():
    first, second = chosen([{"q": Fraction(1, 4)}, {"momentum": 0.5}])
    assert (first.q, second.q, second.momentum) == (Fraction(1, 4), 1, 0.5)  # exact: settings as given
    (binary,) = chosen([{"q": 0.5}])
    assert binary.q == Fraction(1, 2)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ([], "nothing to choose from"),
        ({"rate": []}, "nothing to choose from"),
        ([{"speed": 1}], "no setting 'speed'"),
        ("rate", "settings are a list"),
        ([1, 2], "settings are a list"),
        ({"rate": 0.5}, "settings are a list"),
        ([{"steps": 1.5}], "steps is a whole number"),
        ([{"steps": 0}], "steps is a whole number"),
        ([{"steps": True}], "steps is a whole number"),
        ([{"rate": float("inf")}], "rate is positive and finite"),
        ([{"rate": "fast"}], "rate is positive and finite"),
        ([{"q": 0}], "q is above 0"),
        ([{"q": 1.1}], "q is above 0"),
        ([{"momentum": 1}], "momentum is from 0 to below 1"),
        ([{"averaged": 0}], "averaged is above 0"),
        ([{"pull": -1}], "pull is finite and not negative"),
    ],
)
def test_what_cannot_be_tried_is_refused(settings, words):
    with pytest.raises(BadTraining, match=words):
        chosen(settings)


def test_replaced_units_are_not_sampled():
    with pytest.raises(BadTraining, match="q is 1"):
        chosen([{"q": 0.5}], Change.REPLACE)
    assert len(chosen([{"rate": 1.0}], Change.REPLACE)) == 1


def test_numbers_are_finite_and_truth_values_are_none():
    assert all(map(is_number, (1, 0.5, Fraction(1, 3))))
    assert not any(map(is_number, (True, "1", None, float("nan"), float("inf"))))
