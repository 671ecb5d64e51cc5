"""Keys that are not public: shown only where enough distinct persons stand behind them.

OpenDP has a thresholded Laplace too, but its 0.16 shows a key when the noisy count *reaches* the threshold
and accounts for a count that *exceeds* it. Here the comparison is strict, as the event says.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from privet.guarantee.events import ThresholdedKeys
from privet.ledger import Permit
from privet.mechanism import sampling
from privet.mechanism.opening import check_lined_up, open_keys, open_sealed
from privet.mechanism.proofs import proven
from privet.mechanism.saturation import add_noise
from privet.mechanism.scales import scale_of
from privet.sealed import Sealed, SealedKeys

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ShownKeys:
    """Which of the keys may be shown, and their noisy numbers of persons (zero for keys that may not).

    Both vectors have one entry for each key *in the data*, so their length is not public. `keys` holds the shown
    keys alone, in the data's order. Release the shown keys and nothing else, in an order that does not depend
    on the data, such as sorted.
    """

    shown: NDArray[np.bool_]
    persons: NDArray[np.int64]
    keys: pa.Table | None = None  # where sealed keys were given

    def __repr__(self) -> str:
        return f"<{int(np.count_nonzero(self.shown))} keys shown>"


@proven("thresholding.proof.md", digest="5b9f947380d5d8e7")
def thresholded_keys(persons: Sealed, permit: Permit, keys: SealedKeys | None = None) -> ShownKeys:
    """Noise the number of distinct persons of each key, and show the keys whose noisy number exceeds the threshold.

    Keys that nobody has are never shown. Sealed keys, one for each entry of `persons`, are opened where shown.

    Guarantee:
        (keys / scale, delta)-differential privacy, where delta bounds the chance that a key of a single
        person is shown: 1 - (1 - p)^keys with p = P[noise ≥ threshold].
    Assumes:
        A person counts once in a key and in at most the seal's `coordinates` keys.
    """
    check_lined_up(persons, keys)
    event, exact = open_sealed(persons, permit, ThresholdedKeys)
    scale = scale_of(event, persons.sensitivity)
    noisy = add_noise(exact, sampling.draw_discrete_laplace(len(exact), scale))
    shown = (exact > 0) & (noisy > drawn_threshold(event, scale))
    opened = None if keys is None else open_keys(keys, shown)
    return ShownKeys(shown, np.where(shown, noisy, 0), opened)


@proven("thresholding.proof.md", digest="9ddf55998111fe91")
def drawn_threshold(event: ThresholdedKeys, scale: float) -> int:
    """The threshold to compare with: one higher where the scale had to be rounded up, which alone would raise delta."""
    return event.threshold if Fraction(scale) == event.scale else event.threshold + 1
