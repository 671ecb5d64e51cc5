"""How much a text says that cannot be guessed from itself: its size after compression, as zlib has it."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

BANDS = ("low", "middle", "high")


def compressed_bits(text: str) -> int:
    """The bits of a text after compression: what Carlini et al. (2021) divide a log-probability by."""
    return 8 * len(zlib.compress(text.encode(errors="surrogatepass"), 9))


def entropy_rates(texts: Sequence[str]) -> NDArray[np.float64]:
    """Compressed bits for each byte: repeated phrases have few, random characters many."""
    return np.array([compressed_bits(one) / max(1, len(one.encode(errors="surrogatepass"))) for one in texts])


def entropy_bands(rates: NDArray[np.float64]) -> tuple[NDArray[np.int64], tuple[float, float]]:
    """Each text's third, and the two rates that part them."""
    if not len(rates):
        return np.empty(0, np.int64), (0.0, 0.0)
    low, high = (float(one) for one in np.quantile(rates, (1 / 3, 2 / 3)))
    return (rates > low).astype(np.int64) + (rates > high), (low, high)
