"""Private responses: what a learner says of public points, for learners whose insides cannot be compared between halves.

The trees of two forests have nothing in common but what they say of the same point. So the points are public, and what leaves is a
probability for each class at each of them (Zhu et al. 2026). Probabilities move less between halves than labels, which jump.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.protect.pac._design_matrix import Array, Classes, DesignMatrix
from privet.protect.pac._linear_learners import training_rows

if TYPE_CHECKING:
    import pyarrow as pa

_LEVELS = 16  # of each feature, for trees
_GOLDEN = 0.6180339887498949


@dataclass(frozen=True, eq=False)
class TreeResponses:
    """A pruned decision tree, or a forest of them, at public points; thresholds lie on a public grid."""

    design: DesignMatrix
    target: Classes
    points: Array  # scaled
    trees: int
    depth: int
    leaf: float  # the least share of the rows in a leaf

    def __call__(self, rows: pa.Table) -> Array:
        """The probability of each class but the first, for each point."""
        from sklearn.ensemble import RandomForestClassifier
        from sklearn.tree import DecisionTreeClassifier

        points, codes, weights = training_rows(self.design, self.target, rows)
        pruned: dict[str, Any] = {
            "max_depth": self.depth,
            "min_weight_fraction_leaf": self.leaf,
            "random_state": 0,
        }
        # Every tree sees every row: with draws of its own, each tree would change with every row that comes or goes.
        learner = (
            DecisionTreeClassifier(**pruned)
            if self.trees == 1
            else RandomForestClassifier(self.trees, bootstrap=False, **pruned)
        )
        fitted = learner.fit(_levelled(points), codes, sample_weight=weights)
        return np.asarray(fitted.predict_proba(_levelled(self.points))[:, 1:], np.float64)


@dataclass(frozen=True, eq=False)
class EstimatorResponses:
    """What an estimator of scikit-learn's kind says of public points."""

    design: DesignMatrix
    target: Classes
    points: Array  # scaled
    estimator: Any
    labels: bool

    def __call__(self, rows: pa.Table) -> Array:
        """The probability, or with `labels` 0 or 1, of each class but the first, for each point."""
        from sklearn.base import clone

        points, codes, weights = training_rows(self.design, self.target, rows)
        points, codes = points[weights == 1], codes[weights == 1]  # not every estimator takes weights
        learner = clone(self.estimator)
        dice = {
            name: 0
            for name, value in learner.get_params().items()
            if name.endswith("random_state") and value is None
        }
        fitted = learner.set_params(**dice).fit(points, codes)
        found = np.zeros((len(self.points), len(self.target.values)))
        if self.labels or not hasattr(fitted, "predict_proba"):
            found[np.arange(len(found)), np.asarray(fitted.predict(self.points), np.int64)] = 1.0
        else:
            found[:, np.asarray(fitted.classes_, np.int64)] = fitted.predict_proba(self.points)
        return np.asarray(found[:, 1:])


@dataclass(frozen=True, eq=False)
class PacResponses:
    """Released responses: a class and probabilities for each public point."""

    classes: tuple[Any, ...]
    probabilities: Array
    labels: list[Any]

    @classmethod
    def read(cls, responses: Array, target: Classes) -> PacResponses:
        """From probabilities of all classes but the first, with noise: brought back between 0 and 1, and to a sum of 1."""
        rest = np.column_stack([1 - responses.sum(axis=1), responses])
        best = [target.values[int(at)] for at in rest.argmax(axis=1)]
        inside = np.clip(rest, 0, 1)
        return cls(target.values, inside / np.maximum(inside.sum(axis=1, keepdims=True), 1e-12), best)


def spread_points(number: int, features: int) -> Array:
    """So many points between the bounds that nobody's data went into: evenly, by multiples of the golden ratio's kin."""
    # Roberts' sequence: powers of the root of x^(d+1) = x + 1 fill d dimensions evenly, as the golden ratio fills one.
    root = 1 + _GOLDEN
    for _ in range(60):
        root = (1 + root) ** (1 / (features + 1))
    steps = root ** -np.arange(1, features + 1)
    return np.asarray(((0.5 + np.outer(np.arange(1, number + 1), steps)) % 1.0) * 2 - 1)


def _levelled(points: Array) -> Array:
    """Features on a public grid: halves then choose the same thresholds."""
    return np.asarray(np.floor((points + 1) / 2 * _LEVELS).clip(0, _LEVELS - 1))
