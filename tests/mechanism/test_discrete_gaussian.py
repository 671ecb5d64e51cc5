"""Discrete Gaussian: the permit's sigma reaches the sampler, and the answer plus noise comes back."""

from fractions import Fraction

import numpy as np
from tests.mechanism.permits import permit_for

from privet.guarantee._events import DiscreteGaussian
from privet.mechanism import _opendp_samplers as sampling
from privet.mechanism import discrete_gaussian
from privet.sealed import Sealed, Sensitivity


def test_answer_plus_noise_of_the_permits_sigma(monkeypatch):
    asked = []

    def draw(n, sigma):
        asked.append((n, sigma))
        return -np.arange(n)

    monkeypatch.setattr(sampling, "draw_discrete_gaussian", draw)
    permit = permit_for(DiscreteGaussian("10/3", 2, 3))
    released = discrete_gaussian(Sealed([10, 20, 30], Sensitivity(3, 2, 5)), permit)
    assert released.tolist() == [10, 19, 28]
    assert asked[0][0] == 3
    assert Fraction(10, 3) <= Fraction(asked[0][1]) < Fraction(10, 3) + Fraction(1, 10**9)
