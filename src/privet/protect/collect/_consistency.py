"""Estimates that add up and are not negative, made from unbiased ones. They are closer on the whole and biased one by one."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def norm_sub(counts: Floats, total: float) -> Floats:
    """The nearest counts that are not negative and add up to the total (Norm-Sub; Wang et al., NDSS 2020)."""
    falling = np.sort(counts)[::-1]
    excess = (np.cumsum(falling) - total) / np.arange(1, len(counts) + 1)
    last = int(np.flatnonzero(falling > excess)[-1]) if (falling > excess).any() else 0
    return np.asarray(np.maximum(counts - excess[last], 0.0))


def base_cut(counts: Floats, errors: Floats, *, alarms: float = 0.05) -> Floats:
    """Counts that noise alone would not reach among so many values, and 0 for the others (Base-Cut, the same source)."""
    threshold = NormalDist().inv_cdf(1 - alarms / len(counts)) * errors
    return np.where(counts > threshold, counts, 0.0)
