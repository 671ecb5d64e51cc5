"""Keys selected with truncated noise: the best that (epsilon, delta) allows, and never from nothing."""

import math

import numpy as np
import pytest
from tests.mechanism.permits import permit_for

from privet.errors import OutOfRange
from privet.guarantee._basic_composition import pure_cost
from privet.guarantee._calibration import bound_for, threshold_for
from privet.guarantee._composition import epsilon_for
from privet.guarantee._events import Composed, Opaque, ThresholdedKeys, TruncatedKeys
from privet.guarantee._expected_error import half_width, spread
from privet.guarantee._zero_concentrated import zcdp_cost
from privet.mechanism import (
    _opendp_samplers as sampling,
)
from privet.mechanism import (
    explain,
    truncated_keys,
)
from privet.mechanism._noise_scales import check_drawable
from privet.mechanism._truncated_keys import draw_truncated
from privet.sealed import Sealed, Sensitivity

ONE = Sensitivity(1, 1, 1)


def chances(scale: float, bound: int) -> dict[int, float]:
    weights = {z: math.exp(-abs(z) / scale) for z in range(-bound, bound + 1)}
    return {z: weight / sum(weights.values()) for z, weight in weights.items()}


def shown_chance(scale: float, bound: int, persons: int) -> float:
    return sum(chance for z, chance in chances(scale, bound).items() if persons + z > bound)


def test_a_key_is_shown_strictly_above_the_bound_and_never_from_nothing(monkeypatch):
    monkeypatch.setattr(sampling, "draw_discrete_laplace", lambda n, _: np.full(n, 2))
    found = truncated_keys(Sealed([6, 7, 8, 0, -3], ONE), permit_for(TruncatedKeys(1, 8)))
    assert found.shown.tolist() == [False, True, True, False, False]
    assert found.numbers.tolist() == [0, 9, 10, 0, 0]


def test_noise_beyond_the_bound_is_drawn_anew(monkeypatch):
    pieces = iter([np.array([9, -1, -9]), np.array([4, -5]), np.array([0])])
    monkeypatch.setattr(sampling, "draw_discrete_laplace", lambda n, _: next(pieces))
    assert draw_truncated(3, 1.0, 4).tolist() == [4, -1, 0]


@pytest.mark.parametrize(("scale", "bound"), [(1, 5), (2.5, 1), (20, 90), (0.3, 7)])
def test_no_private_mechanism_shows_more(scale, bound):
    """The recursion of the optimum (Desfontaines et al. 2022, Theorem 1), met with equality."""
    epsilon, delta = 1 / scale, chances(scale, bound)[bound]
    best = 0.0
    for persons in range(1, 3 * bound + 3):
        best = min(math.exp(epsilon) * best + delta, 1 - math.exp(-epsilon) * (1 - best - delta), 1.0)
        assert shown_chance(scale, bound, persons) == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize("keys", [1, 3, 40])
def test_the_price_is_that_of_the_worst_mechanism_once_for_each_key(keys):
    event = TruncatedKeys(20, 300, keys)
    delta = chances(20, 300)[300]
    cost = pure_cost(event)
    assert cost.epsilon == pytest.approx(keys / 20)
    assert float(cost.delta) == pytest.approx(-math.expm1(keys * math.log1p(-delta)), rel=1e-9)
    assert zcdp_cost(event).rho == pytest.approx(keys / 800)
    worst = Composed([Opaque("0.05", cost.delta / keys)] * keys)
    ours, theirs = (epsilon_for(e, 1e-5, accountant="pld").epsilon for e in (event, worst))
    assert ours == pytest.approx(theirs, abs=2e-3)
    assert ours <= keys / 20 * (1 + 1e-3) + 1e-3


@pytest.mark.parametrize(
    ("epsilon", "keys", "delta"), [(1, 1, 1e-6), (0.2, 4, 1e-7), (0.05, 20, 1e-9), (3, 1, 1e-3)]
)
def test_it_shows_keys_of_fewer_persons_than_a_threshold_does(epsilon, keys, delta):
    bound, threshold = bound_for(1 / epsilon, keys, delta), threshold_for(1 / epsilon, keys, delta)
    assert bound <= threshold
    assert pure_cost(TruncatedKeys(1 / epsilon, bound, keys)).delta <= delta
    if bound > 1:
        assert pure_cost(TruncatedKeys(1 / epsilon, bound - 1, keys)).delta > delta


def test_the_smaller_epsilon_the_larger_the_gain():
    gains = [threshold_for(b, 1, 1e-6) - bound_for(b, 1, 1e-6) for b in (1, 5, 20, 100)]
    assert gains == sorted(gains)
    assert gains[-1] > 400


@pytest.mark.parametrize("event", [TruncatedKeys(7, 20), TruncatedKeys(2, 3), TruncatedKeys("0.5", 30)])
def test_spread_and_width_are_those_of_the_truncated_noise(event):
    law = chances(float(event.scale), event.bound)
    deviation = math.sqrt(sum(z * z * chance for z, chance in law.items()))
    assert spread(event).standard_deviation == pytest.approx(deviation)
    assert spread(event).mean_absolute == pytest.approx(sum(abs(z) * c for z, c in law.items()))
    for confidence in (0.5, 0.9, 0.95, 0.999999):
        inside = [
            w for w in range(event.bound + 1) if sum(law[z] for z in range(-w, w + 1)) >= confidence - 1e-12
        ]
        assert half_width(event, confidence) == inside[0]  # exact: whole numbers
    assert spread(event).standard_deviation <= spread(ThresholdedKeys(event.scale, 2)).standard_deviation


def test_a_scale_that_would_be_rounded_is_refused():
    with pytest.raises(OutOfRange, match="floats"):
        truncated_keys(Sealed([1], ONE), permit_for(TruncatedKeys("1/3", 9)))
    with pytest.raises(OutOfRange):
        truncated_keys(Sealed([1], ONE), permit_for(TruncatedKeys(1, 2**51)))


def test_it_explains_itself():
    found = explain(TruncatedKeys(2, 9))
    assert "exceeds 9" in found.sentence
    assert "10 persons more often than not" in found.sentence


def test_a_single_person_is_shown_with_the_largest_noise(monkeypatch):
    monkeypatch.setattr(sampling, "draw_discrete_laplace", lambda n, _: np.full(n, 9))
    drawn = truncated_keys(Sealed([0, 1, 2], ONE), permit_for(TruncatedKeys(1, 9)))
    assert drawn.shown.tolist() == [False, True, True]


def test_bounds_that_a_number_may_reach_are_served():
    check_drawable(TruncatedKeys(1, 2**50), ONE)
    with pytest.raises(OutOfRange, match="no key has that many"):
        check_drawable(TruncatedKeys(1, 2**50 + 1), ONE)
