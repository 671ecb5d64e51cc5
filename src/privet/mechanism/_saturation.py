"""Adding noise inside 64-bit integers without ever failing because of the data.

An overflow error would say something about the exact answer, and so would a wrap-around. So exact values are
clamped before noise is added (no one's influence grows), and sums are clamped after it (post-processing).
The three limits are chosen so that clamping the noise cannot be noticed; see `saturation.proof.md`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privet.mechanism._proofs import proven

LARGEST_EXACT = 2**60
LARGEST_RELEASED = 2**61
LARGEST_NOISE = 2**62


@proven("saturation.proof.md", digest="dec51aa8f5c3b3ee")
def clamp_exact(exact: NDArray[np.int64]) -> NDArray[np.int64]:
    """A fresh vector of the exact values, each at most 2^60 from zero."""
    return np.clip(exact, -LARGEST_EXACT, LARGEST_EXACT)


@proven("saturation.proof.md", digest="f29b828dc4de29a4")
def add_noise(exact: NDArray[np.int64], noise: NDArray[np.int64]) -> NDArray[np.int64]:
    """The sum of clamped values and noise, at most 2^61 from zero."""
    tamed = np.clip(noise, -LARGEST_NOISE, LARGEST_NOISE)
    total: NDArray[np.int64] = exact + tamed
    return np.clip(total, -LARGEST_RELEASED, LARGEST_RELEASED)
