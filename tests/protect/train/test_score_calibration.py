"""A score's line: that of two normal classes where they are normal, and Newton's steps end where the gradient is zero."""

import numpy as np
import pytest

from privet.protect.train._score_calibration import FLATTEST, STEEPEST, Line


def test_of_two_normal_classes_it_is_fishers():
    share, apart = 0.3, 1.5
    line = Line.between(apart, share)
    within = 1 - share * (1 - share) * apart**2
    first, second = -share * apart, (1 - share) * apart
    for score in (-1.0, 0.0, 2.0):
        odds = np.log(share / (1 - share)) + ((score - first) ** 2 - (score - second) ** 2) / (2 * within)
        assert line.slope * score + line.intercept == pytest.approx(odds)


def test_newtons_steps_end_where_expected_and_found_agree():
    points, weights = np.polynomial.hermite_e.hermegauss(64)
    weights = weights / weights.sum()
    truth = 1 / (1 + np.exp(-(1.3 * points - 2.0)))
    line = Line(0.5, 0.0)
    for _ in range(30):
        residuals = line.residuals(points, truth) * weights
        line = line.moved(np.array([(residuals * points).sum(), residuals.sum()]), 1.0)
    assert (line.slope, line.intercept) == pytest.approx((1.3, -2.0), abs=1e-3)


def test_noise_cannot_turn_a_score_around_or_throw_it_far():
    line = Line(1.0, -3.0)
    assert line.moved(np.array([1e9, 0.0]), 1.0).slope >= FLATTEST
    assert line.moved(np.array([-1e9, 0.0]), 1.0).slope <= STEEPEST
    moved = line.moved(np.array([1e9, -1e9]), 1.0)
    assert abs(moved.intercept + 3.0) <= 2.0 + 1e-9
    assert Line.between(-1.0, 0.5).slope == pytest.approx(FLATTEST)
