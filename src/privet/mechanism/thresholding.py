"""Keys that are not public: shown only where enough distinct persons stand behind them.

OpenDP has a thresholded Laplace too, but its 0.16 shows a key when the noisy count *reaches* the threshold
and accounts for a count that *exceeds* it. Here the comparison is strict, as the event says.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from privet.errors import PermitMismatch
from privet.guarantee.events import ThresholdedKeys
from privet.ledger import Permit
from privet.mechanism import sampling
from privet.mechanism.opening import open_keys, open_sealed
from privet.mechanism.proofs import proven
from privet.mechanism.saturation import add_noise
from privet.mechanism.scales import scale_of
from privet.sealed import Sealed, SealedKeys


class ShownKeys:
    """Which of the keys may be shown, and their noisy numbers of persons (zero for keys that may not).

    Both vectors have one entry for each key *in the data*, so their length is not public. Release the shown
    keys and nothing else, in an order that does not depend on the data, such as sorted. Only
    `thresholded_keys` and `truncated_keys` make one, since it is what opens sealed keys.
    """

    __slots__ = ("persons", "shown")

    shown: NDArray[np.bool_]
    persons: NDArray[np.int64]

    def __init__(self, *_: object, **__: object) -> None:
        raise PermitMismatch(
            "which keys may be shown is drawn, not stated.", "Get it from thresholded_keys or truncated_keys."
        )

    def __setattr__(self, *_: object) -> NoReturn:
        raise PermitMismatch("which keys may be shown cannot be changed once it is drawn.")

    def __repr__(self) -> str:
        return f"<{int(np.count_nonzero(self.shown))} keys shown>"


@proven("thresholding.proof.md", digest="c3c9660a7a28bc3e")
def thresholded_keys(persons: Sealed, permit: Permit) -> ShownKeys:
    """Noise the number of distinct persons of each key, and show the keys whose noisy number exceeds the threshold.

    Keys that nobody has are never shown.

    Guarantee:
        (keys / scale, delta)-differential privacy, where delta bounds the chance that a key of a single
        person is shown: 1 - (1 - p)^keys with p = P[noise ≥ threshold].
    Assumes:
        A person counts once in a key and in at most the seal's `coordinates` keys.
    """
    event, exact = open_sealed(persons, permit, ThresholdedKeys)
    scale = scale_of(event, persons.sensitivity)
    noisy = add_noise(exact, sampling.draw_discrete_laplace(len(exact), scale))
    shown = (exact > 0) & (noisy > drawn_threshold(event, scale))
    return shown_keys(shown, np.where(shown, noisy, 0))


@proven("thresholding.proof.md", digest="6d5b3a61f5612564")
def drawn_threshold(event: ThresholdedKeys, scale: float) -> int:
    """The threshold to compare with: one higher where the scale had to be rounded up, which alone would raise delta."""
    return event.threshold if Fraction(scale) == event.scale else event.threshold + 1


@proven("thresholding.proof.md", digest="c125659748f57db5")
def reveal_keys(keys: SealedKeys, shown: ShownKeys) -> dict[str, tuple[Any, ...]]:
    """The shown keys, column by column, in the order of the vectors in `shown`.

    Free: what drew `shown` has paid for them.

    Assumes:
        The keys belong to the persons that `shown` was drawn for, entry by entry.
    """
    if type(shown) is not ShownKeys or type(keys) is not SealedKeys or len(keys) != len(shown.shown):
        raise PermitMismatch(
            "the keys do not line up with what was drawn.",
            "Take keys and persons from the same engine verb, and `shown` from what drew it.",
        )
    return open_keys(keys, shown.shown)


@proven("thresholding.proof.md", digest="f70ddea4dc1e4565")
def shown_keys(shown: NDArray[np.bool_], persons: NDArray[np.int64]) -> ShownKeys:
    """What was drawn, in vectors that cannot be written to."""
    made = object.__new__(ShownKeys)
    for name, vector in (("shown", shown), ("persons", persons)):
        vector.setflags(write=False)
        object.__setattr__(made, name, vector)
    return made
