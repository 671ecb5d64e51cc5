"""The adversary's trees: they learn what is there, and a quantile is a quantile."""

import numpy as np
import pytest

from privet.attacks.models._adversary_learners import classifier, quantile_regressor


def test_a_rule_is_learned() -> None:
    draw = np.random.default_rng(1)
    seen = draw.normal(size=(400, 2))
    codes = seen[:, 0] * seen[:, 1] > 0
    learner = classifier(seen, codes)
    assert (learner.predict(seen) == codes).mean() > 0.95
    assert ((learner.decision(seen) > 0) == learner.predict(seen)).all()


@pytest.mark.parametrize("level", [0.5, 0.9])
def test_so_many_lie_below_the_quantile(level: float) -> None:
    """On 2,000 fresh values: six standard errors and what the trees are off."""
    draw = np.random.default_rng(2)
    learner = quantile_regressor(np.zeros((2_000, 1)), draw.normal(size=2_000), level)
    below = (draw.normal(size=2_000) <= learner.predict(np.zeros((2_000, 1)))).mean()
    assert abs(below - level) < 0.08


def test_few_values_are_enough_to_split() -> None:
    """Thirty records: leaves of five, so that two groups are told apart."""
    seen = np.repeat([[0.0], [1.0]], 15, axis=0)
    values = np.repeat([0.0, 10.0], 15)
    assert quantile_regressor(seen, values, 0.5).predict(np.array([[0.0], [1.0]])) == pytest.approx(
        [0, 10], abs=0.5
    )
