"""Candidate values, and differences of two shares against published intervals."""

import numpy as np
import pytest
from scipy.stats import binom

from privet.attacks.models._candidate_values import as_codes, difference, paired_difference
from privet.errors import BadAttack


def test_differences_against_published_intervals() -> None:
    """Newcombe (1998), example a: 56/70 against 48/80 gives 0.0524 to 0.3339."""
    first, second = np.arange(70) < 56, np.arange(80) < 48
    found = difference(first, second, 0.95)
    assert (found.value, found.low, found.high) == pytest.approx((0.2, 0.0524, 0.3339), abs=1e-4)


def test_paired_differences_cover() -> None:
    """Two guessers that are right alike often and mostly on the same records; misses at 99 %, false alarm 1e-6."""
    draw = np.random.default_rng(1)
    missed = 0
    for _ in range(500):
        first = draw.random(150) < 0.6
        swapped = draw.random(150) < 0.3
        second = np.where(swapped, draw.random(150) < 0.6, first)
        found = paired_difference(first, second, 0.99)
        missed += not found.low <= 0 <= found.high
    assert 0 <= missed <= binom.ppf(1 - 1e-6, 500, 0.01)


def test_codes_are_places_among_the_values() -> None:
    known, at = as_codes(np.array(["b", "a", "b"], object))
    assert (known.tolist(), at.tolist()) == (["a", "b"], [1, 0, 1])
    known, at = as_codes(np.array([3, 1]), [5, 3, 1])
    assert (known.tolist(), at.tolist()) == ([1, 3, 5], [1, 0])
    assert as_codes(np.array([True, False]))[1].tolist() == [1, 0]


def test_values_are_few_and_known() -> None:
    as_codes(np.arange(50))
    for wrong, said in ((np.arange(51), "between 2 and 50"), (np.zeros(9), "between 2 and 50")):
        with pytest.raises(BadAttack, match=said):
            as_codes(wrong)
    with pytest.raises(BadAttack, match="not among the stated"):
        as_codes(np.array([1, 2, 3]), [1, 2])
    with pytest.raises(BadAttack, match="numbers, text or yes and no"):
        as_codes(np.array(["2020-01-01"], "datetime64[D]"))


def test_a_paired_difference_by_hand() -> None:
    """Agresti and Min: 8 only first, 2 only second, of 20; centre 6 / 22 with half a count in each cell."""
    first = np.array([1] * 8 + [0] * 2 + [1] * 10, bool)
    second = np.array([0] * 8 + [1] * 2 + [1] * 10, bool)
    found = paired_difference(first, second, 0.95)
    half = 1.959964 * np.sqrt((11 - 36 / 22) / 22**2)
    assert found.value == pytest.approx(0.3)
    assert (found.low, found.high) == pytest.approx((6 / 22 - half, 6 / 22 + half), abs=1e-6)
