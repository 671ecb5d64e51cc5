"""The plan of a spine: noise for the unit's reach, and never more booked than was promised."""

from fractions import Fraction

import pytest
from tests.protect.tabulate.people import opened, spine_of

import privet as pv
from privet.errors import PromiseUnmeetable
from privet.guarantee import SealedPlan
from privet.guarantee._zero_concentrated import zcdp_cost
from privet.protect.tabulate._spine_plan import make_spine_plan

RHO = pv.ZeroConcentratedDP(1)


@pytest.fixture
def book(tmp_path):
    with pv.Ledger(tmp_path / "people.ledger", limit=pv.ZeroConcentratedDP("2.5")) as ledger:
        yield ledger


def test_a_replaced_person_moves_two_cells(book):
    table = opened(unit=pv.Person("id", max_rows=1, change=pv.Change.REPLACE))
    plan = pv.explain(spine_of(table), RHO).plan
    one = pv.explain(spine_of(), RHO).plan
    finest = (2, (0, 1))
    assert (plan.noise[finest].coordinates, plan.noise[finest].sensitivity) == (2, 1)
    assert float(plan.noise[finest].sigma / one.noise[finest].sigma) == pytest.approx(2**0.5)
    assert zcdp_cost(plan.event).rho <= 1


@pytest.mark.parametrize("rho", ["1", "0.3", "293764/114921", "1e-6"])
def test_what_is_booked_never_exceeds_the_promise(rho):
    plan = pv.explain(spine_of(shares={"all": 3, "state": 7, "county": 11}), pv.ZeroConcentratedDP(rho)).plan
    booked = zcdp_cost(plan.event).rho
    assert booked <= Fraction(rho)
    assert float(booked) == pytest.approx(float(Fraction(rho)), rel=1e-5)


def test_noise_is_what_the_share_of_rho_buys_for_the_reach_of_a_person():
    plan = make_spine_plan(spine_of(), RHO, accounting="zcdp")
    for measurement, share in plan.spine.strategy.shares:
        event = plan.noise[measurement]
        assert (event.sensitivity, event.coordinates) == (1, 1)
        assert event.sigma**2 >= 1 / (2 * share)
        assert event.sigma**2 == pytest.approx(1 / (2 * share), rel=1e-6)
    assert plan.name((2, (0, 1))) == "county: detailed"
    assert plan.name((0, ())) == "all: total"


def test_rows_of_a_person_meet_in_sums_and_not_in_cells():
    """Three rows may be in three cells of the finest table, but all in one total."""
    several = spine_of(opened(unit=pv.Person("id", max_rows=3)))
    noise = make_spine_plan(several, RHO, accounting="zcdp").noise
    for measurement in ((0, ()), (2, ())):
        event = noise[measurement]
        assert event.sensitivity * event.coordinates >= 3
    assert noise[0, ()].sensitivity == 3


@pytest.mark.parametrize("accounting", ["basic", "filter"])
def test_only_a_promise_with_a_delta_fits_a_ledger_of_epsilons(accounting):
    with pytest.raises(PromiseUnmeetable, match="without a delta") as refused:
        make_spine_plan(spine_of(), RHO, accounting=accounting)
    assert "zcdp" in refused.value.hint
    sealed = make_spine_plan(spine_of(), pv.ApproxDP(1, "1e-6"), accounting=accounting)
    assert isinstance(sealed.event, SealedPlan)
    assert sealed.event.delta == Fraction(1, 10**6)
    with pytest.raises(PromiseUnmeetable, match="Gaussian noise"):
        make_spine_plan(spine_of(), pv.PureDP(1), accounting="basic")
