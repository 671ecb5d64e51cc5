"""Training on a table: what is public is settled first, then booked, and only then is a row read."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from privet import __version__
from privet.artifact import ModelTarget, Provenance, Receipt, ReleasedModel, as_text
from privet.engine import ColumnKind, did_you_mean
from privet.errors import BadInput, BadTraining, BadUsage, BudgetError, ReleaseFailed, checked
from privet.guarantee import ApproxDP, Event, Person, Promise, Unit, unit_to_json
from privet.ledger import Ledger
from privet.protect._admission import admitted
from privet.protect.train._run_seeds import forget_name, run_name
from privet.protect.train._training_log import TrainingLog
from privet.protect.train.tabular._coded_examples import read_examples, require_readable
from privet.protect.train.tabular._learner_registry import Planned, Task, learner
from privet.protect.train.tabular._paid_fit import fitted_under
from privet.protect.train.tabular._private_bounds import (
    FEWEST,
    PrivateEstimates,
    estimated,
    kinds_to_estimate,
)
from privet.protect.train.tabular._public_schema import Schema
from privet.protect.train.tabular._schema_file import schema_of
from privet.source import Origin, Role, Table


@checked
def train(  # noqa: PLR0913
    table: Table,
    promise: Promise,
    *,
    target: str,
    ledger: Ledger,
    why: str = "a model is trained",
    model: str = "auto",
    schema: Schema | Mapping[str, Any] | str | Path | None = None,
    columns: Sequence[str] | None = None,
    records: int | None = None,
    classes: bool | None = None,
    class_weights: Mapping[str, float] | None = None,
    options: Mapping[str, Any] | None = None,
    purpose: str | None = None,
    analyst: str | None = None,
    seed_file: Path | None = None,
    progress: Callable[[int, int], None] | None = None,
    log: TrainingLog | None = None,
) -> ReleasedModel:
    """Train a model on a table that predicts one of its columns, under a differential-privacy promise.

    Args:
        table: Opened with `open_table(…, unit=…)`: the unit is what is hidden. Of a person, at most `max_rows` rows
            count, and all of them together move the model no further than one row could.
        promise: `ApproxDP(epsilon, delta)`.
        target: The column to predict: a category (two classes or more) or a number.
        ledger: Where it is booked, whole and before anything is computed from the rows.
        why: The reason, for the ledger.
        model: "auto", or the name of a learner.
        schema: Public bounds and values of the columns: a `Schema`, a file as `privet schema` drafts it, or columns by
            name; columns it does not name are not used. Left out, what the table states (`bounds=`, `keys=`) is
            taken, and what it does not state is estimated with noise, for three twentieths of epsilon.
        columns: The columns to learn from, if not all.
        records: About how many units there are, if that is public. Otherwise a twentieth of epsilon buys a noisy count.
        classes: That the numbers of the target are classes, where its classes are to be estimated.
        class_weights: Public weights of the classes, by name: they move `predict`, while probabilities stay calibrated.
        options: For the learner; none are needed.
        purpose: Charged as well, where it has a budget.
        analyst: Charged as well, where they have a budget.
        seed_file: Where to keep what a killed training needs to be taken up: with the same file, data and arguments it is
            paid for once, estimates included. For "linear", "centroids", "boosted_trees" and "mlp" the file holds the seed of
            all noise, and the model is the one that would have been given. Whoever has the file can undo the noise: destroy it
            (`privet.protect.train.destroy`) once the model is saved.
        progress: Called after each step with the steps taken and all steps.
        log: Kept for the owner alone: losses and clipped shares of each step, which no promise covers.

    Guarantee:
        The model, its settings and everything in its record keep `promise` for the table's unit, against everybody
        who sees them and whatever they know.
    Assumes:
        Bounds, values, `records` and class weights were known without these data (their origin is stated), the
        person column identifies persons, and what the proof note of `privet.mechanism._gradient_noise` assumes.
    """
    _refuse_others(table, ledger)
    purpose = admitted([table], "model", ledger=ledger, purpose=purpose)
    booking = {"why": why, "purpose": purpose, "analyst": analyst}
    order = _ordered(table, promise, target, schema, columns)
    chosen = learner(model)
    size = _public_size(records, order)
    settled = _settled(
        table, order, ledger, booking, size=size, target=target, classes=classes, seed_file=seed_file
    )
    task = _task(table, order, settled, target, class_weights)
    planned = chosen.plan(task, settled.rest, **dict(options or {}))
    if log is not None:
        left = float(order.promise.epsilon - settled.rest.epsilon)
        log.begin(f"a model of {target}", order.promise.sentence_about(order.unit), left)
    fitted, receipt = fitted_under(
        planned,
        task,
        settled.rest,
        ledger,
        booking={**booking, "data": table.fingerprint},
        read=lambda: read_examples(table, task.features, task.target, task.unit),
        progress=progress,
        seed_file=seed_file,
        log=log,
    )
    return ReleasedModel(
        fitted=fitted,
        features=task.features,
        target=task.target,
        promise=order.promise,
        unit=unit_to_json(task.unit),
        receipt=receipt,
        provenance=_provenance(table, task, planned),
        notes=(*settled.notes, *_origin_notes(settled.schema, task)),
    )


@dataclass(frozen=True)
class _Settled:
    """What is known once everything is: of the columns, of the number of units, and what is left of the promise."""

    schema: Schema
    size: int
    rest: ApproxDP
    notes: tuple[str, ...] = ()


def _settled(
    table: Table,
    order: _Order,
    ledger: Ledger,
    booking: dict[str, Any],
    *,
    size: int | None,
    target: str,
    classes: bool | None,
    seed_file: Path | None,
) -> _Settled:
    """What is public, and for what is not, estimates that are paid for."""
    if size is not None and not order.unknown:
        return _Settled(order.schema, size or 1, order.promise)
    missing = kinds_to_estimate(table.columns, order.unknown, order.unit, classes=target if classes else None)
    require_readable(table, [*order.schema.columns, *missing], order.unit)
    bought = _bought(table, order, ledger, booking, count=size is None, columns=missing, kept=seed_file)
    return _completed(order, size, bought, target)


def _completed(order: _Order, size: int | None, bought: PrivateEstimates, target: str) -> _Settled:
    """What is public with what was bought; refuses where noise left nothing to learn."""
    number = size or bought.count or 1
    known = Schema({**order.schema.columns, **bought.columns}, number)
    _refuse_lost(known, target, order.unit, bought.receipt)
    return _Settled(known, number, bought.rest, _bought_notes(bought))


def _task(
    table: Table, order: _Order, settled: _Settled, target: str, weights: Mapping[str, float] | None
) -> Task:
    own = order.unit.column if isinstance(order.unit, Person) else None
    features, wanted = settled.schema.split(target, own, table.columns)
    return Task(features, wanted, order.unit, settled.size, weights_of(wanted, weights))


def refuse_unfit(
    table: Table,
    promise: Promise,
    *,
    target: str,
    model: str = "auto",
    schema: Schema | Mapping[str, Any] | str | Path | None = None,
    columns: Sequence[str] | None = None,
    records: int | None = None,
) -> None:
    """Refuse what `train` would refuse before it books anything: reads no row and needs no ledger."""
    learner(model)
    _public_size(records, _ordered(table, promise, target, schema, columns))


def _refuse_others(table: object, ledger: object) -> None:
    if not isinstance(ledger, Ledger):
        raise BadUsage(
            "a model is booked in a ledger.", 'Open one: Ledger("patients.ledger", limit=ApproxDP(3, 1e-6)).'
        )
    if not isinstance(table, Table):
        raise BadUsage("what is trained on is a table.", "Open it with open_table(…, unit=…).")


def _provenance(table: Table, task: Task, planned: Planned) -> Provenance:
    return Provenance(
        question=f"predict {task.target.name} from {', '.join(task.features.names)}",
        data=table.fingerprint,
        engine=table.relation.engine,
        versions={"privet": __version__, "numpy": np.__version__},
        stages=_stages(task, planned),
    )


@dataclass(frozen=True)
class _Order:
    """A request that was checked: no row has been read for it. `unknown` are columns nobody states anything about."""

    schema: Schema
    unknown: list[str]
    unit: Unit
    promise: ApproxDP


def _ordered(
    table: Table, promise: object, target: object, schema: object, columns: Sequence[str] | None
) -> _Order:
    faults = []
    if not isinstance(promise, ApproxDP) or not promise.delta:
        faults.append("training promises ApproxDP(epsilon, delta), with a delta above 0.")
    faults += [
        f"there is no column {name!r}. {did_you_mean(str(name), table.columns)}"
        for name in dict.fromkeys([target, *(columns or [])])
        if name not in table.columns
    ]
    unit = table.unit_or_refuse()
    if isinstance(unit, Person) and unit.max_rows is None:
        faults.append(f"the unit does not say how many rows of one {unit.column!r} may count (max_rows).")
    if isinstance(unit, Person) and target == unit.column:
        faults.append("the column that identifies a person cannot be the target.")
    if faults:
        raise BadTraining(" ".join(faults), "Correct what is named; nothing was read or spent.")
    assert isinstance(promise, ApproxDP)
    assert isinstance(target, str)
    known, unknown = _known(table, target, schema, columns, unit)
    if not unknown:
        known.split(target, unit.column if isinstance(unit, Person) else None, table.columns)
    known.require_public(list(known.columns))
    return _Order(known, unknown, unit, promise)


def _known(
    table: Table, target: str, schema: object, columns: Sequence[str] | None, unit: Unit
) -> tuple[Schema, list[str]]:
    """What is stated of the columns that will be used, and the names of those nothing is stated of."""
    found = schema_of(schema, table)
    wanted = list(columns) if columns is not None else None
    if wanted is None:
        hidden = (Role.DIRECT, Role.FREE_TEXT)
        wanted = list(found.columns) if schema is not None else [
            name
            for name, kind in table.columns.items()
            if kind is not ColumnKind.OTHER and table.roles.get(name) not in hidden
        ]  # fmt: skip
    own = unit.column if isinstance(unit, Person) else None
    used = dict.fromkeys(name for name in [*wanted, target] if name != own)
    if schema is not None:
        lacking = [name for name in used if name not in found.columns]
        if lacking:
            raise BadTraining(
                f"the schema says nothing of {', '.join(lacking)}.",
                "Add them; `privet schema FILE` drafts one.",
            )
    stated = {name: known for name, known in found.columns.items() if name in used}
    return Schema(stated, found.records), [name for name in used if name not in found.columns]


def weights_of(target: ModelTarget, given: Mapping[str, float] | None) -> tuple[float, ...]:
    """The weights of the classes in their order, scaled so that their mean is 1."""
    if not given:
        return ()
    named = {as_text(name): weight for name, weight in given.items()}
    good = all(0 < weight < math.inf for weight in named.values())
    if set(named) != set(target.classes) or not good:
        raise BadTraining(
            "class_weights gives each class a positive weight.", "Name every class of the target once."
        )
    mean = sum(named.values()) / len(named)
    return tuple(named[name] / mean for name in target.classes)


def _bought(
    table: Table,
    order: _Order,
    ledger: Ledger,
    booking: dict[str, Any],
    *,
    count: bool,
    columns: Mapping[str, str],
    kept: Path | None,
) -> PrivateEstimates:
    """What nobody states, bought with noise; by a run that is kept on file, once."""
    run = None if kept is None else run_name(kept)
    try:
        return estimated(
            table, order.unit, order.promise, ledger, booking, count=count, columns=columns, run=run
        )
    except (BudgetError, BadInput, ReleaseFailed):
        if kept is not None:  # under this name nothing was booked, or nothing can be made of it
            forget_name(kept)
        raise


def _public_size(records: int | None, order: _Order) -> int | None:
    """About how many units there are, where that is public; refuses what cannot go together, before a row is read."""
    size = int(records) if records is not None else order.schema.records
    if size is not None and size < 1:
        raise BadTraining("records is a public number of at least 1.", "Leave it out to buy a noisy count.")
    if order.promise.delta * (size or FEWEST) >= 1:
        raise BadTraining(
            "delta is not below one in the number of units: it would allow to publish one of them whole.",
            "Promise a delta far below 1 / records; nothing was read or spent.",
        )
    return size


def event_of(
    table: Table,
    promise: Promise,
    *,
    target: str,
    model: str = "auto",
    schema: Schema | Mapping[str, Any] | str | Path | None = None,
    columns: Sequence[str] | None = None,
    records: int | None = None,
    class_weights: Mapping[str, float] | None = None,
    options: Mapping[str, Any] | None = None,
) -> Event:
    """What `train` would book with the same arguments; reads no row.

    Only where everything it depends on is public: what has to be estimated first cannot be said beforehand.
    """
    order = _ordered(table, promise, target, schema, columns)
    size = int(records) if records is not None else order.schema.records
    if size is None or size < 1 or order.unknown:
        lacking = [*order.unknown, *(["records"] if size is None else [])]
        raise BadTraining(
            f"nothing public is stated of {', '.join(lacking) or 'records'}, so the price is not known beforehand.",
            "State bounds or values of each column, and about how many units there are.",
        )
    task = _task(table, order, _Settled(order.schema, size, order.promise), target, class_weights)
    return learner(model).plan(task, order.promise, **dict(options or {})).event


def _stages(task: Task, planned: Planned) -> tuple[str, ...]:
    whose = "each row counts by itself"
    if isinstance(task.unit, Person):
        whose = f"at most {task.unit.max_rows} rows of one {task.unit.column!r} count, together as one"
    return (
        f"{len(task.features.columns)} columns are coded by public bounds and values, {task.features.levels} levels in all",
        whose,
        f"booked whole before the first row: {planned.event.kind}",
    )


def _refuse_lost(known: Schema, target: str, unit: Unit, receipt: Receipt) -> None:
    """Refuse where noise left nothing to predict, or nothing to predict it from: a fact of noisy figures alone."""
    own = unit.column if isinstance(unit, Person) else None
    left = [name for name, one in known.columns.items() if one.kind != "ignore" and name not in (target, own)]
    lost = "the target" if known.columns[target].kind == "ignore" else "" if left else "every column"
    if lost:
        raise BadTraining(
            f"{lost} could not be told from noise, with what was left for estimates (entry {receipt.entry} paid for them).",
            "State bounds and values: schema=, or bounds= and keys= of the table; then nothing is spent on them.",
        )


def _bought_notes(bought: PrivateEstimates) -> tuple[str, ...]:
    notes = []
    if bought.count is not None:
        notes.append("The number of units was estimated with noise.")
    found = [name for name, known in bought.columns.items() if known.kind != "ignore"]
    lost = [name for name, known in bought.columns.items() if known.kind == "ignore"]
    if found:
        notes.append(f"Bounds or values of {', '.join(found)} were estimated with noise.")
    if lost:
        notes.append(f"{', '.join(lost)} could not be told from noise and were left out.")
    return (*notes, f"Estimates are part of the promise, and booked as entry {bought.receipt.entry}.")


def _origin_notes(schema: Schema, task: Task) -> tuple[str, ...]:
    named = [
        name
        for name in (*task.features.names, task.target.name)
        if schema.columns[name].origin is Origin.CONFIRMED
    ]
    if not named:
        return ()
    why = schema.columns[named[0]].why
    return (
        f"Bounds or values of {', '.join(named)} were read off the data and made public by decision: {why}.",
    )
