"""Which noise: the least error that promise and accounting allow, certified for the whole plan."""

from fractions import Fraction

import pytest

from privet.errors import BadUsage, PromiseUnmeetable
from privet.guarantee._basic_composition import pure_cost
from privet.guarantee._calibration import gaussian_sigma
from privet.guarantee._composition import certify
from privet.guarantee._events import (
    Composed,
    DiscreteGaussian,
    DiscreteLaplace,
    SealedPlan,
    ThresholdedKeys,
    TruncatedKeys,
)
from privet.guarantee._promise_registry import ApproxDP, PureDP, ZeroConcentratedDP
from privet.guarantee._zero_concentrated import rho_within, zcdp_cost
from privet.protect.query.noise_plan._budget_split import Stake
from privet.protect.query.noise_plan._mechanism_choice import Vector, choose
from privet.sealed import Sensitivity

APPROX = ApproxDP(1, 1e-6)


def _choice(count, coordinates, promise, accounting="basic", *, hidden=False, selection=None):
    keys = [Vector(Sensitivity.per_coordinate(coordinates, 1), selects=True)] if hidden else []
    vectors = [*keys, *(Vector(Sensitivity.per_coordinate(coordinates, 2)) for _ in range(count))]
    stakes = [Stake({i: 1.0}) for i in range(len(keys), len(vectors))]
    return choose(vectors, stakes, promise, accounting=accounting, selection=selection)


def test_one_small_vector_gets_laplace_noise_and_many_get_gaussian_noise():
    one, many = _choice(1, 1, APPROX), _choice(40, 4, APPROX)
    assert isinstance(one.event, DiscreteLaplace)
    assert "Gaussian noise would err" in one.why
    assert all(isinstance(event, DiscreteGaussian) for event in many.noise)
    assert "Laplace noise" in many.why


def test_gaussian_noise_is_calibrated_to_the_whole_plan_and_no_more_than_that():
    found = _choice(10, 4, APPROX)
    assert isinstance(found.event, SealedPlan)
    assert 0.985 <= certify(found.event).epsilon <= 1
    by_conversion = gaussian_sigma(rho_within(1, "1e-6") / 10, 2, 4)
    assert found.noise[0].sigma < Fraction("0.95") * by_conversion


@pytest.mark.parametrize("accounting", ["pure", "basic"])
def test_a_concentrated_promise_is_kept_with_laplace_noise_where_nothing_else_can_be_booked(accounting):
    promise = ZeroConcentratedDP("0.1")
    found = _choice(3, 4, promise, accounting)
    assert all(isinstance(event, DiscreteLaplace) for event in found.noise)
    assert zcdp_cost(found.event).rho <= promise.rho


def test_a_concentrated_filter_gets_gaussian_noise_of_exactly_the_rho_promised():
    found = _choice(3, 4, ZeroConcentratedDP("0.1"), "zcdp")
    assert isinstance(found.event, Composed)
    assert zcdp_cost(found.event).rho == pytest.approx(Fraction("0.1"), rel=1e-9)
    assert zcdp_cost(found.event).rho <= Fraction("0.1")


def test_a_pure_ledger_gets_nothing_with_a_delta():
    found = _choice(40, 4, APPROX, "pure")
    assert pure_cost(found.event).delta == 0
    assert pure_cost(found.event).epsilon <= 1


@pytest.mark.parametrize("accounting", ["basic", "zcdp"])
@pytest.mark.parametrize("count", [0, 3])
def test_plans_with_unknown_keys_meet_their_promise(accounting, count):
    found = _choice(count, 20, APPROX, accounting, hidden=True)
    assert isinstance(found.noise[0], TruncatedKeys)
    plan = (
        found.event
        if isinstance(found.event, SealedPlan)
        else SealedPlan(Composed(found.noise), APPROX.delta)
    )
    assert certify(plan).epsilon <= 1


def test_the_older_selection_can_be_named_and_hides_more():
    older, newer = (_choice(2, 5, APPROX, hidden=True, selection=name) for name in ("thresholded", None))
    assert isinstance(older.noise[0], ThresholdedKeys)
    assert older.noise[0].threshold > newer.noise[0].bound
    with pytest.raises(BadUsage):
        _choice(2, 5, APPROX, hidden=True, selection="guessed")


def test_unknown_keys_need_a_delta():
    for promise in (PureDP(1), ZeroConcentratedDP(1)):
        with pytest.raises(PromiseUnmeetable, match="needs a delta"):
            _choice(1, 5, promise, "zcdp", hidden=True)
