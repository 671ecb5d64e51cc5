"""Trees of noisy counts made to add up: the least-squares estimate, and how it weighs the noise.

Every node of a full tree was counted with independent noise of one variance. Among all trees in which parents are the
sums of their children, the nearest one in squares is found by one pass up and one down (Hay, Rastogi, Miklau and Suciu
2010, Theorem 3). It is linear and unbiased, so the variance of anything read off it is known beforehand.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def consistent(noisy: NDArray[Any], sizes: Sequence[int]) -> list[NDArray[np.float64]]:
    """For each level from the top, the estimates of its nodes; the last axis of `noisy` holds all levels in order."""
    ends = np.cumsum(sizes)[:-1]
    levels = [np.asarray(level, np.float64) for level in np.split(noisy, ends, axis=-1)]
    branching = sizes[1] // sizes[0] if len(sizes) > 1 else 1
    up = list(levels)
    for at in range(len(sizes) - 2, -1, -1):
        height = len(sizes) - at
        whole, part = float(branching**height), float(branching ** (height - 1))
        below = _sums(up[at + 1], branching)
        up[at] = ((whole - part) * levels[at] + (part - 1) * below) / (whole - 1)
    down = [up[0]]
    for at in range(1, len(sizes)):
        short = (down[at - 1] - _sums(up[at], branching)) / branching
        down.append(up[at] + np.repeat(short, branching, axis=-1))
    return down


def _sums(level: NDArray[np.float64], branching: int) -> NDArray[np.float64]:
    added: NDArray[np.float64] = level.reshape(*level.shape[:-1], -1, branching).sum(axis=-1)
    return added


def running(noisy: NDArray[Any], sizes: Sequence[int]) -> NDArray[np.float64]:
    """The estimated number of rows below each edge of the bins, from none to all."""
    leaves = consistent(noisy, sizes)[-1]
    below = np.cumsum(leaves, axis=-1)
    return np.concatenate([np.zeros((*below.shape[:-1], 1)), below], axis=-1)


@lru_cache(maxsize=8)
def edge_weights(sizes: tuple[int, ...]) -> NDArray[np.float64]:
    """By edge and node: how much a node's noise moves the estimated number of rows below the edge."""
    nodes = sum(sizes)
    found = np.empty((sizes[-1] + 1, nodes))
    for start in range(0, nodes, 256):
        units = np.eye(nodes)[start : start + 256]
        found[:, start : start + 256] = running(units, sizes).T
    return found


def deviations(sizes: tuple[int, ...], share: float) -> NDArray[np.float64]:
    """For noise of variance 1, by edge: the standard deviation of (rows below the edge) - share · (all rows)."""
    weights = edge_weights(sizes)
    found: NDArray[np.float64] = np.sqrt(np.sum((weights - share * weights[-1:]) ** 2, axis=1))
    return found
