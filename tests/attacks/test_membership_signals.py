"""Signals against their formulas, at the edges too."""

import numpy as np
import pytest

from privet.attacks._membership_signals import (
    certainty,
    highest,
    informed_certainty,
    log_odds,
    right_answers,
)


def test_log_odds_keep_their_digits_near_one() -> None:
    nearly = np.array([[1e-25, 1.0], [0.25, 0.75]])
    found = log_odds(nearly, np.array([1, 0]))
    assert found[0] == pytest.approx(25 * np.log(10))
    assert found[1] == pytest.approx(np.log(1 / 3))


def test_a_label_without_a_column_is_least_likely() -> None:
    assert log_odds(np.array([[0.5, 0.5]]), np.array([-1]))[0] < -60


def test_modified_entropy_knows_the_label() -> None:
    sure = np.array([[0.98, 0.02], [0.98, 0.02]])
    right, wrong = informed_certainty(sure, np.array([0, 1]))
    assert right == pytest.approx(0.02 * np.log(0.98) * 2)
    assert wrong == pytest.approx(0.98 * np.log(0.02) * 2)
    assert certainty(sure)[0] == pytest.approx(0.98 * np.log(0.98) + 0.02 * np.log(0.02))


def test_the_largest_come_first_and_are_padded() -> None:
    assert highest(np.array([[0.2, 0.8]])).tolist() == [[pytest.approx(0.8), pytest.approx(0.2), 0]]
    assert right_answers(np.array([[0.2, 0.8]]), np.array([1])).tolist() == [True]
