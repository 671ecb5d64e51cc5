"""How useful models are on people who were kept apart, by one measure for all of them, with intervals by person.

The same people are drawn again and again (Efron's bootstrap, 1979), whole people and not rows, so that somebody with many
rows does not make the figure look surer than it is. Draws are read off a hash, so that all models are asked about the
same draws and the figures come out the same twice.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.artifact import IntervalEstimate
from privet.disclosure import whole_numbers

if TYPE_CHECKING:
    import pyarrow as pa

    from privet.artifact import ModelTarget

Floats = NDArray[np.float64]

DRAWS = 200
MEASURES = {"auroc": "AUROC", "accuracy": "accuracy", "r2": "R²"}


@dataclass(frozen=True, eq=False)
class Held:
    """Rows of people kept apart, their answers, and how often each row counts in each draw."""

    rows: pa.Table = field(repr=False)
    truth: Floats = field(repr=False)  # as the target encodes it
    target: ModelTarget
    weights: Floats = field(repr=False)  # draws by rows; the first draw is everybody once

    @classmethod
    def of(cls, rows: pa.Table, target: ModelTarget, unit: str | None) -> Held:
        """The rows that have an answer; `unit` names the column that says whose they are."""
        truth = target.encode(rows.column(target.name))
        there = ~np.isnan(truth)
        rows, truth = rows.filter(there), truth[there]
        owner = np.arange(len(truth)) if unit is None else _numbered(rows.column(unit))
        people = int(owner.max(initial=-1)) + 1
        drawn = [np.ones(people)]
        drawn += [
            np.bincount(whole_numbers(f"kept apart {at}", people, people), minlength=people).astype(float)
            for at in range(DRAWS)
        ]
        return cls(rows, truth, target, np.stack(drawn)[:, owner])

    @property
    def measure(self) -> str:
        """Which measure it is: auroc for two classes, accuracy for more, r2 for numbers."""
        if self.target.kind == "number":
            return "r2"
        return "auroc" if len(self.target.classes) == 2 else "accuracy"

    @property
    def name(self) -> str:
        """The measure for people."""
        return f"{MEASURES[self.measure]} on the holdout"

    @property
    def guess(self) -> float:
        """What is reached without a model: by always giving the same answer."""
        if self.measure == "accuracy":
            return float(np.bincount(self.truth.astype(np.int64)).max() / len(self.truth))
        return 0.5 if self.measure == "auroc" else 0.0

    @property
    def least(self) -> float:
        """The smallest value that the measure can have."""
        return -math.inf if self.measure == "r2" else 0.0

    def reached(self, model: Any) -> Floats:
        """What a model reaches: on everybody, then in each draw."""
        if self.measure == "r2":
            wide = (self.target.upper - self.target.lower) / 2
            truth = self.target.lower + (self.truth + 1) * wide
            return _explained(np.asarray(model.predict(self.rows), float), truth, self.weights)
        shares = np.asarray(model.predict_proba(self.rows), float)
        named = self.truth.astype(np.int64)
        if self.measure == "auroc":
            return area(shares[:, 1], named == 1, self.weights)
        right = (shares.argmax(axis=1) == named).astype(float)
        return np.asarray(self.weights @ right / np.maximum(self.weights.sum(axis=1), 1))


def estimated(
    fits: Sequence[Floats], confidence: float = 0.95, *, least: float = -math.inf
) -> IntervalEstimate:
    """What one more fit would reach on such people, from what some fits reached.

    Two things vary: who was kept apart (the spread over draws) and, where there are several fits, their noise (the
    spread over fits, once for the mean and once for the new fit). The interval is Welch and Satterthwaite's (1947) for
    their sum, cut to what is possible: at most 1, and at least `least`. One fit alone says nothing of its noise, and its
    interval is about people only.
    """
    from scipy.stats import t

    each = np.stack(list(fits))
    value = float(each[:, 0].mean())
    people = float(each[:, 1:].mean(axis=0).var(ddof=1))
    many = len(each)
    noise = float(each[:, 0].var(ddof=1)) * (1 + 1 / many) if many > 1 else 0.0
    total = people + noise
    freedom = total**2 / max(noise**2 / (many - 1), 1e-300) if many > 1 and noise > 0 else math.inf
    half = float(t.ppf((1 + confidence) / 2, min(freedom, 1e6))) * math.sqrt(total)
    return IntervalEstimate(value, max(value - half, least), max(value, min(value + half, 1.0)), confidence)


def area(score: Floats, positive: NDArray[np.bool_], weights: Floats) -> Floats:
    """The chance that a positive row scores above a negative one, in each draw; ties count half.

    A draw without positive or without negative rows counts as one half: nothing can be told from it.
    """
    order = np.argsort(score, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(score[order]) > 0])
    ups = np.add.reduceat(weights[:, order] * positive[order], starts, axis=1)
    downs = np.add.reduceat(weights[:, order] * ~positive[order], starts, axis=1)
    below = np.cumsum(downs, axis=1) - downs / 2
    pairs = ups.sum(axis=1) * downs.sum(axis=1)
    won = (ups * below).sum(axis=1)
    return np.where(pairs > 0, won / np.maximum(pairs, 1e-300), 0.5)


def _explained(said: Floats, truth: Floats, weights: Floats) -> Floats:
    """The share of the spread that a prediction explains, in each draw."""
    total = np.maximum(weights.sum(axis=1), 1)
    mean = weights @ truth / total
    spread = weights @ truth**2 / total - mean**2
    return np.asarray(1 - (weights @ (said - truth) ** 2 / total) / np.maximum(spread, 1e-12))


def _numbered(column: Any) -> NDArray[np.int64]:
    """Whose rows they are as numbers from 0; a row of nobody is somebody of its own."""
    coded = column.combine_chunks().dictionary_encode()
    found = np.asarray(coded.indices.fill_null(-1).to_numpy(zero_copy_only=False), np.int64)
    gaps = found < 0
    found[gaps] = len(coded.dictionary) + np.arange(int(gaps.sum()))
    return found
