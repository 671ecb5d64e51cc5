"""Toeplitz strategies: closed forms, inverses, and the farthest that one unit moves, against every pattern there is."""

from fractions import Fraction
from itertools import combinations, pairwise
from math import comb

import numpy as np
import pytest

from privet.guarantee import _toeplitz_strategy as strategies
from privet.guarantee._toeplitz_strategy import (
    UNIT,
    encoded_by_inverse,
    inverse_response,
    inverse_root_coefficients,
    is_falling,
    moved_squares,
    root_coefficients,
)


def test_the_root_has_its_closed_form_rounded_up():
    for j, found in enumerate(root_coefficients(300)):
        exact = Fraction(comb(2 * j, j), 4**j) * UNIT
        assert 0 <= found - exact < 1 + Fraction(1, 2**40)
    assert [Fraction(c, UNIT) for c in root_coefficients(4)] == [
        1,
        Fraction(1, 2),
        Fraction(3, 8),
        Fraction(5, 16),
    ]


def test_the_inverse_root_has_its_closed_form_rounded_down():
    for j, found in enumerate(inverse_root_coefficients(300)[1:], start=1):
        exact = Fraction(comb(2 * j, j), 4**j * (2 * j - 1)) * UNIT
        assert -1 - Fraction(1, 2**40) < found - exact <= 0
    assert [Fraction(c, UNIT) for c in inverse_root_coefficients(4)] == [
        1,
        Fraction(1, 2),
        Fraction(1, 8),
        Fraction(1, 16),
    ]
    assert sum(inverse_root_coefficients(1_024)[1:]) < UNIT


@pytest.mark.parametrize(("bands", "steps"), [(1, 5), (2, 12), (5, 40), (16, 16)])
def test_what_an_inverse_encodes_is_its_inverse_rounded_up(bands, steps):
    exact = [Fraction(1)]
    taken = [Fraction(f, UNIT) for f in inverse_root_coefficients(bands)]
    for t in range(1, steps):
        exact.append(sum((taken[j] * exact[t - j] for j in range(1, min(t, bands - 1) + 1)), Fraction(0)))
    found = [Fraction(int(c), UNIT) for c in encoded_by_inverse(bands, steps)]
    assert all(e <= f < e + Fraction(bands, UNIT) for e, f in zip(exact, found, strict=True))
    assert all(later <= earlier for earlier, later in pairwise(exact))


def test_with_all_bands_the_root_and_the_inverse_root_are_one_strategy():
    gap = np.abs(encoded_by_inverse(64, 64) - np.array(root_coefficients(64)))
    assert gap.max() < 200  # of 2^31


def test_every_allowed_number_of_bands_is_looked_at_and_falls(monkeypatch):
    assert all(is_falling(bands) for bands in (1, 2, 3, 17, 256))
    # 1, 1/2, 5/8: a column that rises is noticed.
    rising = (UNIT, UNIT // 2, 3 * UNIT // 8)
    monkeypatch.setattr(strategies, "inverse_root_coefficients", lambda bands: rising[:bands])
    is_falling.cache_clear()
    assert not is_falling(3)
    is_falling.cache_clear()


def patterns(steps, participations, separation):
    """Every way to take part, by brute force."""
    for count in range(1, participations + 1):
        for chosen in combinations(range(steps), count):
            if all(later - earlier >= separation for earlier, later in pairwise(chosen)):
                yield chosen


@pytest.mark.parametrize(
    "column", [root_coefficients(3), root_coefficients(11), tuple(encoded_by_inverse(3, 11).tolist())]
)
@pytest.mark.parametrize(
    ("participations", "separation"),
    [(1, 11), (1, 1), (2, 3), (3, 3), (4, 3), (3, 4), (2, 5), (11, 1), (3, 1)],
)
def test_no_pattern_moves_farther_than_stated_and_one_moves_as_far(column, participations, separation):
    steps = 11
    matrix = [[column[t - i] if 0 <= t - i < len(column) else 0 for t in range(steps)] for i in range(steps)]
    farthest = max(
        sum(sum(matrix[i][t] for i in chosen) ** 2 for t in range(steps))
        for chosen in patterns(steps, participations, separation)
    )
    found = moved_squares(np.array(column, dtype=np.int64), steps, participations, separation)
    assert found == farthest


def test_columns_that_do_not_overlap_add_up():
    """Choquette-Choo et al. 2023: participations times the square of one column."""
    column = np.array(root_coefficients(5), dtype=np.int64)
    one = sum(int(c) ** 2 for c in column)
    assert moved_squares(column, 40, 4, 10) == 4 * one
    assert moved_squares(column, 40, 4, 5) == 4 * one
    assert moved_squares(column, 40, 4, 4) > 4 * one


@pytest.mark.parametrize("is_inverse", [False, True])
def test_the_response_inverts_the_column(is_inverse):
    steps = 30
    coefficients = inverse_root_coefficients(6) if is_inverse else root_coefficients(6)
    column = encoded_by_inverse(6, steps) if is_inverse else np.array([*coefficients, *[0] * 24])
    back = np.convolve(inverse_response(coefficients, steps, is_inverse=is_inverse), column / UNIT)[:steps]
    assert np.allclose(back, np.eye(1, steps)[0], atol=1e-7)
