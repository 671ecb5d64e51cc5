"""Each filter: what a limit holds, what an event costs, what it refuses."""

from fractions import Fraction

import pytest

from privet.errors import BadBooking, EventNotPriced, PrivetError
from privet.guarantee._events import (
    Composed,
    DiscreteGaussian,
    DiscreteLaplace,
    Exponential,
    Gaussian,
    NonPrivate,
    Opaque,
    PacRelease,
    PoissonSampled,
    RandomizedResponse,
    Repeated,
    SealedPlan,
    ThresholdedKeys,
    Unsupported,
    ZeroConcentrated,
)
from privet.guarantee._privacy_units import Change
from privet.guarantee._promise_registry import ApproxDP, KAnonymity, PacPrivacy, PureDP, ZeroConcentratedDP
from privet.guarantee._zero_concentrated import epsilon_of_rho
from privet.guarantee.exact_amounts import DELTA_UNIT, LOSS_UNIT
from privet.ledger._account_states import amounts
from privet.ledger._privacy_filters import FILTERS, filter_for, filter_of

ADD = Change.ADD_OR_REMOVE


def cost(name, event, change=ADD):
    return amounts(FILTERS[name].price(event, change).cost)


def test_defaults_and_what_goes_together():
    assert filter_for(PureDP(1), None).name == "pure"
    assert filter_for(ApproxDP(1, 1e-6), None).name == "basic"
    assert filter_for(ApproxDP(1, 1e-6), "zcdp").name == "zcdp"
    assert filter_for(ZeroConcentratedDP(1), None).name == "zcdp"
    for limit, name in [(PureDP(1), "zcdp"), (ApproxDP(1, 1e-6), "pure"), (ZeroConcentratedDP(1), "basic")]:
        with pytest.raises(BadBooking):
            filter_for(limit, name)
    with pytest.raises(BadBooking):
        filter_for(KAnonymity(5), None)
    with pytest.raises(BadBooking):
        filter_for(PureDP(1), "odometer")


def test_limits_round_down_and_spends_round_up():
    third = Fraction(1, 3)
    cap = FILTERS["pure"].caps(PureDP(third))["epsilon"] * LOSS_UNIT
    spend = cost("pure", Opaque(third))["epsilon"]
    assert third - LOSS_UNIT < cap < third < spend < third + LOSS_UNIT
    limit = ApproxDP(third, Fraction(1, 3 * 10**6))
    caps = FILTERS["basic"].caps(limit)
    assert caps["delta"] * DELTA_UNIT < limit.delta < (caps["delta"] + 1) * DELTA_UNIT


def test_known_costs():
    assert cost("pure", DiscreteLaplace(4, 2)) == {"epsilon": Fraction(1, 2)}
    assert cost("pure", Repeated(Exponential("0.25"), 3)) == {"epsilon": Fraction(3, 4)}
    assert cost("basic", Opaque("0.5", "1e-9")) == {"epsilon": Fraction(1, 2), "delta": Fraction(1, 10**9)}
    assert cost("zcdp", DiscreteGaussian(2)) == {"rho": Fraction(1, 8), "delta": 0}
    assert cost("zcdp", Exponential(1)) == {"rho": Fraction(1, 8), "delta": 0}
    assert cost("zcdp", Opaque(1, "1e-9")) == {"rho": Fraction(1, 2), "delta": Fraction(1, 10**9)}
    assert cost("zcdp", ZeroConcentrated("0.3"))["rho"] == Fraction(3, 10)


def test_the_tiniest_real_spend_still_costs_a_unit():
    assert FILTERS["zcdp"].price(DiscreteGaussian(2**60), ADD).cost == {"rho": 1, "delta": 0}
    assert FILTERS["pure"].price(DiscreteLaplace(2**61), ADD).cost == {"epsilon": 1}


@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize(
    "event", [NonPrivate(), Unsupported("x"), RandomizedResponse(1), Composed([NonPrivate()])]
)
def test_what_has_no_finite_positive_cost_is_refused(name, event):
    with pytest.raises(EventNotPriced):
        FILTERS[name].price(event, ADD)


@pytest.mark.parametrize("event", [Gaussian(3), DiscreteGaussian(3), ZeroConcentrated("0.1")])
def test_gaussian_noise_needs_zcdp(event):
    for name in ("pure", "basic"):
        with pytest.raises(EventNotPriced):
            FILTERS[name].price(event, ADD)


@pytest.mark.parametrize(
    "event", [Opaque(1, 1e-9), ThresholdedKeys(2, 40), SealedPlan(DiscreteLaplace(2), 1e-9)]
)
def test_a_pure_budget_admits_no_delta(event):
    with pytest.raises(EventNotPriced):
        FILTERS["pure"].price(event, ADD)


def test_sampling_is_refused_where_neighbours_replace():
    event = PoissonSampled("0.1", DiscreteLaplace(2))
    assert cost("pure", event)["epsilon"] < Fraction(1, 2)
    with pytest.raises(EventNotPriced):
        FILTERS["pure"].price(event, Change.REPLACE)
    with pytest.raises(EventNotPriced):
        FILTERS["zcdp"].price(Composed([event]), Change.REPLACE)


def test_zcdp_splits_delta_between_events_and_conversion():
    limit = ApproxDP(3, "1e-7")
    caps = amounts(FILTERS["zcdp"].caps(limit))
    half = limit.delta / 2
    assert caps["delta"] == half
    assert epsilon_of_rho(caps["rho"], half) <= 3
    assert epsilon_of_rho(caps["rho"] * Fraction("1.001"), half) > 3
    assert amounts(FILTERS["zcdp"].caps(ZeroConcentratedDP("0.5"))) == {"rho": Fraction(1, 2), "delta": 0}


def test_a_limit_too_small_to_convert_is_refused():
    with pytest.raises(PrivetError):
        FILTERS["zcdp"].caps(ApproxDP("1e-9", "1e-29"))


def test_sub_limits_must_be_expressible():
    assert FILTERS["basic"].caps(PureDP(1))["delta"] == 0
    for name, limit in [("pure", ApproxDP(1, 1e-6)), ("basic", ZeroConcentratedDP(1)), ("zcdp", PureDP(1))]:
        with pytest.raises(BadBooking):
            FILTERS[name].caps(limit)


def test_a_sealed_plan_is_booked_whole_at_its_certificate():
    parts = [DiscreteLaplace(20)] * 40
    delta = Fraction(1, 10**6)
    plan = SealedPlan(Composed(parts), delta)
    sealed = FILTERS["basic"].price(plan, ADD)
    assert (sealed.composition, sealed.grid is not None) == ("sealed plan", True)
    assert sealed.cost["delta"] * DELTA_UNIT == delta
    assert sealed.cost["epsilon"] < FILTERS["basic"].price(Composed(parts), ADD).cost["epsilon"]
    assert FILTERS["basic"].price(Composed(parts), ADD).composition == "adaptive filter"
    inside = FILTERS["basic"].price(Composed([plan, DiscreteLaplace(20)]), ADD)
    assert inside.composition == "adaptive filter"
    assert inside.cost["epsilon"] == sealed.cost["epsilon"] + Fraction(1, 20) / LOSS_UNIT  # exact: fractions


def test_a_local_answer_is_not_booked_where_presence_is_to_be_hidden():
    event = Composed([RandomizedResponse("0.5"), RandomizedResponse("0.5")])
    with pytest.raises(EventNotPriced, match="not that the person takes part"):
        FILTERS["pure"].price(event, Change.ADD_OR_REMOVE)
    assert FILTERS["pure"].price(event, Change.REPLACE).cost["epsilon"] == pytest.approx(
        2 * 1.0986e12, rel=1e-4
    )


@pytest.mark.parametrize(
    ("name", "limit", "caps"),
    [
        ("pure", PureDP(Fraction(1, 3)), {"epsilon": 333_333_333_333}),
        ("pure", PureDP(Fraction(2, 3)), {"epsilon": 666_666_666_666}),
        ("basic", PureDP(Fraction(2, 3)), {"epsilon": 666_666_666_666, "delta": 0}),
        (
            "basic",
            ApproxDP(Fraction(2, 3), Fraction(2, 3 * 10**28)),
            {"epsilon": 666_666_666_666, "delta": 66},
        ),
        ("zcdp", ZeroConcentratedDP(Fraction(2, 3)), {"rho": 666_666_666_666, "delta": 0}),
    ],
)
def test_caps_are_rounded_down(name, limit, caps):
    """A cap rounded up would allow more than the limit, if only by a unit."""
    assert FILTERS[name].caps(limit) == caps


def test_the_events_half_of_delta_is_rounded_down():
    assert FILTERS["zcdp"].caps(ApproxDP(1, 101 * DELTA_UNIT))["delta"] == 50


@pytest.mark.parametrize("name", ["pure", "basic", "zcdp"])
def test_prices_are_rounded_up(name):
    third = ZeroConcentrated(Fraction(1, 3)) if name == "zcdp" else Opaque(Fraction(1, 3))
    assert 333_333_333_334 in FILTERS[name].price(third, ADD).cost.values()


def test_one_randomised_response_among_others_needs_a_unit_that_replaces():
    mixed = Composed([DiscreteLaplace(10), RandomizedResponse("0.5")])
    with pytest.raises(EventNotPriced, match="randomised response"):
        FILTERS["pure"].price(mixed, ADD)
    assert cost("pure", mixed, Change.REPLACE)["epsilon"] > 0


def test_nats_add_up_and_never_with_anything_else():
    assert filter_for(PacPrivacy(1), None).name == "pac"
    assert FILTERS["pac"].caps(PacPrivacy("1/16")) == {"nats": 62_500_000_000}
    assert cost("pac", PacRelease("1/16")) == {"nats": Fraction(1, 16)}
    assert cost("pac", Composed([PacRelease("1/16"), Repeated(PacRelease("1/8"), 2)])) == {
        "nats": Fraction(5, 16)
    }
    for limit in (PureDP(1), ApproxDP(1, 1e-6)):
        with pytest.raises(BadBooking):
            FILTERS["pac"].caps(limit)
    with pytest.raises(EventNotPriced, match="nats"):
        cost("pac", DiscreteLaplace(3))
    for name in ("pure", "basic", "zcdp"):
        with pytest.raises(EventNotPriced):
            cost(name, PacRelease("1/16"))


def test_a_mixture_is_priced_by_neither():
    mixed = Composed([PacRelease("1/16"), DiscreteLaplace(3)])
    assert filter_of(PacRelease("1/16"), "zcdp").name == "pac"
    assert filter_of(DiscreteLaplace(3), "zcdp").name == "zcdp"
    for own in ("pure", "basic", "zcdp", "pac"):
        with pytest.raises(EventNotPriced):
            filter_of(mixed, own).price(mixed, ADD)


@pytest.mark.parametrize("amount", [Fraction(0), Fraction(-1)])
def test_a_pricing_that_asks_for_nothing_is_refused(monkeypatch, amount):
    """No event has such a price; a fault in one would let it be asked for ever."""
    basic = FILTERS["basic"]
    monkeypatch.setattr(type(basic), "_cost", lambda *_: {"epsilon": amount, "delta": Fraction(0)})
    with pytest.raises(EventNotPriced, match="no positive cost"):
        basic.price(DiscreteLaplace(1), ADD)
