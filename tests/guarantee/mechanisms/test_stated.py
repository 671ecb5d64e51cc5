"""What is known by a stated promise alone: it costs what was stated, and nothing draws it."""

from fractions import Fraction

import pytest

from privet.errors import BadAmount, UnsupportedEvent
from privet.guarantee._costs import BasicCost, ConcentratedCost
from privet.guarantee.mechanisms._stated import Opaque, ZeroConcentrated
from privet.sealed import Sensitivity


def test_costs_are_as_stated():
    assert Opaque("0.5", "1e-6").basic_cost() == BasicCost(Fraction(1, 2), Fraction(1, 10**6))
    assert Opaque("0.5").basic_cost() == BasicCost(Fraction(1, 2), Fraction(0))
    assert ZeroConcentrated("0.1").concentrated_cost() == ConcentratedCost(Fraction(1, 10), Fraction(0))
    assert ZeroConcentrated("0.1").basic_cost() is None


def test_a_concentrated_promise_determines_no_distribution():
    with pytest.raises(UnsupportedEvent) as caught:
        ZeroConcentrated("0.1").loss_distribution(1e-3)
    assert caught.value.details["kind"] == "zero-concentrated"


@pytest.mark.parametrize("event", [Opaque(1), ZeroConcentrated(1)])
def test_nothing_draws_them(event):
    assert not event.covers(Sensitivity(1, 1, 1))
    assert event.noise_scale(Sensitivity(1, 1, 1)) is None
    assert event.title == ""
    with pytest.raises(UnsupportedEvent):
        event.spread()


@pytest.mark.parametrize(
    "wrong",
    [lambda: Opaque(0), lambda: Opaque(1, 1), lambda: Opaque(1, -1), lambda: ZeroConcentrated(0)],
)
def test_parameters_outside_their_range_are_refused(wrong):
    with pytest.raises(BadAmount):
        wrong()
    assert Opaque(1, 0) == Opaque(1)
