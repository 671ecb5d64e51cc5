"""What a mechanism answers where it knows nothing better, and the parameters it declares."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import pytest

from privet.errors import BadAmount, UnsupportedEvent
from privet.guarantee.mechanisms._capsule import (
    CONFIDENCE,
    LARGEST_INTEGER_SCALE,
    Mechanism,
    Notation,
    Parameter,
    PartitionSelection,
    costlier,
    no_noise,
    normal_quantile,
    safer,
)
from privet.sealed import Sensitivity


@dataclass(frozen=True)
class Unpriced(Mechanism):
    """A mechanism that overrides nothing; without a kind, so that no registry learns of it."""

    notation: ClassVar[Notation] = Notation("unpriced", (), "")


def test_what_nothing_is_known_of_has_no_price_covers_nothing_and_draws_nothing():
    event = Unpriced()
    assert event.basic_cost() is None
    assert event.concentrated_cost() is None
    assert event.renyi_curve() is None
    assert event.loss_distribution(1e-3) is None
    assert event.merged_gaussian() is None
    assert event.sampled_distribution(Fraction(1, 2), 1e-3) is None
    moved = Sensitivity(1, 1, 1)
    assert event.covers(moved) is False
    assert event.noise_scale(moved) is None
    for ask in (event.spread, lambda: event.half_width(0.95), event.expectation):
        with pytest.raises(UnsupportedEvent):
            ask()
    assert event.stage("the count") == "Noise the count"


def test_what_a_mechanism_is_unless_it_says_otherwise():
    assert Unpriced.hides_presence is True
    assert not any((Unpriced.is_gaussian, Unpriced.chooses, Unpriced.reveals_keys))
    assert issubclass(PartitionSelection, Mechanism)


@pytest.mark.parametrize("confidence", [0, 1, -0.1, 1.1])
def test_a_confidence_lies_between_zero_and_one(confidence):
    with pytest.raises(BadAmount):
        Unpriced().half_width(confidence)


def test_parameters_say_which_way_they_move_the_loss():
    assert safer("scale") == Parameter("scale", whole=False, optional=False, larger_is_safer=True)
    assert safer("threshold", whole=True).whole is True
    assert costlier("keys", whole=True, optional=True) == Parameter("keys", True, True, False)
    assert costlier("q") == Parameter("q")
    assert Parameter("q").larger_is_safer is False


@pytest.mark.parametrize(
    ("confidence", "quantile"),
    [(0.5, 0.6744897501960817), (0.95, 1.959963984540054), (0.99, 2.5758293035489004), (1 - 1e-15, 8.027)],
)
def test_normal_quantiles_keep_their_digits_in_the_tail(confidence, quantile):
    assert normal_quantile(confidence) == pytest.approx(quantile, rel=2e-3 if confidence > 0.999 else 1e-9)


def test_a_refusal_names_the_kind():
    from privet.guarantee.mechanisms import Exponential

    assert no_noise(Exponential(1)).details["kind"] == "exponential"


def test_constants():
    assert Fraction(2**62) == LARGEST_INTEGER_SCALE
    assert pytest.approx(0.95) == CONFIDENCE
