"""Records of events: the same text for equal events, and no reading of what is not known."""

import json
import math

import pytest

from privet.errors import UnknownRecord, UnsupportedEvent
from privet.guarantee._composition import epsilon_for
from privet.guarantee._event_record import event_from_json
from privet.guarantee._events import (
    Composed,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    Opaque,
    PoissonSampled,
    Repeated,
    TruncatedPoissonSampled,
)
from privet.guarantee._expected_error import half_width, spread
from privet.guarantee._privacy_units import Change


def test_what_equals_its_default_is_left_out() -> None:
    """A parameter that is added later has a default, and records from before must stay the same text."""
    assert DiscreteLaplace(3).to_json() == {"kind": "discrete-laplace", "scale": "3"}
    assert DiscreteLaplace(3, 2).to_json() == {"kind": "discrete-laplace", "scale": "3", "sensitivity": 2}


def test_the_text_of_an_event_is_sorted_and_without_spaces() -> None:
    event = Repeated(DiscreteLaplace(3, 2), 4)
    assert event.canonical() == (
        '{"count":4,"event":{"kind":"discrete-laplace","scale":"3","sensitivity":2},"kind":"repeated"}'
    )
    assert event_from_json(json.loads(event.canonical())) == event


@pytest.mark.parametrize(
    "record",
    [
        {"kind": "no-such-noise", "scale": "3"},
        {"scale": "3"},
        {"kind": "discrete-laplace", "scale": "3", "colour": "red"},
        {"kind": "discrete-laplace"},
        {"kind": "repeated", "count": 2, "event": {"kind": "no-such-noise"}},
        {"kind": "composed", "events": [{"kind": "discrete-laplace", "scale": "3", "colour": "red"}]},
    ],
)
def test_what_is_not_known_is_refused(record) -> None:
    """Guessing could only understate a loss."""
    with pytest.raises(UnknownRecord):
        event_from_json(record)


@pytest.mark.parametrize("accountant", ["pld", "rdp"])
@pytest.mark.parametrize(
    "event", [PoissonSampled("0.1", Gaussian(2)), TruncatedPoissonSampled("0.1", 90, 1000, Gaussian(2))]
)
def test_sampling_says_nothing_of_units_that_are_replaced(event, accountant) -> None:
    with pytest.raises(UnsupportedEvent, match=r"replace|add"):
        epsilon_for(event, "1e-6", accountant=accountant, change=Change.REPLACE)


def test_deltas_of_events_are_taken_off_the_one_asked_for() -> None:
    """Under zCDP: what is left of delta pays for turning rho into epsilon, and where nothing is left there is none."""
    event = Composed([Gaussian(10), Opaque("0.1", "9e-7")])
    tight, loose = (epsilon_for(event, delta, accountant="zcdp").epsilon for delta in ("1e-6", "1e-3"))
    plain = epsilon_for(Composed([Gaussian(10), Opaque("0.1")]), "1e-7", accountant="zcdp").epsilon
    assert tight == pytest.approx(plain, rel=1e-6)
    assert loose < tight
    assert math.isinf(epsilon_for(event, "9e-7", accountant="zcdp").epsilon)


def test_compositions_add_no_noise_to_a_number() -> None:
    for asked in (spread, lambda event: half_width(event, 0.95)):
        with pytest.raises(UnsupportedEvent, match="adds no noise"):
            asked(Composed([Laplace(2)]))
