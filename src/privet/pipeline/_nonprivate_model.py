"""A model without noise, to see what rows are good for: what the private linear model would be, had it no promise to keep.

It learns from original rows, and from published ones whose cells stand for several values: such a cell counts as each of
them in equal parts. It is always asked about original rows, so that all protections are measured by the same questions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.artifact import (
    Column,
    Features,
    FittedWeights,
    ModelTarget,
    as_arrow,
    decided,
    number_of,
    probabilities,
)
from privet.attacks.tables import as_text, cover, is_generalized

if TYPE_CHECKING:
    import pyarrow as pa

Floats = NDArray[np.float64]

TERMS = 8  # smooth terms for each number, as many as the private learner takes at most
_PENALTY = 1e-3
_ROUNDS = 200


@dataclass(frozen=True, eq=False)
class PlainModel:
    """A sum over columns that promises nothing."""

    features: Features
    target: ModelTarget
    fitted: FittedWeights

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes, in the order of `predict_proba`."""
        return self.target.classes

    def predict_proba(self, data: object) -> Floats:
        """For each row the probability of each class."""
        return probabilities(self.target, self._scores(data))

    def predict(self, data: object) -> NDArray[Any]:
        """For each row the most likely class (as text), or the number."""
        if self.target.kind == "number":
            return number_of(self.target, self._scores(data))
        return np.array(self.target.classes, dtype=object)[decided(self.target, self._scores(data))]

    def _scores(self, data: object) -> Floats:
        return self.fitted.scores(self.features, self.features.encode(as_arrow(data)))


def learned(published: pa.Table, original: pa.Table, features: Features, target: ModelTarget) -> PlainModel:
    """Fit on the published rows that have a target; `original` says which values cells may stand for."""
    from privet.protect.train.tabular import Basis

    answers = target.encode(published.column(target.name))
    there = ~np.isnan(answers)
    basis = Basis.of(features, TERMS)
    rows = published.filter(there)
    blocks = [
        _terms(column, table, rows, original)
        for column, table in zip(features.columns, basis.tables, strict=True)
    ]
    design = np.hstack([*blocks, np.ones((rows.num_rows, 1))])
    weights = _fitted(design, answers[there], target)
    found = {"shapes": basis.worth(weights), "intercept": weights[-1].copy()}
    return PlainModel(features, target, FittedWeights("additive", found))


def _terms(column: Column, table: Floats, rows: pa.Table, original: pa.Table) -> Floats:
    """The terms of each row: those of its value, or the mean of those that its cell stands for."""
    if column.name not in rows.column_names:
        return np.repeat(table[-1:], rows.num_rows, axis=0)
    cells = rows.column(column.name).combine_chunks()
    values = original.column(column.name)
    if not is_generalized(cells, values):
        return np.asarray(table[column.codes(rows.column(column.name))])
    coded = as_text(cells).combine_chunks().dictionary_encode()
    distinct = values.combine_chunks().unique().drop_null()
    found = cover(coded.dictionary.to_pylist(), distinct)
    worth = table[column.codes(_chunked(distinct))]
    means = np.repeat(table[-1:], found.labels + 1, axis=0)  # the last is for gaps
    many = np.bincount(found.label, minlength=found.labels)
    sums = np.zeros((found.labels, table.shape[1]))
    np.add.at(sums, found.label, worth[found.value])
    means[:-1][many > 0] = sums[many > 0] / many[many > 0, None]
    return np.asarray(means[coded.indices.fill_null(found.labels).to_numpy(zero_copy_only=False)])


def _chunked(values: Any) -> Any:
    import pyarrow as pa

    return pa.chunked_array([values])


def _fitted(design: Floats, answers: Floats, target: ModelTarget) -> Floats:
    """Ridge regression in closed form, or logistic and softmax regression by L-BFGS."""
    pull = np.full((design.shape[1], 1), _PENALTY)
    pull[-1] = 0
    if target.kind == "number":
        curvature = design.T @ design / len(design) + np.diag(pull[:, 0] + 1e-12)
        return np.asarray(np.linalg.solve(curvature, design.T @ answers[:, None] / len(design)))
    from scipy.optimize import minimize
    from scipy.special import expit, softmax

    outputs = target.outputs
    truth = answers[:, None] if outputs == 1 else np.eye(outputs)[answers.astype(np.int64)]

    def loss(flat: Floats) -> tuple[float, Floats]:
        weights = flat.reshape(-1, outputs)
        scores = design @ weights
        if outputs == 1:
            value = float((np.logaddexp(0, scores) - truth * scores).mean())
            off = expit(scores) - truth
        else:
            top = scores.max(axis=1, keepdims=True)
            total = np.log(np.exp(scores - top).sum(axis=1)) + top[:, 0]
            value = float((total - (truth * scores).sum(axis=1)).mean())
            off = softmax(scores, axis=1) - truth
        gradient = design.T @ off / len(design) + pull * weights
        return value + float((pull * weights**2).sum() / 2), gradient.ravel()

    start = np.zeros(design.shape[1] * outputs)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": _ROUNDS})
    return np.asarray(found.x.reshape(-1, outputs))
