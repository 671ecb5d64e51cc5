"""Scales lowered together: as far as the certificate allows and no further, and keys selected by what shows more of them."""

from fractions import Fraction

import pytest

from privet.errors import PromiseUnmeetable
from privet.guarantee import (
    ApproxDP,
    Composed,
    DiscreteGaussian,
    DiscreteLaplace,
    Event,
    Exponential,
    Repeated,
    SealedPlan,
    ThresholdedKeys,
    TruncatedKeys,
    bound_for,
    certify,
    threshold_for,
)
from privet.protect.query.noise_plan._certified_scales import _edge, _scaled, lowered, select_keys
from privet.sealed import Sensitivity

DELTA = Fraction(1, 10**6)
PROMISE = ApproxDP(1, DELTA)


def certified(noise: tuple[Event, ...]) -> float:
    return float(certify(SealedPlan(Composed(noise), DELTA)).epsilon)


def test_the_lowered_plan_keeps_its_promise_and_nearly_uses_it_up() -> None:
    # Eight counts at epsilon 1/8 each meet epsilon 1 by adding up; together they may have less noise.
    loose = tuple(DiscreteLaplace(8) for _ in range(16))
    found = lowered(loose, DELTA / 2, PROMISE)
    assert all(isinstance(event, DiscreteLaplace) for event in found)
    assert 0.97 < certified(found) <= 1


def test_all_scales_move_by_one_factor() -> None:
    loose = (DiscreteGaussian(20), DiscreteGaussian(40, 2), DiscreteGaussian(60))
    found = lowered(loose, DELTA / 2, PROMISE)
    ratios = [float(new.sigma / old.sigma) for new, old in zip(found, loose, strict=True)]
    assert ratios == pytest.approx([ratios[0]] * 3)
    assert ratios[0] != 1


def test_a_selection_of_keys_gets_the_threshold_of_its_new_scale() -> None:
    half = Fraction(1, 2)
    event = _scaled(ThresholdedKeys(4, threshold_for(Fraction(4), 2, DELTA), 2), half, DELTA)
    assert isinstance(event, ThresholdedKeys)
    assert (event.scale, event.threshold) == pytest.approx((2, threshold_for(Fraction(2), 2, DELTA)))
    other = _scaled(TruncatedKeys(4, bound_for(Fraction(4), 2, DELTA), 2), half, DELTA)
    assert isinstance(other, TruncatedKeys)
    assert (other.scale, other.bound) == pytest.approx((2, bound_for(Fraction(2), 2, DELTA)))


def test_less_noise_on_a_choice_is_a_larger_epsilon_never_rounded_up() -> None:
    event = _scaled(Repeated(Exponential(Fraction(1, 3)), 5), Fraction(1, 2), DELTA)
    assert isinstance(event, Repeated)
    assert event.count == 5
    assert Fraction(2, 3) * Fraction(999_999, 1_000_000) < event.event.epsilon <= Fraction(2, 3)


def test_noise_without_a_scale_is_refused() -> None:
    with pytest.raises(PromiseUnmeetable):
        _scaled(Composed([DiscreteLaplace(1), DiscreteLaplace(2)]), Fraction(1, 2), DELTA)


@pytest.mark.parametrize("edge", [0.6, 1.0, 1.7, 5.0])
def test_the_edge_is_found_from_the_safe_side(edge: float) -> None:
    found = _edge(lambda factor: edge / factor - 1)
    assert edge <= found <= edge * 1.05


def test_an_edge_below_a_half_is_a_half_and_one_above_eight_is_eight() -> None:
    assert _edge(lambda factor: 0.1 / factor - 1) == pytest.approx(0.5)
    assert _edge(lambda factor: 100 / factor - 1) == pytest.approx(8)


def test_keys_are_selected_by_whichever_shows_those_of_fewer_persons() -> None:
    persons = Sensitivity.per_coordinate(1, 1)
    named = {name: select_keys(Fraction(2), persons, DELTA, name) for name in ("thresholded", "truncated")}
    assert isinstance(named["thresholded"], ThresholdedKeys)
    assert isinstance(named["truncated"], TruncatedKeys)
    chosen = select_keys(Fraction(2), persons, DELTA, None)
    best = min(named.values(), key=lambda event: event.shown_above)
    assert chosen == best


def test_keys_counted_by_rows_are_always_thresholded() -> None:
    rows = Sensitivity.per_coordinate(2, 3)
    event = select_keys(Fraction(6), rows, DELTA, None)
    assert isinstance(event, ThresholdedKeys)
    assert (event.keys, event.reach) == (rows.blocks, 3)
