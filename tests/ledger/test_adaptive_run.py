"""An adaptive run: permits while the booking lasts, none past it, whatever was booked and in whatever order it is drawn."""

from fractions import Fraction

import pytest

import privet as pv
from privet.errors import BadBooking, BudgetExceeded, PermitSpent
from privet.guarantee import (
    Change,
    Composed,
    DiscreteGaussian,
    Exponential,
    Opaque,
    ThresholdedKeys,
    ZeroConcentrated,
    epsilon_of_rho,
    rho_within,
)
from privet.ledger import AdaptiveRun

ADD = Change.ADD_OR_REMOVE


def booked(event):
    book = pv.Ledger.in_memory(limit=pv.ApproxDP(50, 1e-3), accounting="zcdp", unit=pv.Row())
    return book.charge(event, why="a run")


def test_permits_are_handed_out_until_the_booking_is_used_up() -> None:
    run = AdaptiveRun(booked(ZeroConcentrated(Fraction(1, 2))), ADD)
    for _ in range(4):  # each costs an eighth: 1 / 2 sigma²
        assert run.permit(DiscreteGaussian(2)).event == DiscreteGaussian(2)
    assert run.remaining == 0
    assert [one.rho for one in run.drawn] == [Fraction(1, 8)] * 4
    with pytest.raises(BudgetExceeded):
        run.permit(DiscreteGaussian(1_000_000))
    assert len(run.drawn) == 4


def test_a_draw_that_would_pass_the_booking_is_refused_and_leaves_the_rest() -> None:
    run = AdaptiveRun(booked(ZeroConcentrated(Fraction(1, 4))), ADD)
    run.permit(DiscreteGaussian(2))
    with pytest.raises(BudgetExceeded):
        run.permit(DiscreteGaussian(Fraction(3, 2)))  # 2/9 of 1/8
    assert run.remaining == Fraction(1, 8)
    run.permit(Exponential(1))  # epsilon²/8
    assert run.remaining == 0


def test_a_booking_of_epsilon_and_delta_pays_for_the_rho_that_implies_it() -> None:
    book = pv.Ledger.in_memory(limit=pv.ApproxDP(1, 1e-9), unit=pv.Row())
    run = AdaptiveRun(book.charge(Opaque(1, Fraction(1, 10**9)), why="a run"), ADD)
    assert run.cap.rho == rho_within(1, Fraction(1, 10**9))
    # Golden: AIM on Adult at (1, 1e-9), by the conversion of Canonne, Kamath and Steinke.
    assert float(run.cap.rho) == pytest.approx(0.014973, abs=5e-7)
    assert epsilon_of_rho(run.cap.rho, Fraction(1, 10**9)) <= 1
    assert run.cap.delta == 0
    with pytest.raises(BudgetExceeded):
        run.permit(ThresholdedKeys(10_000, 10**6, 1))


def test_a_part_of_delta_can_be_kept_for_events_that_have_one() -> None:
    book = pv.Ledger.in_memory(limit=pv.ApproxDP(1, 1e-5), unit=pv.Row())
    spare = Fraction(1, 10**6)
    run = AdaptiveRun(book.charge(Opaque(1, Fraction(1, 10**5)), why="a run"), ADD, spare=spare)
    assert run.cap.rho == rho_within(1, Fraction(1, 10**5) - spare)
    run.permit(ThresholdedKeys(100, 2_000, 1))
    assert 0 < run.spent.delta <= spare


def test_a_composition_pays_for_what_its_parts_cost_together() -> None:
    keys = ThresholdedKeys(100, 2_000, 1)
    run = AdaptiveRun(booked(Composed([ZeroConcentrated(Fraction(1, 8)), keys])), ADD)
    run.permit(keys)
    run.permit(DiscreteGaussian(2))
    assert run.remaining == 0


def test_a_permit_serves_one_run_and_other_events_none() -> None:
    permit = booked(ZeroConcentrated(1))
    AdaptiveRun(permit, ADD)
    with pytest.raises(PermitSpent):
        AdaptiveRun(permit, ADD)
    for event in (DiscreteGaussian(2), Exponential(1)):
        with pytest.raises(BadBooking):
            AdaptiveRun(booked(event), ADD)
    with pytest.raises(BadBooking):
        AdaptiveRun(booked(ZeroConcentrated(1)), ADD, spare=Fraction(1, 10))
