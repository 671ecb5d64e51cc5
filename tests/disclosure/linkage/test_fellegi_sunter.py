"""Fellegi and Sunter's model against its formulas and against pairs whose truth is known."""

import math

import numpy as np
import pytest
from tests.disclosure.linkage.two_sides import sides

from privet.disclosure.linkage._candidate_pairs import Pairs
from privet.disclosure.linkage._fellegi_sunter import FellegiSunter, fit, odds, probabilities
from privet.disclosure.linkage._value_agreement import DIFFERENT, NEAR, SAME, UNKNOWN, Comparisons, compare


def test_odds_are_prior_odds_times_the_weight_of_each_column():
    both = sides([(0, 0)], [(0, 1), (0, 0)])
    pairs = Pairs(np.array([0, 0]), np.array([0, 1]))
    levels = np.array([[SAME, DIFFERENT], [SAME, UNKNOWN]], np.int8)
    chance = np.array([[0.6, 0.1, 0.3], [0.7, 0.1, 0.2]])
    comparisons = Comparisons(levels, chance, (np.array([0.25]), np.array([0.5, 0.5])))
    fitted = FellegiSunter(np.array([[0.1, 0.1, 0.8], [0.2, 0.1, 0.7]]), 0.2)
    first, second = odds(both, pairs, comparisons, fitted)
    # A value that is the same weighs by how rare that very value is: 0.8 / 0.25. What is missing weighs nothing.
    assert second == pytest.approx(0.2 / 0.8 * 0.8 / 0.25)
    assert first == pytest.approx(0.2 / 0.8 * 0.8 / 0.25 * 0.2 / 0.7)


def test_a_value_nobody_has_and_endless_evidence_stay_finite():
    both = sides([(0,)], [(0,)], ("a",))
    comparisons = Comparisons(np.array([[SAME]], np.int8), np.array([[0.5, 0.2, 0.3]]), (np.array([0.0]),))
    (found,) = odds(
        both,
        Pairs(np.array([0]), np.array([0])),
        comparisons,
        FellegiSunter(np.array([[0.1, 0.1, 0.8]]), 0.5),
    )
    assert found == pytest.approx(0.8 / 1e-12)
    assert math.isfinite(found)


def test_a_person_has_at_most_one_true_partner():
    pairs = Pairs(np.array([0, 0, 1]), np.array([0, 1, 1]))
    found = probabilities(pairs, np.array([3.0, 1.0, 4.0]), 3)
    assert found.tolist() == pytest.approx([3 / 5, 1 / 5, 4 / 5])


def test_the_share_and_the_agreement_of_true_pairs_are_found():
    """300 people in both tables by three columns, of which the second is wrong for one person in ten."""
    draw = np.random.default_rng(4)
    true = draw.integers(0, 200, (300, 3))
    told = true.copy()
    told[::10, 1] = (told[::10, 1] + 100) % 200
    both = sides(
        [tuple(map(int, one)) for one in true], [tuple(map(int, one)) for one in told], ("a", "b", "c")
    )
    left, right = np.divmod(np.arange(300 * 300), 300)
    fitted = fit(compare(both, Pairs(left, right)), 300 * 300)
    assert fitted.share * 300 * 300 == pytest.approx(300, rel=0.05)
    assert fitted.agreement[[0, 2], SAME].min() > 0.97
    assert fitted.agreement[1, SAME] == pytest.approx(0.9, abs=0.03)
    assert fitted.agreement.sum(axis=1) == pytest.approx([1.0, 1.0, 1.0])


def test_patterns_that_say_nothing_leave_half_at_most():
    comparisons = Comparisons(
        np.array([[UNKNOWN], [UNKNOWN]], np.int8), np.array([[0.5, 0.2, 0.3]]), (np.array([1.0]),)
    )
    fitted = fit(comparisons, 1)
    assert 0 < fitted.share <= 0.5
    assert np.isfinite(fitted.agreement).all()
    assert NEAR == 1
