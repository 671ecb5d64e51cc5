"""Train on synthetic, test on real: whether a model that learned from the twin serves people whom nobody used.

Two learners that fail in different ways, a linear one and boosted trees, each beside the same learner on real rows and the
answer that is always the same (Esteban, Hyland and Rätsch 2017, section 4.2). How rows become numbers is read off the twin alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.engine import quiet
from privet.errors import BadSynthesis, MissingExtra
from privet.protect.synthesize.fidelity._twin_codes import TwinCodes, as_text, is_number, numbers

if TYPE_CHECKING:
    import pyarrow as pa

Floats = NDArray[np.float64]
MOST_ROWS = 20_000  # that a learner sees
_FEW = 20  # distinct numbers up to which a target is a class
_WIDE = 50  # values of a category that get a column each


@dataclass(frozen=True)
class Usefulness:
    """What one learner reaches on the real test rows, from the twin, from real rows, and without learning."""

    model: str
    measure: str  # AUC, accuracy or R²
    on_twin: float
    on_real: float
    guess: float
    rows: tuple[int, int, int]  # learned from the twin, from real rows, and tested


@dataclass(frozen=True)
class _Encoding:
    """Rows as numbers: indicators of values that the twin has, numbers by the twin's mean and spread."""

    codes: tuple[TwinCodes, ...]
    scales: dict[str, tuple[float, float]]

    @classmethod
    def of(cls, twin: pa.Table, names: Sequence[str]) -> _Encoding:
        found, scales = [], {}
        for name in names:
            column = twin.column(name)
            if is_number(column):
                values = numbers(column)
                there = values[np.isfinite(values)]
                scales[name] = (float(there.mean()), float(there.std()) or 1.0) if len(there) else (0.0, 1.0)
            else:
                found.append(TwinCodes.of(column, name, _WIDE))
        return cls(tuple(one for one in found if one.size <= _WIDE + 2), scales)

    def __call__(self, rows: pa.Table) -> Floats:
        blocks = []
        for name, (mean, spread) in self.scales.items():
            values = (numbers(rows.column(name)) - mean) / spread
            gone = np.isnan(values)
            blocks += [np.where(gone, 0.0, np.clip(values, -10, 10))[:, None], gone[:, None].astype(float)]
        blocks += [np.eye(one.size)[one.codes(rows.column(one.name))] for one in self.codes]
        return np.hstack(blocks) if blocks else np.zeros((rows.num_rows, 1))


def usefulness(
    twin: pa.Table, real: pa.Table, test: pa.Table, target: str, names: Sequence[str]
) -> tuple[Usefulness, ...]:
    """Both learners, on the twin's rows and on real ones, tried on `test`."""
    if target not in names:
        raise BadSynthesis(f"the twin has no column {target!r} to predict.", "Name one of its columns.")
    if len(names) < 2:
        raise BadSynthesis("the twin has nothing to predict the target from.", "Leave the target out.")
    encoding = _Encoding.of(twin, [name for name in names if name != target])
    parts = [_answered(table, target) for table in (twin, real, test)]
    if min(part.num_rows for part in parts) < _FEW:
        raise BadSynthesis(
            f"fewer than {_FEW} rows with a {target!r} are left to learn from or to test on.",
            "Give more rows, or leave the target out.",
        )
    twin, real, test = (part.slice(0, MOST_ROWS) for part in parts)
    inputs = [encoding(part) for part in (twin, real, test)]
    column = twin.column(target)
    if is_number(column) and len(np.unique(numbers(column))) > _FEW:
        return _numbers(inputs, [numbers(part.column(target)) for part in (twin, real, test)])
    return _classes(
        inputs, [np.array(as_text(part.column(target)).to_pylist()) for part in (twin, real, test)]
    )


def _answered(table: pa.Table, target: str) -> pa.Table:
    """Rows with an answer, in an order that no sorting of the file decides."""
    from privet.disclosure import whole_numbers

    there = table.filter(np.asarray(as_text(table.column(target)).is_valid()))
    order = np.argsort(whole_numbers("rows to learn from", there.num_rows, 2**32), kind="stable")
    return there.take(order)


def _classes(inputs: list[Floats], answers: list[Any]) -> tuple[Usefulness, ...]:
    from sklearn.metrics import roc_auc_score

    names = np.unique(np.concatenate(answers))
    test = answers[2]
    two = len(names) == 2 and len(np.unique(test)) == 2
    found = []
    for model in ("linear", "trees"):
        reached = []
        for rows, learned in zip(inputs[:2], answers[:2], strict=True):
            chances = _chances(model, rows, learned, inputs[2], names)
            reached.append(
                float(roc_auc_score(test == names[1], chances[:, 1]))
                if two
                else float((names[chances.argmax(axis=1)] == test).mean())
            )
        most = max(set(answers[0].tolist()), key=answers[0].tolist().count)
        found.append(
            Usefulness(
                "logistic regression" if model == "linear" else "boosted trees",
                "AUC" if two else "accuracy",
                reached[0],
                reached[1],
                0.5 if two else float((test == most).mean()),
                (len(answers[0]), len(answers[1]), len(test)),
            )
        )
    return tuple(found)


def _chances(model: str, rows: Floats, answers: Any, asked: Floats, names: Any) -> Floats:
    """The chance of each class for each row that is asked about; a class that was not learned has none."""
    found = np.zeros((len(asked), len(names)))
    learned = np.unique(answers)
    if len(learned) == 1:
        found[:, np.searchsorted(names, learned[0])] = 1.0
        return found
    with quiet():
        fitted = _learner(model, classes=True).fit(rows, answers)
    found[:, np.searchsorted(names, fitted.classes_)] = fitted.predict_proba(asked)
    return found


def _numbers(inputs: list[Floats], answers: list[Floats]) -> tuple[Usefulness, ...]:
    from sklearn.metrics import r2_score

    found = []
    for model in ("linear", "trees"):
        reached = []
        for rows, learned in zip(inputs[:2], answers[:2], strict=True):
            with quiet():
                fitted = _learner(model, classes=False).fit(rows, learned)
            reached.append(float(r2_score(answers[2], fitted.predict(inputs[2]))))
        found.append(
            Usefulness(
                "ridge regression" if model == "linear" else "boosted trees",
                "R²",
                reached[0],
                reached[1],
                0.0,
                (len(answers[0]), len(answers[1]), len(answers[2])),
            )
        )
    return tuple(found)


def _learner(model: str, *, classes: bool) -> Any:
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
        from sklearn.linear_model import LogisticRegression, Ridge
    except ModuleNotFoundError:
        raise MissingExtra(
            "usefulness is measured with scikit-learn, which is not installed.",
            "pip install 'privet[tabular]', or leave the target out.",
        ) from None
    if model == "linear":
        return LogisticRegression(max_iter=300) if classes else Ridge()
    trees = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
    return trees(max_iter=60, random_state=0, early_stopping=False)
