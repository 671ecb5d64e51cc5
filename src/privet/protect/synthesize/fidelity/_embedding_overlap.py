"""How near samples are to real ones where an embedder puts them: precision, recall and the Fréchet distance.

Precision is the share of synthetic points inside the real ones' manifold, recall the share of real points inside the
synthetic ones', where a manifold is the union of balls that reach to each point's k-th neighbour (Kynkäänniemi, Karras,
Laine, Lehtinen and Aila, "Improved Precision and Recall Metric", NeurIPS 2019). The Fréchet distance is that of two normal
distributions with the points' means and covariances (Dowson and Landau 1982). It depends on the embedder, so its name
goes with the figure; it is not the FID, which is about one network for photographs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
NEIGHBOURS = 3  # as in the paper
_CELLS = 4_000_000


@dataclass(frozen=True)
class EmbeddingOverlap:
    """What was found in the named embedding."""

    embedding: str
    precision: float
    recall: float
    frechet: float
    by_chance: float  # the Fréchet distance between two halves of the real samples
    points: tuple[int, int]  # of the twin, and real ones
    dimensions: int


def overlap(twin: Points, real: Points, halves: tuple[Points, Points], embedding: str) -> EmbeddingOverlap:
    """Compare points; rows that are nowhere (NaN) are left out."""
    fake, true = _there(twin), _there(real)
    return EmbeddingOverlap(
        embedding,
        precision=_inside(fake, true),
        recall=_inside(true, fake),
        frechet=frechet(fake, true),
        by_chance=frechet(_there(halves[0]), _there(halves[1])),
        points=(len(fake), len(true)),
        dimensions=int(true.shape[1]),
    )


def frechet(first: Points, second: Points) -> float:
    """The squared Fréchet distance of the two normal distributions; NaN where there are fewer than two points."""
    if min(len(first), len(second)) < 2:
        return float("nan")
    means = [side.mean(axis=0) for side in (first, second)]
    spreads = [np.atleast_2d(np.cov(side, rowvar=False)) for side in (first, second)]
    root = _root(spreads[0])
    shared = np.sqrt(np.clip(np.linalg.eigvalsh(root @ spreads[1] @ root), 0, None)).sum()
    found = ((means[0] - means[1]) ** 2).sum() + np.trace(spreads[0]) + np.trace(spreads[1]) - 2 * shared
    return float(max(0.0, found))


def _root(matrix: Points) -> Points:
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray((vectors * np.sqrt(np.clip(values, 0, None))) @ vectors.T)


def _there(points: Points) -> Points:
    found = np.asarray(points, float)
    return np.asarray(found[np.isfinite(found).all(axis=1)], float)


def _inside(asked: Points, manifold: Points) -> float:
    """The share of points that lie in a ball around some point of the manifold."""
    if len(manifold) <= NEIGHBOURS or not len(asked):
        return float("nan")
    reach = np.empty(len(manifold))
    for part, apart in _distances(manifold, manifold):
        # The point itself, at no distance, is among the nearest.
        reach[part] = np.partition(apart, NEIGHBOURS, axis=1)[:, NEIGHBOURS]
    hits = sum(
        int((apart <= reach * (1 + 1e-9) + 1e-12).any(axis=1).sum())
        for _, apart in _distances(asked, manifold)
    )
    return hits / len(asked)


def _distances(left: Points, right: Points) -> Iterator[tuple[slice, Points]]:
    """Squared distances, some rows at a time."""
    step = max(1, _CELLS // max(1, len(right)))
    lengths = (right**2).sum(axis=1)
    for start in range(0, len(left), step):
        part = slice(start, min(start + step, len(left)))
        some = left[part]
        yield part, np.clip((some**2).sum(axis=1)[:, None] + lengths - 2 * some @ right.T, 0, None)
