"""From exact event parameters to the floats that the sampler takes, always on the side of more noise.

OpenDP reads a float as the exact binary fraction it is, so the only rounding is the one here. What is checked
depends on the event and the sensitivity, both public; never on the exact answer.
"""

from __future__ import annotations

from fractions import Fraction
from functools import singledispatch

from privet.errors import InternalError, OutOfRange
from privet.guarantee import Event, Repeated, float_up, readable
from privet.guarantee.mechanisms import Mechanism
from privet.mechanism._proofs import proven
from privet.sealed import Sensitivity

# Below the first, noise is zero for ever and a loss that no ledger admits; above the second, only noise is left.
LEAST_SCALE = Fraction(1, 2**40)
LARGEST_SCALE = Fraction(2**100)
LARGEST_THRESHOLD = 2**50  # what no key's number exceeds


@proven("noise_scales.proof.md", digest="7a0308509e46a513")
def exact_scale(event: Event, sensitivity: Sensitivity) -> Fraction:
    """The scale of the noise that the event asks for on an answer of this sensitivity."""
    if isinstance(event, Repeated):
        return exact_scale(event.event, sensitivity)
    scale = event.noise_scale(sensitivity) if isinstance(event, Mechanism) else None
    if scale is None:
        raise InternalError(f"a {event.kind} event has no scale.")
    return scale


@proven("noise_scales.proof.md", digest="25a37b9ac942c535")
def scale_of(event: Event, sensitivity: Sensitivity) -> float:
    """The smallest float not below the exact scale."""
    return float_up(exact_scale(event, sensitivity))


@singledispatch
@proven("noise_scales.proof.md", digest="729e385e81b1313d")
def check_drawable(event: Event, sensitivity: Sensitivity) -> None:
    """Refuse parameters that the sampler cannot serve, before a permit is used for them.

    A draw whose sampler has other limits than a scale's registers its own check here.
    """
    check_scale(event, sensitivity)


@proven("noise_scales.proof.md", digest="6732bb661e5b9e87")
def check_scale(event: Event, sensitivity: Sensitivity) -> None:
    """Refuse scales outside the range that is drawn."""
    scale = exact_scale(event, sensitivity)
    if not LEAST_SCALE <= scale <= LARGEST_SCALE:
        raise OutOfRange(
            f"noise of scale {readable(scale)} is not drawn; the range is from 2^-40 to 2^100.",
            "Check the scale, the loss or the fixed-point step for a slip.",
        )


@proven("noise_scales.proof.md", digest="c1881a27ab1c9e3f")
def check_exact_scale(event: Event, sensitivity: Sensitivity) -> None:
    """Refuse scales that are not floats, for draws whose delta rises with the scale."""
    rounded, stated = scale_of(event, sensitivity), exact_scale(event, sensitivity)
    if rounded != stated:  # exact: a float is compared with a fraction, and no digit is lost
        raise OutOfRange(
            "keys are selected like this for scales that are floats: a rounded one would raise delta.",
            "Use a scale such as calibration.laplace_scale gives.",
        )
