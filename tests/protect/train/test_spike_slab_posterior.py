"""What is believed of many means: by the formulas of two normal distributions, and few of many stand out."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from privet.protect.train._spike_slab_posterior import _believed, posterior


@pytest.mark.parametrize("seen", [0.0, 0.7, -2.5, 6.0])
def test_moments_are_those_of_the_integral(seen):
    share, spread, variance = 0.2, 4.0, 1.5
    found = _believed(np.array([seen]), np.array([variance]), share, spread)

    def slab(theta, power):
        return theta**power * share * norm.pdf(theta, 0, spread**0.5) * norm.pdf(seen, theta, variance**0.5)

    whole, first, second = (quad(slab, -30, 30, args=(power,))[0] for power in (0, 1, 2))
    total = whole + (1 - share) * norm.pdf(seen, 0, variance**0.5)
    assert found.present[0] == pytest.approx(whole / total, rel=1e-6)
    assert found.mean[0] == pytest.approx(first / total, rel=1e-6, abs=1e-9)
    assert found.square[0] == pytest.approx(second / total, rel=1e-6)


def test_few_of_many_stand_out_and_the_rest_is_drawn_to_zero():
    seen = np.concatenate([np.full(5, 12.0), norm.ppf((np.arange(145) + 0.5) / 145)])
    found = posterior(seen, np.ones(150))
    assert np.all(found.present[:5] > 0.99)
    assert np.all(found.mean[:5] > 11)
    assert np.abs(found.mean[5:]).max() < 1.0
    assert found.present[5:].mean() < 0.05


def test_the_order_of_means_and_their_unit_do_not_matter():
    draw = np.random.default_rng(3)
    seen, variance = draw.normal(size=40) * 3, draw.uniform(0.5, 2, 40)
    found, order = posterior(seen, variance), draw.permutation(40)
    turned = posterior(seen[order], variance[order])
    assert turned.mean == pytest.approx(found.mean[order])
    scaled = posterior(10 * seen, 100 * variance)
    assert scaled.mean == pytest.approx(10 * found.mean, rel=1e-6)


def test_nothing_but_noise_and_nothing_at_all_stay_finite():
    for seen in (np.zeros(10), np.full(10, 1e-300), np.full(10, 1e150)):
        found = posterior(seen, np.ones(10))
        assert np.isfinite(found.mean).all()
        assert (found.square > 0).all()
