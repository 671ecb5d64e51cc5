"""The non-private twin: what the same columns are worth without a promise. For the owner's eyes alone.

Its weights never leave this module: only figures on a test table do, and those are for whoever owns both tables.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.artifact import (
    Features,
    FittedWeights,
    ModelTarget,
    ReleasedModel,
    as_arrow,
    decided,
    number_of,
    probabilities,
)
from privet.errors import BadUsage
from privet.guarantee import unit_from_json
from privet.protect.train.tabular._coded_examples import read_examples
from privet.protect.train.tabular._evaluation import metrics
from privet.protect.train.tabular._feature_basis import Basis
from privet.protect.train.tabular._learner_registry import Examples, Task
from privet.protect.train.tabular._loss_functions import losses_of, residuals_of
from privet.source import Table

TERMS = 8  # for each number: the most that the private learner takes
_PULL, _ROUNDS = 1e-3, 200


def twin_metrics(model: ReleasedModel, table: Table, test: object) -> dict[str, float]:
    """How good a twin of the model would be on the test table, had it no promise to keep.

    Logistic, softmax or ridge regression on the model's own columns and coding, without clipping and without noise. The
    figures tell about the people in both tables and are covered by no promise; nothing is booked, since nothing may
    leave. The twin itself is dropped.
    """
    if not isinstance(table, Table):
        raise BadUsage("a twin learns from the table of the model.", "Give the table that it was trained on.")
    unit = unit_from_json(model.unit)
    examples = read_examples(table, model.features, model.target, unit)
    task = Task(model.features, model.target, unit, max(1, len(examples)))
    basis = Basis.of(model.features, TERMS)
    weights = _least(basis.design(examples.codes), examples, task)
    kept = {"shapes": basis.worth(weights), "intercept": weights[-1].copy()}
    return metrics(_Twin(FittedWeights("additive", kept), model.features, model.target), test)


@dataclass(frozen=True, eq=False)
class _Twin:
    """A sum over columns that promises nothing; it can be measured and not saved."""

    fitted: FittedWeights = field(repr=False)
    features: Features
    target: ModelTarget

    @property
    def classes(self) -> tuple[str, ...]:
        return self.target.classes

    def predict(self, data: object) -> NDArray[Any]:
        scores = self._scores(data)
        if self.target.kind == "number":
            return number_of(self.target, scores)
        return np.array(self.target.classes, dtype=object)[decided(self.target, scores)]

    def predict_proba(self, data: object) -> NDArray[np.float64]:
        return probabilities(self.target, self._scores(data))

    def _scores(self, data: object) -> NDArray[np.float64]:
        return self.fitted.scores(self.features, self.features.encode(as_arrow(data)))


def _least(design: Any, examples: Examples, task: Task) -> NDArray[np.float64]:
    """The weights of least mean loss, with a light pull towards zero."""
    from scipy.optimize import minimize

    rows, outputs = design, task.target.outputs
    share = 1 / max(1, len(examples))

    def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        weights = flat.reshape(-1, outputs)
        pulled = weights.copy()
        pulled[-1] = 0
        scores = np.asarray(rows @ weights)
        value = float(losses_of(scores, examples.target, task).sum()) * share + _PULL / 2 * float(
            (pulled**2).sum()
        )
        residuals = residuals_of(scores, examples.target, task) * share
        gradient = np.asarray(rows.T @ residuals) + _PULL * pulled
        return value, gradient.ravel()

    width = int(rows.shape[1])
    found = minimize(
        loss, np.zeros(width * outputs), jac=True, method="L-BFGS-B", options={"maxiter": _ROUNDS}
    )
    return np.asarray(found.x.reshape(-1, outputs))
