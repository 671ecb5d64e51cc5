"""Centres and spreads over shadow models."""

import numpy as np
import pytest

from privet.attacks.models._shadow_statistics import centre_and_spread
from privet.errors import BadAttack


def test_spreads_are_of_residuals_about_each_record() -> None:
    """Two records far apart with a spread of one each: pooling raw values would give a hundred."""
    draw = np.random.default_rng(1)
    values = draw.normal(size=(4_000, 2)) + np.array([0, 200])
    everywhere = np.ones(values.shape, bool)
    for variance in ("own", "pooled", "shrunk"):
        centre, spread = centre_and_spread(values, everywhere, variance)
        assert centre == pytest.approx([0, 200], abs=0.1)
        assert spread == pytest.approx([1, 1], abs=0.06)
    few = centre_and_spread(np.array([[0.0, 0.0], [2.0, 20.0]]), np.ones((2, 2), bool), "shrunk")[1]
    pooled = (2 * 1 + 2 * 100) / 2
    assert few**2 == pytest.approx([(4 * pooled + 2) / 6, (4 * pooled + 200) / 6])


def test_only_models_that_count_are_looked_at() -> None:
    values = np.array([[1.0, 9.0], [3.0, 9.0], [99.0, 5.0], [5.0, 9.0]])
    counted = np.array([[1, 0], [1, 0], [0, 1], [1, 1]], bool)
    centre, spread = centre_and_spread(values, counted, "own")
    assert centre == pytest.approx([3, 7])
    assert spread**2 == pytest.approx([8 / 3, 4])


def test_answers_that_never_differ_have_a_spread_above_nought() -> None:
    assert (centre_and_spread(np.ones((3, 2)), np.ones((3, 2), bool), "own")[1] > 0).all()


def test_there_is_no_other_spread() -> None:
    with pytest.raises(BadAttack, match="spread"):
        centre_and_spread(np.ones((3, 2)), np.ones((3, 2), bool), "robust")
