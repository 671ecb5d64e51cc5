"""What is believed of many means of which few are not zero, after each was seen with normal noise of known size.

Each mean is zero with a share that is the same for all, or normal around zero with one spread (a spike and a slab: Mitchell and
Beauchamp 1988). Share and spread are fitted to what was seen by expectation-maximisation (Johnstone and Silverman 2004 show
what such a fit is worth). All of it is arithmetic on noisy figures, so it costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

ROUNDS = 30
RAREST, COMMONEST = 0.01, 0.9  # the share of means that are not zero stays between these
THINNEST = 0.1  # the slab's variance is at least this part of the least noise


@dataclass(frozen=True, eq=False)
class Posterior:
    """Of each mean: what it is expected to be, what its square is, and how likely it is not zero."""

    mean: NDArray[np.float64]
    square: NDArray[np.float64]
    present: NDArray[np.float64]


def posterior(seen: NDArray[np.float64], variance: NDArray[np.float64]) -> Posterior:
    """Of means that were seen with independent normal noise of these variances."""
    share, spread = 0.1, max(5 * float((seen**2 - variance).mean()), float(variance.mean()))
    for _ in range(ROUNDS):
        found = _believed(seen, variance, share, spread)
        many = float(found.present.sum())
        share = float(np.clip((many + 0.5) / (len(seen) + 1), RAREST, COMMONEST))
        spread = max(float(found.square.sum()) / max(many, 1e-9), THINNEST * float(variance.min()))
    return _believed(seen, variance, share, spread)


def _believed(
    seen: NDArray[np.float64], variance: NDArray[np.float64], share: float, spread: float
) -> Posterior:
    wide = variance + spread
    empty = np.log(1 - share) - np.log(variance) / 2 - seen**2 / variance / 2
    there = np.log(share) - np.log(wide) / 2 - seen**2 / wide / 2
    present = 1 / (1 + np.exp(np.clip(empty - there, -500, 500)))
    mean = spread / wide * seen
    return Posterior(present * mean, present * (mean**2 + spread * variance / wide), present)
