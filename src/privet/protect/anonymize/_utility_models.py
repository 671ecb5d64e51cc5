"""Models that are trained to see what a table is still good for: scikit-learn's where it is installed, else an own one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Cells = Sequence[NDArray[np.bool_]]
Predict = Callable[[Floats], Ints]

_ROUNDS = 60
_FILLS = 4
_GOLDEN, _SILVER = 0.6180339887498949, 0.4142135623730951
_RIDGE = 1e-3


@dataclass(frozen=True)
class UtilityLearner:
    """A way of training. The same rows give the same model.

    `exact` makes features of codes, `published` of cells that stand for several codes each (rows by codes, for each
    column) together with the row that each line of features is of. `learn` makes a function that answers.
    """

    name: str
    exact: Callable[[Ints, Cells], Floats]
    published: Callable[[Cells], tuple[Floats, Ints]]
    learn: Callable[[Floats, Ints], Predict]


def best_learner() -> UtilityLearner:
    """Gradient boosting by scikit-learn where it is installed, else multinomial logistic regression."""
    return BOOSTING if find_spec("sklearn") is not None else LOGISTIC


# --- gradient boosting: features are codes, in the order of values ------------------------------


def _codes(original: Ints, cells: Cells) -> Floats:
    _ = cells
    return original.astype(float)


def _filled(cells: Cells) -> tuple[Floats, Ints]:
    """Each row several times, with values that its cells stand for: spread evenly by a fixed rule, not drawn."""
    rows = np.tile(np.arange(len(cells[0])), _FILLS)
    copies = np.repeat(np.arange(_FILLS), len(cells[0])) / _FILLS
    features = np.zeros((len(rows), len(cells)))
    for j, column in enumerate(cells):
        order = np.cumsum(column, axis=1, dtype=np.int32)
        place = ((rows * _GOLDEN + j * _SILVER + copies) % 1 * order[rows, -1]).astype(np.int32)
        features[:, j] = (order[rows] > place[:, None]).argmax(axis=1)
    return features, rows


def _boosted(features: Floats, target: Ints) -> Predict:
    """Boosted trees: they also find what only columns together say."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from threadpoolctl import threadpool_limits

    model = HistGradientBoostingClassifier(max_iter=_ROUNDS, early_stopping=False, random_state=0)
    # One thread: on a busy machine several wait for each other longer than they work. OpenMP's limit is the calling
    # thread's alone; other libraries' would be everybody's.
    with threadpool_limits(1, "openmp"):
        model.fit(features, target)

    def predict(rows: Floats) -> Ints:
        with threadpool_limits(1, "openmp"):
            return np.asarray(model.predict(rows), np.int64)

    return predict


# --- logistic regression: one feature for each value ---------------------------------------------


def _indicators(original: Ints, cells: Cells) -> Floats:
    return np.hstack([original[:, [j]] == np.arange(c.shape[1]) for j, c in enumerate(cells)]).astype(float)


def _spread(cells: Cells) -> tuple[Floats, Ints]:
    """A cell that stands for several values counts as each of them in equal parts."""
    parts = [column / np.maximum(1, column.sum(axis=1, keepdims=True)) for column in cells]
    return np.hstack(parts), np.arange(len(cells[0]))


def _logistic(features: Floats, target: Ints) -> Predict:
    """Ridge-penalized multinomial logistic regression, by L-BFGS."""
    from scipy.optimize import minimize

    classes = int(target.max()) + 1
    with_one = np.hstack([features, np.ones((len(features), 1))])
    truth = np.zeros((len(target), classes))
    truth[np.arange(len(target)), target] = 1

    def loss(flat: Floats) -> tuple[float, Floats]:
        weights = flat.reshape(with_one.shape[1], classes)
        scores = with_one @ weights
        scores -= scores.max(axis=1, keepdims=True)
        log = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        gradient = with_one.T @ (np.exp(log) - truth) / len(target) + _RIDGE * weights
        value = -(truth * log).sum() / len(target) + _RIDGE / 2 * (weights**2).sum()
        return float(value), gradient.ravel()

    start = np.zeros(with_one.shape[1] * classes)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": _ROUNDS})
    weights = np.asarray(found.x.reshape(with_one.shape[1], classes))

    def predict(rows: Floats) -> Ints:
        return np.asarray((rows @ weights[:-1] + weights[-1]).argmax(axis=1))

    return predict


BOOSTING = UtilityLearner("gradient boosting, scikit-learn", _codes, _filled, _boosted)
LOGISTIC = UtilityLearner("multinomial logistic regression", _indicators, _spread, _logistic)
