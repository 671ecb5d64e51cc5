"""The adversary's own learners: boosted trees on one thread, since many threads on little data only wait."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ROUNDS = 60


@dataclass(frozen=True)
class AdversaryLearner:
    """A fitted learner."""

    fitted: Any

    def predict(self, seen: NDArray[np.float64]) -> NDArray[Any]:
        """Its guess for each row."""
        return self._asked("predict", seen)

    def decision(self, seen: NDArray[np.float64]) -> NDArray[np.float64]:
        """The log odds of the second of two classes."""
        return self._asked("decision_function", seen)

    def _asked(self, what: str, seen: NDArray[np.float64]) -> NDArray[Any]:
        from threadpoolctl import threadpool_limits

        with threadpool_limits(1, "openmp"):
            return np.asarray(getattr(self.fitted, what)(seen))


def classifier(seen: NDArray[np.float64], codes: NDArray[Any], rounds: int = _ROUNDS) -> AdversaryLearner:
    """Trees that tell the codes."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    return _fit(HistGradientBoostingClassifier(max_iter=rounds, early_stopping=False), seen, codes)


def quantile_regressor(
    seen: NDArray[np.float64], values: NDArray[np.float64], level: float
) -> AdversaryLearner:
    """Trees that tell a quantile of the values."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    smallest = max(5, min(20, len(values) // 10))
    trees = HistGradientBoostingRegressor(
        loss="quantile", quantile=level, max_iter=_ROUNDS, min_samples_leaf=smallest, early_stopping=False
    )
    return _fit(trees, seen, values)


def _fit(trees: Any, seen: NDArray[np.float64], wanted: NDArray[Any]) -> AdversaryLearner:
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1, "openmp"):
        return AdversaryLearner(trees.fit(seen, wanted))
