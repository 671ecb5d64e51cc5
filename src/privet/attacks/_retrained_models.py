"""How a released model of a table is trained again: the same columns in the same levels, the same kind of learner, no noise.

Shadow models of it are trained without noise on purpose. They show what the model would remember if its noise, its
clipping or its sampling were broken, which is what an attack on a promise looks for; and whatever shadows are compared
with, a promise that is kept is not contradicted.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.artifact import Features, ReleasedModel, as_arrow, as_text
from privet.engine import quiet

if TYPE_CHECKING:
    from numpy.typing import NDArray

_RIDGE = 10.0  # inverse penalty: a light one, so that shadows remember
_ROUNDS = 300


def twin_of(model: ReleasedModel) -> dict[str, Any] | None:
    """The fields of the recipe of a model of classes; None for models of numbers, which give no probabilities."""
    if model.target.kind != "classes":
        return None
    hidden = int(model.fitted.weights["hidden"].shape[1]) if model.fitted.kind == "network" else 0
    shape = model.fitted.weights["splits"].shape if model.fitted.kind == "trees" else (0, 0)
    trees, depth = int(shape[0]), int(shape[1])
    described = [model.features.to_json(), model.target.to_json(), hidden, _RIDGE, _ROUNDS]
    said = json.dumps([*described, trees, depth] if trees else described)
    indicators = Indicators(model.features)
    return {
        "train": _GrownTwin(model.features, trees, depth) if trees else _Twin(indicators, hidden),
        "digest": hashlib.sha256(said.encode()).hexdigest(),
        "ridge": _RIDGE if not hidden and not trees and len(model.classes) == 2 else None,
        "numbers": indicators,
        "note": "Shadow models are of its kind and see its columns, and were trained without noise.",
    }


@dataclass(frozen=True)
class Indicators:
    """Records as the model sees them: one indicator for each level of each column."""

    features: Features

    def __call__(self, records: Any) -> Any:
        """A row of noughts and ones for each record, sparse: a table of a million rows stays small."""
        from scipy.sparse import csr_array

        codes = self.features.encode(as_arrow(records))
        places = (codes + self.features.offsets).ravel()
        ends = np.arange(0, codes.size + 1, codes.shape[1])
        return csr_array((np.ones(codes.size), places, ends), shape=(len(codes), self.features.levels))


@dataclass(frozen=True)
class _Twin:
    """Train one: a logistic regression on the indicators, or a network with one hidden layer."""

    indicators: Indicators
    hidden: int

    def __call__(self, features: Any, labels: Any, seed: int) -> Any:
        from sklearn.linear_model import LogisticRegression
        from sklearn.neural_network import MLPClassifier

        learner = (
            MLPClassifier((self.hidden,), activation="tanh", max_iter=_ROUNDS, random_state=seed)
            if self.hidden
            else LogisticRegression(C=_RIDGE, max_iter=_ROUNDS)
        )
        with quiet():  # a network that has not converged remembers less, and says so
            fitted = learner.fit(self.indicators(features), [as_text(label) for label in labels.tolist()])
        return _Trained(self.indicators, fitted)


@dataclass(frozen=True)
class _GrownTwin:
    """Train one: as many boosted trees of the same depth, grown on the levels themselves."""

    features: Features
    trees: int
    depth: int

    def __call__(self, features: Any, labels: Any, seed: int) -> Any:
        from sklearn.ensemble import HistGradientBoostingClassifier

        learner = HistGradientBoostingClassifier(
            max_iter=self.trees, max_depth=self.depth, early_stopping=False, random_state=seed
        )
        fitted = learner.fit(self._levels(features), [as_text(label) for label in labels.tolist()])
        return _Trained(self._levels, fitted)

    def _levels(self, records: Any) -> Any:
        return self.features.encode(as_arrow(records))


@dataclass(frozen=True)
class _Trained:
    """A trained twin, which takes records as the model does."""

    indicators: Callable[[Any], Any]
    fitted: Any

    @property
    def classes_(self) -> NDArray[Any]:
        return np.asarray(self.fitted.classes_)

    def predict_proba(self, records: Any) -> NDArray[np.float64]:
        return np.asarray(self.fitted.predict_proba(self.indicators(records)))
