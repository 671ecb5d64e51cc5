"""Probabilities as 64-bit words: the odds never exceed the promise, and miss it by less than anybody can see."""

import math
from fractions import Fraction

import pytest

from privet.errors import BadAmount
from privet.guarantee.oracles._word_odds import (
    LARGEST_EPSILON,
    WORD,
    admitted,
    exp_below,
    flip_words,
    likely_words,
)

EPSILONS = [Fraction(text) for text in ("1/10", "1/2", "1", "2", "4", "8", "12", "16")]


@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
def test_odds_stay_at_or_below_the_exponential(epsilon: Fraction) -> None:
    limit = exp_below(epsilon)
    flip = flip_words(epsilon)
    assert Fraction(WORD - flip, flip) <= limit < Fraction(WORD - flip + 1, flip - 1)
    for outputs, likely in ((2, 1), (1024, 1), (64, 32), (2**24, 7)):
        words = likely_words(epsilon, outputs, likely)
        ratio = Fraction(words, likely) / Fraction(WORD - words, outputs - likely)
        assert ratio <= limit
        assert math.log(limit / ratio) < 1e-9
        assert 0 < words < WORD


@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
def test_the_exponential_is_enclosed_from_below(epsilon: Fraction) -> None:
    # The series from below, with as many terms as bring it closer than the slack.
    term = total = Fraction(1)
    for place in range(1, 200):
        term *= epsilon / place
        total += term
    assert exp_below(epsilon) < total < exp_below(epsilon) * (1 + Fraction(1, 10**48))


def test_an_epsilon_that_hides_nothing_is_refused() -> None:
    assert admitted(LARGEST_EPSILON) == LARGEST_EPSILON
    with pytest.raises(BadAmount):
        admitted(LARGEST_EPSILON + 1)
