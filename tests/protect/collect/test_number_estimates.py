"""Means without bias and with intervals that cover; distributions that resemble the true ones."""

from fractions import Fraction

import numpy as np
import pytest

from privet.guarantee.oracles import Duchi, Hybrid, Piecewise, SquareWave, oracle_class
from privet.mechanism import WordStream, respond_number
from privet.protect.collect._number_estimates import bin_matrix, decoded, distribution, mean_share, smoothed
from privet.protect.collect._tallies import counted

SHARES = np.random.default_rng(3).beta(2, 5, 3_000)


@pytest.mark.parametrize("kind", ["duchi", "piecewise", "hybrid", "square-wave"])
@pytest.mark.parametrize(("epsilon", "collections"), [("1/2", 400), ("1", 3_000), ("4", 400)])
def test_the_mean_has_no_bias_and_its_interval_covers(kind: str, epsilon: str, collections: int) -> None:
    """1,000 people each time: mean scores and coverage lie within 5 standard errors, which are .02 of coverage in 3,000 times."""
    oracle, stream = oracle_class(kind).made(Fraction(epsilon), 0, {}), WordStream.seeded(23)
    people = SHARES[:1_000]
    found = np.array(
        [
            mean_share(oracle, counted(oracle, respond_number(oracle, people, stream)))
            for _ in range(collections)
        ]
    )
    scores = (found[:, 0] - people.mean()) / found[:, 1]
    assert abs(scores.mean()) < 5 / collections**0.5
    allowed = max(0.02, 5 * (0.95 * 0.05 / collections) ** 0.5)
    assert abs((np.abs(scores) <= 1.96).mean() - 0.95) <= allowed


@pytest.mark.parametrize(
    "oracle", [Duchi(Fraction(1), 2, 1), Piecewise(Fraction(1), 9, 3), Hybrid(Fraction(1), 9, 3)]
)
def test_outputs_say_the_share_on_average(oracle) -> None:
    matrix = np.array([[float(chance) for chance in row] for row in oracle.matrix()])
    assert matrix @ decoded(oracle) == pytest.approx(np.arange(oracle.size) / oracle.steps)


def test_the_distribution_comes_near_the_true_one() -> None:
    oracle = SquareWave.made(Fraction(2), 0, {})
    people = np.random.default_rng(1).beta(2, 5, 50_000)
    found = distribution(
        oracle, counted(oracle, respond_number(oracle, people, WordStream.seeded(4))), bins=32
    )
    true = np.histogram(people, 32, (0, 1))[0] / len(people)
    assert found.sum() == pytest.approx(1)
    assert np.abs(found - true).sum() < 0.15
    assert np.abs(np.full(32, 1 / 32) - true).sum() > 0.5


def test_the_matrix_of_bins_is_one_of_probabilities() -> None:
    matrix = bin_matrix(SquareWave.made(Fraction(1), 0, {}), 16)
    assert matrix.sum(axis=0) == pytest.approx(np.ones(16), abs=1e-3)
    assert smoothed(np.array([0.0, 1.0, 0.0])) == pytest.approx([0.25, 0.5, 0.25])
