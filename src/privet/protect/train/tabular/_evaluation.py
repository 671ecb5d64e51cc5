"""How good a model is on a table that was kept apart: exact figures, so they are for whoever owns that table."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from privet.artifact import ModelTarget, as_arrow
from privet.errors import BadModel

_BINS = 10  # of predicted probabilities, for the calibration error


class Predictor(Protocol):
    """What can be measured: a `ReleasedModel`, or anything that predicts as it does."""

    @property
    def target(self) -> ModelTarget:
        """What it predicts."""

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes, in the order of `predict_proba`."""

    def predict(self, data: object) -> NDArray[Any]:
        """For each row the most likely class (as text), or the number."""

    def predict_proba(self, data: object) -> NDArray[np.float64]:
        """For each row the probability of each class."""


def metrics(model: Predictor, data: object) -> dict[str, float]:
    """Figures for the rows that have a target. They are statistics of the people in that table, and not private.

    For two classes: auroc, accuracy, log_loss, calibration_error; for more: accuracy, log_loss, calibration_error; for
    numbers: rmse, mae, r2. Always `rows`, how many were scored.
    """
    table = as_arrow(data)
    if model.target.name not in table.column_names:
        raise BadModel(
            f"the test table lacks the target {model.target.name!r}.", "Give one that has the answers."
        )
    truth = model.target.encode(table.column(model.target.name))
    there = ~np.isnan(truth)
    if not there.any():
        raise BadModel("no row of the test table has a target that the model knows.", "Give another.")
    rows = table.filter(there)
    if model.target.kind == "number":
        return _of_numbers(model, rows, (truth[there] + 1) / 2)
    named = truth[there].astype(np.int64)
    shares = model.predict_proba(rows)
    picked = np.array([model.classes.index(str(name)) for name in model.predict(rows)])
    found = {
        "rows": float(len(named)),
        "accuracy": float((picked == named).mean()),
        "log_loss": float(-np.log(np.maximum(shares[np.arange(len(named)), named], 1e-15)).mean()),
        "calibration_error": calibration_error(shares, named),
    }
    if len(model.classes) == 2 and 0 < named.mean() < 1:
        found["auroc"] = area_under_curve(shares[:, 1], named.astype(bool))
    return found


def _of_numbers(model: Predictor, rows: object, share: NDArray[np.float64]) -> dict[str, float]:
    truth = model.target.lower + share * (model.target.upper - model.target.lower)
    off = np.asarray(model.predict(rows), dtype=np.float64) - truth
    spread = float(((truth - truth.mean()) ** 2).mean())
    return {
        "rows": float(len(truth)),
        "rmse": float(np.sqrt((off**2).mean())),
        "mae": float(np.abs(off).mean()),
        "r2": 1 - float((off**2).mean()) / spread if spread else 0.0,
    }


def area_under_curve(score: NDArray[np.float64], positive: NDArray[np.bool_]) -> float:
    """The chance that a positive row scores above a negative one; ties count half."""
    from scipy.stats import rankdata

    ranks = rankdata(score)
    many = int(positive.sum())
    total = float(ranks[positive].sum()) - many * (many + 1) / 2
    return total / (many * (len(positive) - many))


def calibration_error(shares: NDArray[np.float64], named: NDArray[np.int64]) -> float:
    """The mean gap between how sure the model is and how often it is right (expected calibration error)."""
    sure, right = shares.max(axis=1), shares.argmax(axis=1) == named
    place = np.minimum((sure * _BINS).astype(np.int64), _BINS - 1)
    gaps = [
        (place == at).mean() * abs(float(sure[place == at].mean()) - float(right[place == at].mean()))
        for at in range(_BINS)
        if (place == at).any()
    ]
    return float(sum(gaps))
