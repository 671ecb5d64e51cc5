"""Searching for settings privately: a random number of trials, of which only the best is told, booked before the first.

Trying ten settings and keeping the best tells more than one fit does. Here each trial picks one of the listed settings
at random, fits, and scores itself under its own privacy; how many trials there are is drawn at random and kept
secret; and the whole search has one price (Liu and Talwar 2019; Papernot and Steinke 2022).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet import __version__
from privet.artifact import FittedWeights, Provenance, Receipt, ReleasedModel, probabilities
from privet.errors import BadTraining, BadUsage, checked
from privet.guarantee import (
    TRIAL_LAWS,
    ApproxDP,
    Change,
    Composed,
    DiscreteGaussian,
    Event,
    Person,
    Promise,
    SealedPlan,
    Selected,
    calibrate,
    epsilon_for,
    unit_to_json,
)
from privet.ledger import Ledger
from privet.mechanism import Trial, discrete_gaussian, fresh_generator, trials
from privet.protect.train._search_candidates import candidates, is_number
from privet.protect.train.tabular import (
    Examples,
    LinearPlan,
    LinearSettings,
    Paid,
    Task,
    read_examples,
    run_of,
    schema_of,
    settings_for,
    weights_of,
)
from privet.sealed import Sealed, Sensitivity
from privet.source import PublicTable, Table

# A fifth of the units score, the others teach; scores take what a search for them alone at this share would.
HELD_OUT, SCORE_SHARE = Fraction(1, 5), Fraction(1, 5)
_STEPS = 1024  # of one unit's score, which lies between 0 and 1


@dataclass(frozen=True)
class Search:
    """A search as it will be booked: every candidate's plan, and how scores are told. No data in it."""

    plans: tuple[LinearPlan, ...]
    score: DiscreteGaussian | None
    mean: Fraction
    law: str

    @property
    def event(self) -> Event:
        """The whole search, sealed."""
        inner = Selected([self._candidate(plan) for plan in self.plans], self.mean, self.law)
        return SealedPlan(inner, self.plans[0].promise.delta)

    def _candidate(self, plan: LinearPlan) -> Event:
        run = run_of(plan.chosen.q, plan.chosen.steps, plan.sigma)
        return Composed([run] if self.score is None else [run, self.score])

    def runs(self) -> tuple[str, ...]:
        """The digest of each candidate's run."""
        return tuple(
            hashlib.sha256(
                json.dumps([plan.settings, plan.task.records], sort_keys=True).encode()
            ).hexdigest()
            for plan in self.plans
        )


@checked
def tune(  # noqa: PLR0913
    table: Table,
    promise: Promise,
    *,
    target: str,
    settings: Sequence[Mapping[str, Any]] | Mapping[str, Sequence[Any]],
    ledger: Ledger,
    records: int | None = None,
    schema: Any = None,
    trials: str = "logarithmic",
    mean: float = 10,
    validation: PublicTable | None = None,
    class_weights: Mapping[str, float] | None = None,
    why: str = "settings are searched for",
    purpose: str | None = None,
    analyst: str | None = None,
    progress: Callable[[], None] | None = None,
) -> ReleasedModel:
    """Train the linear model with the best of several settings; the promise covers the whole search.

    Args:
        table: As for `train`.
        promise: `ApproxDP(epsilon, delta)` for everything together.
        target: The column to predict.
        settings: A list of settings, each naming what differs from the public rule (`steps`, `q`, `rate`, `clip`, …),
            or a space: values by name, all combinations of which are candidates.
        ledger: Where the search is booked, whole, before the first trial; there is no search without one.
        records: About how many units there are: a public number.
        schema: Public bounds and values, as for `train`.
        trials: The law of the number of trials: "logarithmic" (cheapest), "geometric" or "poisson" (perhaps none).
        mean: How many trials there are on average.
        validation: Public rows to score on, from `open_public`. Without them a random fifth of the units is held out, and
            each score is told with noise that is part of the price.
        class_weights: As for `train`.
        why: The reason, for the ledger.
        purpose: Charged as well, where it has a budget.
        analyst: Charged as well, where they have a budget.
        progress: Called after each trial. How often is a secret: show that trials go on, not how many there were.

    Guarantee:
        The model, its settings and its score keep `promise` for the table's unit.
    Assumes:
        What `train` assumes; that the list of settings was made without these data; that nobody else learns how many
        trials there were, by a count or by the time they took.
    """
    if not isinstance(ledger, Ledger):
        raise BadUsage(
            "a search is booked in a ledger: each look at the data has its price.",
            'Open one: Ledger("patients.ledger", limit=ApproxDP(3, 1e-6)).',
        )
    if not isinstance(table, Table):
        raise BadUsage("what is trained on is a table.", "Open it with open_table(…, unit=…).")
    task = _task(
        table,
        promise,
        target,
        schema=schema,
        records=records,
        class_weights=class_weights,
        validation=validation,
    )
    assert isinstance(promise, ApproxDP)
    search = planned_search(task, promise, settings, mean, trials, scored=validation is None)
    # Rows that cannot be read cost nothing.
    examples = read_examples(table, task.features, task.target, task.unit)
    permit = ledger.charge(
        search.event,
        unit=task.unit,
        promise=promise,
        data=table.fingerprint,
        why=why,
        purpose=purpose,
        analyst=analyst,
    )
    split = _split(examples, public=validation, task=task)
    best = best_trial(search, permit_trials(permit, search), split, progress)
    if best is None:
        raise BadTraining(
            "the Poisson law drew no trial at all; the search is booked.", "Use logarithmic: at least one."
        )
    return _released(table, promise, task, search, best, permit.receipt)


def planned_search(
    task: Task,
    promise: ApproxDP,
    settings: Sequence[Mapping[str, Any]] | Mapping[str, Sequence[Any]],
    mean: float,
    law: str,
    *,
    scored: bool,
) -> Search:
    """Settle every candidate's noise so that the whole search keeps the promise; sees no data."""
    if law not in TRIAL_LAWS or not (is_number(mean) and 1 <= mean <= 10_000):
        raise BadTraining(
            f"trials follow one of the laws {', '.join(TRIAL_LAWS)}, with a mean from 1 to 10,000.",
            'Write trials="logarithmic", mean=10.',
        )
    average, change = Fraction(mean), task.unit.change
    chosen = candidates(settings, settings_for(task, promise), change)
    score = _score_noise(promise, average, law, change) if scored else None
    taught = replace(task, records=max(1, round(task.records * (1 - HELD_OUT)))) if scored else task
    plans = []
    for one in chosen:
        told = [score] if score is not None else []

        def family(sigma: Fraction, one: LinearSettings = one, told: list[Any] = told) -> Event:
            return Selected([Composed([run_of(one.q, one.steps, sigma), *told])], average, law)

        sigma = calibrate(family, promise, accountant="rdp", change=change)
        plans.append(LinearPlan(taught, promise, one, sigma))
    search = Search(tuple(plans), score, average, law)
    while _loss(search, change) > float(promise.epsilon):
        search = replace(
            search, plans=tuple(replace(p, sigma=Fraction(float(p.sigma) * 1.001)) for p in search.plans)
        )
    return search


def _released(  # noqa: PLR0917
    table: Table,
    promise: ApproxDP,
    task: Task,
    search: Search,
    best: tuple[float, FittedWeights],
    receipt: Receipt,
) -> ReleasedModel:
    score, fitted = best
    return ReleasedModel(
        fitted=fitted,
        features=task.features,
        target=task.target,
        promise=promise,
        unit=unit_to_json(task.unit),
        receipt=receipt,
        provenance=Provenance(
            question=f"predict {task.target.name} from {', '.join(task.features.names)}",
            data=table.fingerprint,
            engine=table.relation.engine,
            versions={"privet": __version__, "numpy": np.__version__},
            stages=(
                f"{len(search.plans)} settings, each trial one of them at random",
                f"a {search.law} number of trials, {float(search.mean):g} on average, the best of which is told",
                f"booked whole before the first trial: {search.event.kind}",
            ),
        ),
        notes=(
            f"Settings were searched for, and the promise covers the search. Score of the best trial: {score:.3f}.",
        ),
    )


def permit_trials(permit: Any, search: Search) -> tuple[Trial, ...]:
    """The trials that were paid for."""
    return trials(permit, search.runs())


def best_trial(
    search: Search, drawn: Sequence[Trial], split: Split, progress: Callable[[], None] | None = None
) -> tuple[float, FittedWeights] | None:
    """Fit and score each trial, and keep the one with the highest score (the first of equals)."""
    best: tuple[float, FittedWeights] | None = None
    for trial in drawn:
        plan = search.plans[trial.candidate]
        run, *told = trial.permit.parts()
        fitted = plan.fit(split.taught, Paid(run, trial.seed, trial.run))
        exact = split.score(fitted, plan.task)
        if told:
            sides = 2 if plan.task.unit.change is Change.REPLACE else 1
            reach = Sensitivity(1, _STEPS * sides, _STEPS * sides)
            total = int(discrete_gaussian(Sealed([int(exact.sum())], reach), told[0])[0])
            score = total / _STEPS / max(1.0, float(HELD_OUT) / float(1 - HELD_OUT) * plan.task.records)
        else:
            score = float(exact.mean()) / _STEPS
        if best is None or score > best[0]:
            best = score, fitted
        if progress:
            progress()
    return best


@dataclass(frozen=True, eq=False)
class Split:
    """Rows that teach, and rows that score: public ones, or those of units that were held out."""

    taught: Examples
    scored: Examples

    def score(self, fitted: FittedWeights, task: Task) -> NDArray[np.int64]:
        """Each unit's score in whole steps from 0 to 1024: one less the squared error of its probabilities, halved."""
        found = fitted.scores(task.features, self.scored.codes)
        if task.target.kind == "number":
            quality = 1 - (np.clip(found[:, 0], -1, 1) - self.scored.target) ** 2 / 4
        else:
            shares = probabilities(task.target, found, task.class_weights, fitted.settings.get("balance"))
            named = self.scored.target.astype(np.int64)
            shares[np.arange(len(named)), named] -= 1
            quality = 1 - (shares**2).sum(axis=1) / 2
        if self.scored.owner is not None:
            _, owner = np.unique(self.scored.owner, return_inverse=True)
            quality = np.bincount(owner, quality) / np.maximum(1, np.bincount(owner))
        # A model that ran away gives what is no number, which as an integer would be far beyond any one unit's reach.
        steps: NDArray[np.int64] = np.clip(
            np.floor(np.nan_to_num(quality, nan=0.0) * _STEPS), 0, _STEPS
        ).astype(np.int64)
        return steps


def _split(examples: Examples, *, public: PublicTable | None, task: Task) -> Split:
    """Each unit's place is drawn on its own, so that one unit more or less moves no other."""
    if public is not None:
        wanted = task.target.encode(public.rows.column(task.target.name))
        there = ~np.isnan(wanted)
        return Split(examples, Examples(task.features.encode(public.rows)[there], wanted[there]))
    held = fresh_generator().random(examples.units) < float(HELD_OUT)
    rows = held if examples.owner is None else held[examples.owner]
    return Split(_only(examples, ~rows), _only(examples, rows))


def _only(examples: Examples, rows: NDArray[np.bool_]) -> Examples:
    owner = None
    if examples.owner is not None:
        _, owner = np.unique(examples.owner[rows], return_inverse=True)
    return Examples(examples.codes[rows], examples.target[rows], owner)


def _score_noise(promise: ApproxDP, mean: Fraction, law: str, change: Change) -> DiscreteGaussian:
    sides = 2 if change is Change.REPLACE else 1
    part = ApproxDP(promise.epsilon * SCORE_SHARE, promise.delta)

    def family(sigma: Fraction) -> Event:
        return Selected([DiscreteGaussian(sigma, _STEPS * sides)], mean, law)

    return DiscreteGaussian(calibrate(family, part, accountant="rdp", change=change), _STEPS * sides)


def _loss(search: Search, change: Change) -> float:
    event = search.event
    assert isinstance(event, SealedPlan)
    return epsilon_for(event.event, event.delta, accountant="rdp", change=change).epsilon


def _task(
    table: Table,
    promise: object,
    target: str,
    *,
    schema: object,
    records: int | None,
    class_weights: Mapping[str, float] | None,
    validation: object,
) -> Task:
    faults = []
    if not isinstance(promise, ApproxDP) or not promise.delta:
        faults.append("a search promises ApproxDP(epsilon, delta), with a delta above 0.")
    if validation is not None and not isinstance(validation, PublicTable):
        faults.append(
            "a score must be private itself: only rows of a PublicTable (open_public) score for free."
        )
    known = schema_of(schema, table)
    size = records if records is not None else known.records
    if not isinstance(size, int) or isinstance(size, bool) or size < 1:
        faults.append("a search needs a public number of records.")
    unit = table.unit_or_refuse()
    if isinstance(unit, Person) and unit.max_rows is None:
        faults.append(f"the unit does not say how many rows of one {unit.column!r} may count (max_rows).")
    if faults:
        raise BadTraining(" ".join(faults), "Correct what is named; nothing was read or spent.")
    own = unit.column if isinstance(unit, Person) else None
    features, wanted = known.split(target, own, table.columns)
    assert size is not None
    return Task(features, wanted, unit, size, weights_of(wanted, class_weights))
