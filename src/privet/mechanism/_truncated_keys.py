"""Keys that are not public, selected with noise that is cut off: as many are shown as (epsilon, delta) allows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privet.errors import OutOfRange
from privet.guarantee import TruncatedKeys
from privet.ledger import Permit
from privet.mechanism import _opendp_samplers as opendp_samplers
from privet.mechanism._noise_scales import (
    LARGEST_THRESHOLD,
    check_drawable,
    check_exact_scale,
    check_scale,
    scale_of,
)
from privet.mechanism._proofs import proven
from privet.mechanism._saturation import add_noise
from privet.mechanism._sealed_access import open_sealed
from privet.mechanism._thresholded_keys import ShownKeys, shown_keys
from privet.sealed import Sealed, Sensitivity


@proven("truncated_keys.proof.md", digest="87e8891f31b0b4a1", events=(TruncatedKeys,))
def truncated_keys(persons: Sealed, permit: Permit) -> ShownKeys:
    """Noise the number of distinct persons of each key, and show the keys whose noisy number exceeds the noise's bound.

    Keys that nobody has are never shown.

    Guarantee:
        For each key (1 / scale, p)-differential privacy, where p is the chance that the noise takes its largest
        value; over the keys of one person (keys / scale, 1 - (1 - p)^keys).
    Assumes:
        A person counts once in a key and in at most the seal's `coordinates` keys.
    """
    event, exact = open_sealed(persons, permit, TruncatedKeys)
    noise = draw_truncated(len(exact), scale_of(event, persons.sensitivity), event.bound)
    noisy = add_noise(exact, noise)
    shown = (exact > 0) & (noisy > event.bound)
    return shown_keys(shown, np.where(shown, noisy, 0))


@proven("truncated_keys.proof.md", digest="7454aed2405defed")
def draw_truncated(n: int, scale: float, bound: int) -> NDArray[np.int64]:
    """`n` independent integers with P[z] proportional to exp(-|z| / scale) for |z| <= bound: what lies beyond is drawn anew."""
    noise = opendp_samplers.draw_discrete_laplace(n, scale)
    while (beyond := np.flatnonzero(np.abs(noise) > bound)).size:
        noise[beyond] = opendp_samplers.draw_discrete_laplace(beyond.size, scale)
    return noise


@check_drawable.register(TruncatedKeys)
@proven("truncated_keys.proof.md", digest="97cd3224666c9819")
def check_bound(event: TruncatedKeys, sensitivity: Sensitivity) -> None:
    """Refuse bounds that no number reaches, and scales that would be drawn rounded."""
    if event.bound > LARGEST_THRESHOLD:
        raise OutOfRange("no key has that many persons.", "Check the bound for a slip.")
    check_exact_scale(event, sensitivity)
    check_scale(event, sensitivity)
