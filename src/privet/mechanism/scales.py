"""From exact event parameters to the floats that the sampler takes, always on the side of more noise.

OpenDP reads a float as the exact binary fraction it is, so the only rounding is the one here. What is checked
depends on the event and the sensitivity, both public; never on the exact answer.
"""

from __future__ import annotations

from fractions import Fraction

from privet.errors import InternalError, OutOfRange
from privet.guarantee.amounts import float_up, readable
from privet.guarantee.events import (
    DiscreteGaussian,
    DiscreteLaplace,
    Event,
    Exponential,
    PermuteAndFlip,
    RandomizedResponse,
    Repeated,
    ThresholdedKeys,
    TruncatedKeys,
)
from privet.mechanism.proofs import proven
from privet.sealed import Sensitivity

# Below the first, noise is zero for ever and a loss that no ledger admits; above the second, only noise is left.
LEAST_SCALE = Fraction(1, 2**40)
LARGEST_SCALE = Fraction(2**100)
LARGEST_BUCKETS = 2**32
LEAST_REPLACED = Fraction(1, 2**60)
LARGEST_THRESHOLD = 2**50


@proven("scales.proof.md", digest="f0e3b3b2690b94cc")
def exact_scale(event: Event, sensitivity: Sensitivity) -> Fraction:
    """The scale of the noise that the event asks for on an answer of this sensitivity."""
    if isinstance(event, DiscreteLaplace | ThresholdedKeys | TruncatedKeys):
        return event.scale
    if isinstance(event, DiscreteGaussian):
        return event.sigma
    if isinstance(event, Exponential | PermuteAndFlip):
        return 2 * sensitivity.largest / event.epsilon
    if isinstance(event, Repeated):
        return exact_scale(event.event, sensitivity)
    raise InternalError(f"a {event.kind} event has no scale.")


@proven("scales.proof.md", digest="1082b2555133a6c9")
def scale_of(event: Event, sensitivity: Sensitivity) -> float:
    """The smallest float not below the exact scale."""
    return float_up(exact_scale(event, sensitivity))


@proven("scales.proof.md", digest="1b532a5f251d0827")
def check_drawable(event: Event, sensitivity: Sensitivity) -> None:
    """Refuse parameters that the sampler cannot serve, before a permit is used for them."""
    if isinstance(event, RandomizedResponse):
        if event.buckets > LARGEST_BUCKETS:
            raise OutOfRange(
                f"randomised response over more than {LARGEST_BUCKETS} buckets is not drawn.",
                "Group the answers into fewer buckets.",
            )
        if event.p < LEAST_REPLACED:
            raise OutOfRange(
                "a probability this small replaces no answer in practice: nothing would be hidden.",
                f"Use p of at least {readable(LEAST_REPLACED)}.",
            )
        return
    if isinstance(event, ThresholdedKeys) and event.threshold > LARGEST_THRESHOLD:
        raise OutOfRange("no key has that many persons.", "Check the threshold for a slip.")
    if isinstance(event, TruncatedKeys) and event.bound > LARGEST_THRESHOLD:
        raise OutOfRange("no key has that many persons.", "Check the bound for a slip.")
    selected = isinstance(event, TruncatedKeys) or (
        isinstance(event, ThresholdedKeys) and event.reach * event.parts > 1
    )
    if selected and scale_of(event, sensitivity) != exact_scale(
        event, sensitivity
    ):  # exact: a float is compared with a fraction, and no digit is lost
        raise OutOfRange(
            "keys are selected like this for scales that are floats: a rounded one would raise delta.",
            "Use a scale such as calibration.laplace_scale gives.",
        )
    scale = exact_scale(event, sensitivity)
    if not LEAST_SCALE <= scale <= LARGEST_SCALE:
        raise OutOfRange(
            f"noise of scale {readable(scale)} is not drawn; the range is from 2^-40 to 2^100.",
            "Check the scale, the loss or the fixed-point step for a slip.",
        )
