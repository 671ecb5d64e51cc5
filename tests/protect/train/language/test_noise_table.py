"""Noise read off a table: near the exact one, and never the wrong way round."""

from fractions import Fraction

import numpy as np
import pytest

from privet.guarantee import ApproxDP, Gaussian, PoissonSampled, Repeated, calibrate
from privet.protect.train.language._noise_table import noise_table


@pytest.mark.parametrize(
    ("epsilon", "delta", "steps", "rate"),
    [(2, 1e-8, 2_000, 0.005), (8, 1e-6, 500, 0.05), (1, 1e-6, 10_000, 0.0004)],
)
def test_it_is_near_the_exact_noise(epsilon, delta, steps, rate):
    exact = calibrate(
        lambda sigma: Repeated(
            PoissonSampled(Fraction(rate).limit_denominator(10**6), Gaussian(sigma, 1)), steps
        ),
        ApproxDP(epsilon, delta),
        accountant="pld",
    )
    assert noise_table().sigma(epsilon, delta, steps, rate) == pytest.approx(float(exact), rel=0.1)


def test_more_steps_a_larger_rate_and_a_smaller_promise_need_more_noise():
    table = noise_table()
    steps, rates = np.geomspace(30, 3e5, 20), np.geomspace(1e-5, 1, 20)
    found = table.sigma(2, 1e-7, steps[:, None], rates[None, :])
    assert np.all(np.diff(found, axis=0) >= -1e-12)
    assert np.all(np.diff(found, axis=1) >= -1e-12)
    for smaller, larger in ((0.5, 1), (1, 2), (2, 16)):
        assert np.all(table.sigma(smaller, 1e-7, steps, 0.01) >= table.sigma(larger, 1e-7, steps, 0.01))
    assert np.all(table.sigma(2, 1e-9, steps, 0.01) >= table.sigma(2, 1e-5, steps, 0.01))
