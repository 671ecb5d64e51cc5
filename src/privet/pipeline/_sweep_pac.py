"""PAC privacy beside differential privacy: a linear model of a secret half, at the nats whose bound on membership is an epsilon's.

Two promises in two currencies can be set side by side where they bound the same thing: how often anybody guesses rightly whether
one person was used, where both answers are equally likely. Epsilon lets at most (e^epsilon + delta) / (1 + e^epsilon) of guesses be
right (Kairouz et al. 2015), and nats what `PacPrivacy.posterior` says (Xiao and Devadas 2023). Beyond that bound the two differ,
and neither is ever added to the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.artifact import CategoryColumn, Column, Features, IntervalEstimate, ModelTarget, NumberColumn
from privet.guarantee import ApproxDP, PacPrivacy, Person, most_accuracy
from privet.pipeline import _attack_advantage as advantages
from privet.pipeline._sweep_split import Halves

if TYPE_CHECKING:
    import pyarrow as pa

    from privet.protect.pac import PacModel, PacTrials
    from privet.source import AppliedFunction

WORLD_ATTACK = "world-membership"
_DRAWS = 400  # releases that the best guess there is, is tried on
_BLIND = Fraction(1, 2)


def matched(promise: ApproxDP) -> PacPrivacy:
    """The nats under which membership is guessed rightly at most as often as under this promise."""
    most = most_accuracy(promise)
    return PacPrivacy.from_advantage(prior=_BLIND, posterior=Fraction(1 if most is None else most))


def unfit_for_pac(halves: Halves) -> str | None:
    """Why no model can be learned on halves here; None if one can."""
    if find_spec("sklearn") is None:
        return "pac: its models are learned with scikit-learn, which is not installed: pip install 'privet[tabular]'."
    if not learned_from(halves.features).columns:
        return "pac: there is no column but dates, which are no number."
    return None


def learned_from(features: Features) -> Features:
    """The columns that `privet pac` would take: numbers and values, no dates."""
    return Features(
        tuple(one for one in features.columns if not (isinstance(one, NumberColumn) and one.dates))
    )


@dataclass(frozen=True, eq=False)
class HalfModel:
    """Released weights that are asked about original rows, as all models of a sweep are."""

    features: Features
    target: ModelTarget
    model: PacModel

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes, in the order of `predict_proba`."""
        return self.target.classes

    def predict_proba(self, data: pa.Table) -> NDArray[np.float64]:
        """For each row the probability of each class."""
        return self.model.predict_proba(coded_rows(self.features, data))

    def predict(self, data: pa.Table) -> NDArray[Any]:
        """For each row the most likely class (as text), or the number."""
        return np.array(self.model.predict(coded_rows(self.features, data)))


@dataclass(eq=False)
class PacBench:
    """One linear model on all worlds of the people used, to be released under one promise after the other.

    Fits do not depend on the promise: they are made once, and only the noise is drawn again. Nothing leaves, so nothing is booked.
    """

    halves: Halves
    confidence: float
    features: Features = field(init=False)

    def __post_init__(self) -> None:
        self.features = learned_from(self.halves.features)

    @property
    def function(self) -> str:
        """What is released, as `privet pac --function` calls it."""
        return "ridge" if self.halves.target.kind == "number" else "logistic-regression"

    @cached_property
    def _applied(self) -> AppliedFunction:
        from privet.protect.pac import PacFunction
        from privet.source import open_table

        halves, target = self.halves, self.halves.target
        rows = coded_rows(self.features, halves.used_rows)
        rows = rows.append_column(target.name, _answers(target, halves.used_rows))
        unit = halves.used.unit_or_refuse()
        if isinstance(unit, Person):
            rows = rows.append_column(unit.column, halves.used_rows.column(unit.column))
        bounds, keys = _stated(self.features.columns)
        if target.kind == "number":
            bounds[target.name] = (target.lower, target.upper)
            function = PacFunction.ridge(target.name)
        else:
            function = PacFunction.logistic_regression(target.name, classes=list(target.classes))
        return open_table(rows, unit=unit).apply(
            function, list(self.features.names), bounds=bounds, keys=keys
        )

    @cached_property
    def _trials(self) -> PacTrials:
        from privet.protect.pac import pac_trials

        return pac_trials(self._applied, PacPrivacy(1))

    def fits(self, promise: PacPrivacy, repeats: int) -> list[HalfModel]:
        """So many releases, each from a secret of its own, by the mechanism itself."""
        answers, _ = replace(self._trials, promise=promise).play(repeats)
        box = self._applied.function
        assert box.shape is not None
        assert box.reader is not None
        return [
            HalfModel(self.features, self.halves.target, box.reader(one.reshape(box.shape)))
            for one in answers
        ]

    def attacked(self, promise: PacPrivacy, fits: Sequence[HalfModel]) -> dict[str, IntervalEstimate]:
        """The attacks on models, as on those of differential privacy, and the best guess of who is in a known universe's secret half."""
        from privet.attacks import attack

        own = 1 if self.halves.target.kind == "number" else len(advantages.ON_MODELS)
        each = advantages.at_once(self.confidence, own + 1)
        rows = self.halves.used_rows, self.halves.held_rows
        tried = [advantages.attacked_model(one, *rows, confidence=1 - own * (1 - each)) for one in fits]
        found = {name: advantages.averaged([one[name] for one in tried]) for name in tried[0]}
        (guessed,) = attack(
            replace(self._trials, promise=promise), attacks=[WORLD_ATTACK], confidence=each, draws=_DRAWS
        )
        return {**found, WORLD_ATTACK: advantages.advantage(guessed)}


def coded_rows(features: Features, rows: pa.Table) -> pa.Table:
    """Columns as private models see them: numbers in the middle of their public bins, values as texts; the others are missing."""
    import pyarrow as pa

    codes = features.encode(rows)
    made = {}
    for at, column in enumerate(features.columns):
        words = _words(column)
        kind = pa.string() if isinstance(column, CategoryColumn) else pa.float64()
        made[column.name] = pa.array(words, kind).take(pa.array(codes[:, at]))
    return pa.table(made)


def _words(column: Column) -> list[Any]:
    """What each code stands for; None for the last, which is of what is missing."""
    if isinstance(column, CategoryColumn):
        return [*column.values, None]
    edges = column.edges()
    return [*((edges[:-1] + edges[1:]) / 2).tolist(), None]


def _stated(columns: Sequence[Column]) -> tuple[dict[str, Any], dict[str, Any]]:
    bounds = {one.name: (one.lower, one.upper) for one in columns if isinstance(one, NumberColumn)}
    keys = {one.name: list(one.values) for one in columns if isinstance(one, CategoryColumn)}
    return bounds, keys


def _answers(target: ModelTarget, rows: pa.Table) -> pa.Array:
    import pyarrow as pa

    found = target.encode(rows.column(target.name))
    gone = np.isnan(found)
    if target.kind == "number":
        return pa.array(target.lower + (found + 1) * (target.upper - target.lower) / 2, mask=gone)
    codes = np.where(gone, len(target.classes), found).astype(np.int64)
    return pa.array([*target.classes, None], pa.string()).take(pa.array(codes))
