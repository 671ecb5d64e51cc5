"""What holds for every event class and every accountant, by enumeration: nothing is left out by being new."""

import json
import math
from dataclasses import fields
from fractions import Fraction
from itertools import pairwise

import pytest
from tests.guarantee.example_events import EXAMPLES, PRICED, QUIETER

from privet.errors import UnsupportedEvent
from privet.guarantee._basic_composition import pure_cost
from privet.guarantee._composition import ACCOUNTANTS, delta_for, epsilon_for
from privet.guarantee._events import (
    Composed,
    Event,
    NonPrivate,
    Repeated,
    SealedPlan,
    Unsupported,
    event_from_json,
    event_kinds,
)
from privet.guarantee._privacy_units import Change
from privet.guarantee._zero_concentrated import zcdp_cost

DELTA = Fraction(1, 10**6)
# Parameters that an accountant rightly ignores: its bound for sampled noise does not use the sampling.
BLIND = {
    ("poisson-sampled", "q", "zcdp"),
    ("normed-gaussian", "coordinates", "zcdp"),
    ("normed-gaussian", "coordinates", "rdp"),
    ("distributed-gaussian", "coordinates", "zcdp"),
    ("distributed-gaussian", "coordinates", "rdp"),
    *(
        ("truncated-poisson-sampled", name, accountant)
        for name in ("q", "batch", "size")
        for accountant in ("zcdp", "rdp")
    ),
}
ACCOUNTED = [(event, name) for event in PRICED for name in ACCOUNTANTS]


def priced(event: Event, accountant: str | None, delta: Fraction = DELTA) -> float | None:
    """The epsilon, or None where this accountant does not cover the event."""
    try:
        return epsilon_for(event, delta, accountant=accountant).epsilon
    except UnsupportedEvent:
        return None


def name_of(value: object) -> str:
    return value.canonical()[:60] if isinstance(value, Event) else str(value)


def test_every_class_has_an_example():
    assert set(EXAMPLES) == set(event_kinds())


def test_every_parameter_that_bears_on_privacy_has_a_direction():
    free = {
        ("sealed-plan", "delta"),
        ("shuffled-reports", "delta"),
        ("selected", "law"),
        ("unsupported", "description"),
    }
    free |= {("pac-release", "mutual_information")}  # a currency of its own, which no accountant here counts
    all_parameters = {(kind, f.name) for kind, cls in event_kinds().items() for f in fields(cls)}
    assert set(QUIETER) == all_parameters - free


@pytest.mark.parametrize("event", PRICED, ids=name_of)
def test_every_event_is_covered_by_some_accountant(event):
    assert epsilon_for(event, DELTA).epsilon < math.inf


@pytest.mark.parametrize(("event", "accountant"), ACCOUNTED, ids=name_of)
def test_n_times_once_is_once_n_times_is_a_replay(event, accountant):
    one_by_one = Composed([event] * 6)
    expected = priced(one_by_one, accountant)
    assert priced(Repeated(event, 6), accountant) == expected
    assert (
        priced(Composed([Repeated(event, 2), Composed([event]), Repeated(Repeated(event, 3), 1)]), accountant)
        == expected
    )
    replayed = event_from_json(json.loads(json.dumps(Repeated(event, 6).to_json())))
    assert priced(replayed, accountant) == expected


@pytest.mark.parametrize(("event", "accountant"), ACCOUNTED, ids=name_of)
def test_six_cost_more_than_one_and_no_more_than_six_times_one(event, accountant):
    one, six = priced(event, accountant, DELTA), priced(Repeated(event, 6), accountant, 6 * DELTA)
    if one is None:
        assert six is None
        return
    again = priced(Repeated(event, 6), accountant, DELTA)
    assert again >= one
    # Basic composition always holds; where an accountant is looser, it must not be by much on the grid.
    if accountant == "pld":
        assert six <= 6 * one * (1 + 1e-6) + 7e-4


@pytest.mark.parametrize("accountant", ACCOUNTANTS)
def test_order_does_not_matter(accountant):
    covered = [event for event in EXAMPLES.values() if not isinstance(event, NonPrivate | Unsupported)]
    covered = [event for event in covered if priced(event, accountant) is not None]
    assert priced(Composed(covered), accountant) == priced(Composed(covered[::-1]), accountant)


@pytest.mark.parametrize("accountant", ACCOUNTANTS)
@pytest.mark.parametrize("family", QUIETER, ids="-".join)
def test_more_protection_never_costs_more(family, accountant):
    losses = [
        priced(QUIETER[family](x), accountant)
        for x in (Fraction(1), Fraction(3, 2), Fraction(2), Fraction(3))
    ]
    if None in losses:
        assert set(losses) == {None}
        return
    assert losses[-1] < losses[0] or (*family, accountant) in BLIND
    for louder, quieter in pairwise(losses):
        assert quieter <= louder * (1 + 1e-6)


@pytest.mark.parametrize(("event", "accountant"), ACCOUNTED, ids=name_of)
def test_epsilon_never_rises_with_delta(event, accountant):
    deltas = [Fraction(1, 10**k) for k in (12, 9, 7, 5, 3, 1)]
    losses = [priced(event, accountant, delta) for delta in deltas]
    if None not in losses:
        assert losses == sorted(losses, reverse=True)


@pytest.mark.parametrize(("event", "accountant"), ACCOUNTED, ids=name_of)
def test_delta_and_epsilon_describe_the_same_curve(event, accountant):
    epsilon = priced(event, accountant)
    if epsilon in (None, math.inf):
        return
    assert delta_for(event, epsilon * (1 + 1e-9) + 1e-9, accountant=accountant) <= DELTA * (
        1 + Fraction(1, 10**6)
    )


@pytest.mark.parametrize(("event", "accountant"), ACCOUNTED, ids=name_of)
def test_no_accountant_undercuts_the_loss_distribution(event, accountant):
    """All are upper bounds on one truth, and the distribution lies within a grid step of it."""
    tight, other = priced(event, "pld"), priced(event, accountant)
    if tight is None or other is None or isinstance(event, SealedPlan):
        return  # a sealed plan shows the distribution its certificate only, and zCDP what is inside
    assert other >= tight - 2e-4


@pytest.mark.parametrize("event", PRICED, ids=name_of)
def test_the_best_accountant_is_the_least(event):
    answers = [priced(event, name) for name in ACCOUNTANTS]
    assert epsilon_for(event, DELTA).epsilon == min(answer for answer in answers if answer is not None)


@pytest.mark.parametrize("event", PRICED, ids=name_of)
def test_sealing_changes_no_price(event):
    assert (
        epsilon_for(SealedPlan(event, DELTA), DELTA).epsilon
        <= epsilon_for(event, DELTA).epsilon * (1 + 1e-9) + 1e-9
    )


@pytest.mark.parametrize("event", PRICED, ids=name_of)
def test_replacing_is_priced_alike_or_refused(event):
    try:
        replaced = epsilon_for(event, DELTA, change=Change.REPLACE).epsilon
    except UnsupportedEvent:
        assert "sampled" in event.kind
        return
    assert replaced == epsilon_for(event, DELTA).epsilon


@pytest.mark.parametrize("event", [EXAMPLES["non-private"], EXAMPLES["unsupported"]], ids=name_of)
@pytest.mark.parametrize("cost", [pure_cost, zcdp_cost])
def test_what_has_no_price_is_refused_alone_and_in_company(event, cost):
    for composed in (
        event,
        Composed([EXAMPLES["laplace"], event]),
        Repeated(event, 2),
        SealedPlan(event, "1e-6"),
    ):
        with pytest.raises(UnsupportedEvent):
            cost(composed)
