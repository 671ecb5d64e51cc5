"""Updates, and how near a reconstruction comes."""

import numpy as np
import pytest

from privet.attacks.updates._federated_update import Update, matched
from privet.errors import BadAttack


def test_each_guess_is_used_once() -> None:
    truth = np.eye(3)
    found = matched(np.array([[0.0, 1.0, 0.0], [1.0, 0.1, 0.0]]), truth)
    assert [one.cosine for one in found] == pytest.approx([0.99504, 1.0, 0.0], abs=1e-4)


def test_decibels_by_hand() -> None:
    """A range of 2 and a mean squared error of 0.04: 10 log10(4 / 0.04) = 20."""
    truth = np.array([[-1.0, 1.0]])
    (found,) = matched(np.array([[-0.8, 1.2]]), truth)
    assert found.psnr == pytest.approx(20)
    assert matched(truth, truth)[0].psnr == np.inf


def test_without_guesses_nothing_is_near() -> None:
    (found,) = matched(np.zeros((0, 2)), np.ones((1, 2)))
    assert (found.cosine, found.psnr) == pytest.approx((0, -np.inf))
    assert matched(np.zeros((1, 2)), np.ones((1, 2)))[0].cosine == pytest.approx(0)


def test_an_update_has_records_behind_it() -> None:
    with pytest.raises(BadAttack, match="at least one record"):
        Update({})
    with pytest.raises(BadAttack, match="at least one record"):
        Update({"w": np.ones(1)}, records=0)
