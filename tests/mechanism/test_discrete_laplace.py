"""Discrete Laplace: the permit's scale reaches the sampler, and the answer plus noise comes back."""

from fractions import Fraction

import numpy as np
import pytest
from tests.mechanism.permits import permit_for

from privet.errors import PermitSpent
from privet.guarantee._events import DiscreteLaplace
from privet.mechanism import _opendp_samplers as sampling
from privet.mechanism import discrete_laplace
from privet.sealed import Sealed, Sensitivity

ONE = Sensitivity(1, 1, 1)


def test_answer_plus_noise_of_the_permits_scale(monkeypatch):
    asked = []

    def draw(n, scale):
        asked.append((n, scale))
        return np.arange(n)

    monkeypatch.setattr(sampling, "draw_discrete_laplace", draw)
    released = discrete_laplace(Sealed([10, 20, 30], ONE), permit_for(DiscreteLaplace("1/3")))
    assert released.tolist() == [10, 21, 32]
    assert asked[0][0] == 3
    assert Fraction(asked[0][1]) >= Fraction(1, 3)


def test_an_empty_answer_stays_empty_and_still_uses_the_permit():
    permit = permit_for(DiscreteLaplace(1))
    assert discrete_laplace(Sealed([], ONE), permit).shape == (0,)
    with pytest.raises(PermitSpent):
        permit.use()


def test_a_failed_draw_has_spent_its_permit(monkeypatch):
    def fail(*_):
        raise OSError

    monkeypatch.setattr(sampling, "draw_discrete_laplace", fail)
    permit = permit_for(DiscreteLaplace(1))
    with pytest.raises(OSError):
        discrete_laplace(Sealed([1], ONE), permit)
    with pytest.raises(PermitSpent):
        permit.use()
