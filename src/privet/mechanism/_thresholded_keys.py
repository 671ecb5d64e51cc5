"""Keys that are not public: shown only where enough distinct persons stand behind them.

OpenDP has a thresholded Laplace too, but its 0.16 shows a key when the noisy count *reaches* the threshold
and accounts for a count that *exceeds* it. Here the comparison is strict, as the event says.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from privet.errors import OutOfRange, PermitMismatch
from privet.guarantee import ThresholdedKeys
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
from privet.mechanism._sealed_access import open_keys, open_sealed
from privet.sealed import Sealed, SealedKeys, Sensitivity


class ShownKeys:
    """Which of the keys may be shown, and their noisy numbers (zero for keys that may not): of persons or of rows.

    `shown` has one entry for each key *in the data* and `numbers` one for each part of it, so their lengths are not
    public. Release the shown
    keys and nothing else, in an order that does not depend on the data, such as sorted. Only
    `thresholded_keys` and `truncated_keys` make one, since it is what opens sealed keys.
    """

    __slots__ = ("numbers", "shown")

    shown: NDArray[np.bool_]
    numbers: NDArray[np.int64]

    def __init__(self, *_: object, **__: object) -> None:
        raise PermitMismatch(
            "which keys may be shown is drawn, not stated.", "Get it from thresholded_keys or truncated_keys."
        )

    def __setattr__(self, *_: object) -> NoReturn:
        raise PermitMismatch("which keys may be shown cannot be changed once it is drawn.")

    def __repr__(self) -> str:
        return f"<{int(np.count_nonzero(self.shown))} keys shown>"


@proven("thresholded_keys.proof.md", digest="594217946f3001e8", events=(ThresholdedKeys,))
def thresholded_keys(numbers: Sealed, permit: Permit) -> ShownKeys:
    """Noise the number of each key, or its two parts, and show the keys whose noisy number exceeds the threshold.

    The number is one of distinct persons, or any other that is zero for a key that nobody has, such as one of rows.
    Keys whose number is zero are never shown.

    Guarantee:
        (keys · reach / scale, delta)-differential privacy, where delta bounds the chance that a key of a single
        person is shown: 1 - (1 - p)^keys with p = P[noise > threshold - parts · reach].
    Assumes:
        A person counts in at most the seal's `blocks` keys, and numbers are not negative.
    """
    event, exact = open_sealed(numbers, permit, ThresholdedKeys)
    scale = scale_of(event, numbers.sensitivity)
    noisy = add_noise(exact, opendp_samplers.draw_discrete_laplace(len(exact), scale))
    there = exact.reshape(-1, event.parts).sum(axis=1) > 0
    shown = there & (noisy.reshape(-1, event.parts).sum(axis=1) > drawn_threshold(event, scale))
    return shown_keys(shown, np.where(shown.repeat(event.parts), noisy, 0))


@proven("thresholded_keys.proof.md", digest="08f322fcafc7d9ab", events=(ThresholdedKeys,))
def drawn_threshold(event: ThresholdedKeys, scale: float) -> int:
    """The threshold to compare with: one higher where the scale had to be rounded up, which alone would raise delta."""
    return event.threshold_at(scale)


@check_drawable.register(ThresholdedKeys)
@proven("thresholded_keys.proof.md", digest="d25bdbb4abb7e5d4")
def check_threshold(event: ThresholdedKeys, sensitivity: Sensitivity) -> None:
    """Refuse thresholds that no number reaches, and scales that are drawn rounded where delta has no room for it."""
    if event.threshold > LARGEST_THRESHOLD:
        raise OutOfRange("no key has that many persons.", "Check the threshold for a slip.")
    if event.reach * event.parts > 1:
        check_exact_scale(event, sensitivity)
    check_scale(event, sensitivity)


@proven("thresholded_keys.proof.md", digest="59ce243b0a64d06f")
def reveal_keys(keys: SealedKeys, shown: ShownKeys) -> dict[str, tuple[Any, ...]]:
    """The shown keys, column by column, in the order of the vectors in `shown`.

    Free: what drew `shown` has paid for them.

    Assumes:
        The keys belong to the numbers that `shown` was drawn for, entry by entry.
    """
    if type(shown) is not ShownKeys or type(keys) is not SealedKeys or len(keys) != len(shown.shown):
        raise PermitMismatch(
            "the keys do not line up with what was drawn.",
            "Take keys and numbers from the same engine verb, and `shown` from what drew it.",
        )
    return open_keys(keys, shown.shown)


@proven("thresholded_keys.proof.md", digest="c0316addc3e7b8f5")
def shown_keys(shown: NDArray[np.bool_], numbers: NDArray[np.int64]) -> ShownKeys:
    """What was drawn, in vectors that cannot be written to."""
    made = object.__new__(ShownKeys)
    for name, vector in (("shown", shown), ("numbers", numbers)):
        vector.setflags(write=False)
        object.__setattr__(made, name, vector)
    return made
