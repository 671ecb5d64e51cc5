"""What reaches the book is of a known kind with checked parameters, or nothing is booked."""

from fractions import Fraction
from functools import reduce
from typing import ClassVar

import pytest

from privet.errors import BadBooking, EventNotPriced, PrivetError
from privet.guarantee._costs import BasicCost
from privet.guarantee._events import (
    Composed,
    DiscreteLaplace,
    Event,
    Opaque,
    Repeated,
    SealedPlan,
    event_from_json,
    event_kinds,
)
from privet.guarantee._privacy_units import Row
from privet.guarantee._promise_registry import (
    ApproxDP,
    KAnonymity,
    LDiversity,
    LocalDP,
    PacPrivacy,
    PureDP,
)
from privet.ledger import Ledger
from privet.ledger._booking_requests import Note, known_event, without_budget


def test_a_subclass_does_not_take_the_name_of_its_parent_in_records():
    assert Underpriced.kind == DiscreteLaplace.kind
    assert event_kinds()[DiscreteLaplace.kind] is DiscreteLaplace
    assert type(event_from_json(DiscreteLaplace(3).to_json())) is DiscreteLaplace


def test_known_events_pass_unchanged():
    event = SealedPlan(Composed([DiscreteLaplace(3), Opaque("0.1", "1e-9")]), 1e-6)
    assert known_event(event) == event


def forged(**fields):
    event = Opaque(1)
    for name, value in fields.items():
        object.__setattr__(event, name, value)
    return event


class Homemade(DiscreteLaplace):
    """An event a caller made up: an accountant could take it for its cheaper parent."""

    kind: ClassVar[str] = ""


class Underpriced(DiscreteLaplace):
    """One that keeps the name of a known event and states a price of its own."""

    def basic_cost(self):
        return BasicCost(Fraction(0))


BAD = {
    "not an event": lambda: 0.5,
    "none": lambda: None,
    "its class": lambda: Opaque,
    "homemade": lambda: Homemade(10**6),
    "underpriced": lambda: Underpriced(1),
    "underpriced inside": lambda: Composed([Underpriced(1)]),
    "homemade inside": lambda: Composed([Homemade(10**6)]),
    "the abstract event": Event,
    "zero": lambda: forged(epsilon=Fraction(0)),
    "negative": lambda: forged(epsilon=Fraction(-1)),
    "subnormal": lambda: forged(epsilon=Fraction(5e-324)),
    "not a number": lambda: forged(epsilon=float("nan")),
    "infinite": lambda: forged(epsilon=float("inf")),
    "text": lambda: forged(epsilon="a lot"),
    "beyond floats": lambda: DiscreteLaplace("1e-299", 10**400),
    "endlessly nested": lambda: reduce(lambda inner, _: Composed([inner]), range(5000), Opaque(1)),
}


@pytest.mark.parametrize("how", BAD)
def test_bad_events_are_refused_with_nothing_booked(how, tmp_path):
    with Ledger(tmp_path / "l", limit=ApproxDP(3, 1e-6), unit=Row()) as ledger:
        with pytest.raises(PrivetError):
            ledger.charge(BAD[how](), why="bad")
        assert [entry.kind for entry in ledger.history()] == ["open"]
        assert ledger.balance().spent == {"epsilon": 0, "delta": 0}


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1, 0, 5e-324])
def test_bad_parameters_never_become_an_event(value):
    with pytest.raises(PrivetError):
        Opaque(value)


def test_an_unknown_class_has_no_price():
    with pytest.raises(EventNotPriced):
        known_event(Homemade(2))


@pytest.mark.parametrize(
    "promise", [PureDP(1), ApproxDP(1, 1e-6), LocalDP(1) & PureDP(1), KAnonymity(5) & PureDP(1), 5]
)
def test_differential_privacy_is_never_just_recorded(promise):
    with pytest.raises(BadBooking):
        without_budget(promise)


def test_other_promises_may_be_recorded():
    for promise in (KAnonymity(5) & LDiversity("d", 2), PacPrivacy("0.1")):
        assert without_budget(promise) == promise


def test_a_note_keeps_the_questions_digest_only():
    record = Note.of("why", question="WHERE name = 'ann'").to_json()
    assert len(record["question"]) == 64
    assert "ann" not in str(record)


@pytest.mark.parametrize("wrap", [lambda event: Composed([event]), lambda event: Repeated(event, 2)])
def test_fifty_levels_are_the_deepest(wrap):
    deep = DiscreteLaplace(10)
    for _ in range(49):
        deep = wrap(deep)
    assert known_event(deep) == deep
    with pytest.raises(BadBooking, match="50 levels"):
        known_event(wrap(deep))


def test_an_unknown_class_is_found_wherever_it_stands():
    class Cheap(DiscreteLaplace):
        """A subclass that could state a price of its own; without a kind of its own no registry learns of it."""

    for event in (Cheap(10), Composed([DiscreteLaplace(10), Cheap(10)]), Repeated(Cheap(10), 2)):
        with pytest.raises(EventNotPriced):
            known_event(event)
