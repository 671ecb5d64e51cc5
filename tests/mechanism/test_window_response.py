"""Numbers by a window: reports have the probabilities of the matrix, and rounding has no bias."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chisquare

from privet.guarantee.oracles import Duchi, Hybrid, Piecewise, SquareWave
from privet.mechanism import WordStream, respond_number
from privet.mechanism._window_response import rounded, slid_window

MANY = 60_000
ONE = Fraction(1)


@pytest.mark.parametrize("oracle", [Duchi(ONE, 2, 1), Piecewise(ONE, 9, 3), SquareWave(ONE, 9, 2)])
def test_reports_have_the_probabilities_of_the_matrix(oracle) -> None:
    """False alarms: one in a million for each position."""
    stream = WordStream.seeded(3)
    for position, row in enumerate(oracle.matrix()):
        seen = np.bincount(slid_window(oracle, np.full(MANY, position), stream), minlength=len(row))
        assert chisquare(seen, MANY * np.array([float(chance) for chance in row])).pvalue > 1e-6


def test_the_hybrid_has_the_probabilities_of_its_matrix() -> None:
    oracle = Hybrid(ONE, 9, 3)
    row = np.array([float(chance) for chance in oracle.matrix()[6]])
    found = respond_number(oracle, np.full(MANY, 6 / 8), WordStream.seeded(9))["value"]
    assert chisquare(np.bincount(found, minlength=len(row)), MANY * row).pvalue > 1e-6


def test_rounding_keeps_the_mean_and_the_ends() -> None:
    found = rounded(np.full(MANY, 0.3), 8, WordStream.seeded(2))
    assert set(found.tolist()) == {2, 3}
    assert abs(found.mean() - 2.4) < 5 * 0.5 / MANY**0.5
    assert rounded(np.array([0.0, 1.0]), 8, WordStream.seeded(2)).tolist() == [0, 8]


def test_what_lies_outside_is_taken_as_the_nearest_bound_and_never_fails() -> None:
    oracle = Piecewise(Fraction(20), 9, 1)
    shares = np.array([-5.0, np.inf, -np.inf, np.nan, 2.0] * 50)
    found = respond_number(oracle, shares, WordStream.seeded(5))["value"]
    assert (found == np.tile([0, 8, 0, 0, 8], 50)).mean() > 0.99
