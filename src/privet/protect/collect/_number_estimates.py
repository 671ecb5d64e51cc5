"""The mean of numbers, without bias, and how they are distributed, from the tallies of sliding windows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.guarantee.oracles import Hybrid, WindowResponse
from privet.protect.collect._tallies import Cells

_BINS, _ROUNDS, _STOP = 64, 2_000, 1e-7


def mean_share(oracle: WindowResponse, cells: Cells) -> tuple[float, float]:
    """The mean of the shares of the bounds, and its standard error: that of the noise alone, exact up to the second moment."""
    reports = int(cells.sum())
    each = decoded(oracle)
    mean, second = float(cells @ each) / reports, float(cells @ each**2) / reports
    # The variance of one report is a parabola in its number; its mean needs the mean square, which the reports give.
    ends = [oracle.share_variance(share) for share in (0.0, 0.5, 1.0)]
    start, bend = ends[0], 2 * (ends[0] + ends[2]) - 4 * ends[1]
    slope = ends[2] - ends[0] - bend
    # Duchi's outputs have one square whatever the number is: there the mean itself bounds the mean square from below.
    square = (second - start - slope * mean) / (1 + bend) if 1 + bend > 1e-6 else mean**2
    noise = start + slope * mean + bend * min(max(square, mean**2), 1.0)
    return mean, math.sqrt(max(noise, 0.0) / reports)


def decoded(oracle: WindowResponse) -> NDArray[np.float64]:
    """What each output says of the share, without bias."""
    slope, start = oracle.line()
    found = (np.arange(oracle.outputs) - start) / (slope * oracle.steps)
    return np.asarray(np.concatenate([found, decoded(oracle.coin)]) if isinstance(oracle, Hybrid) else found)


def distribution(oracle: WindowResponse, cells: Cells, *, bins: int = _BINS) -> NDArray[np.float64]:
    """The shares of people in equal bins, by expectation maximisation with smoothing (Li et al., SIGMOD 2020)."""
    likely = bin_matrix(oracle, bins)
    edges = np.linspace(0, oracle.outputs, likely.shape[0] + 1).round().astype(int)
    seen = np.add.reduceat(cells[: oracle.outputs], edges[:-1]).astype(np.float64)
    shares = np.full(bins, 1 / bins)
    for _ in range(_ROUNDS):
        expected = likely @ shares
        new = shares * (likely.T @ (seen / np.maximum(expected, 1e-300)))
        new = smoothed(new / new.sum())
        if np.abs(new - shares).sum() < _STOP:
            return new
        shares = new
    return shares


def smoothed(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Each bin with a quarter of its neighbours on both sides."""
    wide = np.pad(shares, 1, mode="edge")
    found = wide[:-2] / 4 + wide[1:-1] / 2 + wide[2:] / 4
    return np.asarray(found / found.sum())


def bin_matrix(oracle: WindowResponse, bins: int) -> NDArray[np.float64]:
    """The probability of each group of outputs for a number in each bin, at the bin's middle and its two quarters."""
    high, low = map(float, oracle.chances())
    groups = min(4 * bins, oracle.outputs)
    edges = np.linspace(0, oracle.outputs, groups + 1).round()
    found: Any = np.zeros((groups, bins))
    for part in (0.25, 0.5, 0.75):
        starts = (np.arange(bins) + part) / bins * oracle.steps
        inside = np.minimum(edges[1:, None], starts + oracle.window) - np.maximum(edges[:-1, None], starts)
        found += low * np.diff(edges)[:, None] + (high - low) * np.maximum(inside, 0)
    return np.asarray(found / 3)
