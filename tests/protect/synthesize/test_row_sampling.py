"""Rows of a model: as many of each kind as it says, rounded, and their dependences kept."""

import numpy as np

from privet.protect.synthesize._graphical_model import NoisyMarginal, fitted
from privet.protect.synthesize._row_sampling import sampled_rows


def model():
    pair = np.array([[500.0, 10.0, 0.0], [0.0, 290.0, 200.0]])
    measured = [
        NoisyMarginal((0, 1), pair.reshape(-1), 1.0),
        NoisyMarginal((1, 2), np.array([[500.0, 0.0], [0.0, 300.0], [100.0, 100.0]]).reshape(-1), 1.0),
    ]
    return fitted(measured, (2, 3, 2, 4), iterations=500)


def test_counts_are_those_of_the_model_to_within_rounding() -> None:
    rows = sampled_rows(model(), 1000, np.random.default_rng(0))
    assert rows.shape == (1000, 4)
    table = np.zeros((2, 3))
    np.add.at(table, (rows[:, 0], rows[:, 1]), 1)
    # Independent draws would be off by some 15 in the large cells.
    assert np.abs(table - model().marginal((0, 1)).reshape(2, 3)).max() <= 3
    assert np.abs(np.bincount(rows[:, 3], minlength=4) - 250).max() <= 1


def test_what_depends_stays_dependent_along_the_tree() -> None:
    rows = sampled_rows(model(), 5000, np.random.default_rng(1))
    inside = rows[rows[:, 1] == 0]
    assert (inside[:, 2] == 0).mean() > 0.98


def test_one_row_and_rows_beyond_the_total_are_made() -> None:
    assert sampled_rows(model(), 1, np.random.default_rng(0)).shape == (1, 4)
    many = sampled_rows(model(), 30_000, np.random.default_rng(0))
    assert many.max(axis=0).tolist() == [1, 2, 1, 3]
    assert many.min() == 0
