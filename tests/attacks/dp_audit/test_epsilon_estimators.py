"""Epsilons from below, against values computed with other implementations."""

import numpy as np
import pytest

from privet.attacks.dp_audit import _epsilon_estimators as epsilons
from privet.errors import BadAttack

ONE_RUN = [
    (1000, 1000, 600, 0, 0.297468),
    (1000, 1000, 600, 1e-5, 0.297227),
    (1000, 100, 95, 1e-5, 2.165176),
    (1000, 100, 100, 1e-5, 3.465376),
    (100, 100, 100, 1e-5, 3.490216),
    (1000, 1000, 1000, 1e-5, 5.782283),
    (10000, 1000, 1000, 1e-5, 5.529350),
    (100000, 1500, 1429, 1e-5, 2.668754),
    (5000, 5000, 2600, 1e-5, 0.032856),
    (10, 10, 10, 0, 1.051873),
    (100, 100, 100, 0, 3.492965),
    (200, 200, 200, 0, 4.193630),
    (1000, 1000, 1000, 0, 5.809068),
]


@pytest.mark.parametrize(("canaries", "guesses", "correct", "delta", "epsilon"), ONE_RUN)
def test_one_run(canaries: int, guesses: int, correct: int, delta: float, epsilon: float) -> None:
    assert epsilons.one_run(canaries, guesses, correct, delta=delta) == pytest.approx(epsilon, abs=2e-6)


@pytest.mark.parametrize(
    ("canaries", "guesses", "correct", "epsilon"),
    [(1000, 1000, 600, 0.583540), (1000, 100, 95, 3.323300), (1000, 1000, 1000, 12.334570)],
)
def test_one_run_against_the_whole_curve(canaries: int, guesses: int, correct: int, epsilon: float) -> None:
    assert epsilons.one_run_tradeoff(canaries, guesses, correct, delta=1e-5) == pytest.approx(
        epsilon, abs=5e-6
    )


@pytest.mark.parametrize(("mu", "epsilon"), [(0.5, 1.993091), (1, 4.377178), (2, 9.997256), (0, 0), (-1, 0)])
def test_the_epsilon_of_a_gaussian(mu: float, epsilon: float) -> None:
    assert epsilons.gaussian_epsilon(mu, 1e-5) == pytest.approx(epsilon, abs=1e-6)


@pytest.mark.parametrize(
    ("number", "epsilon"),
    [(50, 2.5696), (100, 3.2813), (200, 3.9837), (500, 4.9056), (1000, 5.6006), (5000, 7.2115)],
)
def test_the_most_that_so_many_runs_can_show(number: int, epsilon: float) -> None:
    assert epsilons.from_errors(0, number, 0, number, delta=1e-5) == pytest.approx(epsilon, abs=1e-4)


def test_scores_without_a_difference_show_nothing() -> None:
    draw = np.random.default_rng(1)
    for _ in range(20):
        a, b = draw.normal(size=500), draw.normal(size=500)
        assert epsilons.from_scores(a, b, delta=1e-5) < 0.5
        assert epsilons.from_gaussian(a, b, delta=1e-5) < 0.5


def test_a_reversed_separation_is_no_evidence() -> None:
    """Taking the absolute value here would report almost four where nothing leaks the way that is tested."""
    draw = np.random.default_rng(2)
    assert epsilons.from_gaussian(
        draw.normal(-1, 1, 2000), draw.normal(0, 1, 2000), delta=1e-5
    ) == pytest.approx(0)


def test_a_gaussian_mechanism_is_found_and_not_overstated() -> None:
    """With mu = 1 the truth is 4.377 at 1e-5: one-sided bounds at 95 % stay below it and come near."""
    draw = np.random.default_rng(3)
    found = [
        epsilons.from_gaussian(draw.normal(1, 1, 20_000), draw.normal(0, 1, 20_000), delta=1e-5)
        for _ in range(20)
    ]
    assert max(found) <= 4.377178
    assert min(found) > 3.5


def test_guesses_must_be_possible() -> None:
    for canaries, guesses, correct in ((10, 11, 5), (10, 5, 6), (10, 0, 0)):
        with pytest.raises(BadAttack):
            epsilons.one_run(canaries, guesses, correct, delta=0)
