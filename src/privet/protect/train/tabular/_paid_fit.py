"""Fitting under one booking: the rows are read, the plan is booked, the learner draws; after a kill, under the entry that is there.

Learners whose noise all comes from a seed are taken up with the seed that their entry commits to. The noise of others is drawn
anew, under an entry that is booked once, and what is stored for it is what leaves: why that is no second release is proved in
`privet.ledger._idempotent_booking`. Nothing of a fit is seen before it is stored, but for the number of steps, which is public,
and the owner's own log.
"""

from __future__ import annotations

import base64
import hashlib
import json
import platform
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from privet.artifact import FittedWeights, Receipt
from privet.errors import BudgetError, ReleaseFailed
from privet.guarantee import ApproxDP
from privet.ledger import Ledger, Permit
from privet.mechanism import SecretSeed
from privet.protect._exactly_once import Booking, released
from privet.protect.train._run_seeds import (
    digest_of_rows,
    drop_seed,
    forget_name,
    is_named,
    require_same_rows,
    run_name,
    seed_for,
)
from privet.protect.train._training_log import TrainingLog
from privet.protect.train.tabular._hashed_order import in_order
from privet.protect.train.tabular._learner_registry import Examples, Paid, Planned, Report, Task


def fitted_under(
    planned: Planned,
    task: Task,
    promise: ApproxDP,
    ledger: Ledger,
    *,
    booking: dict[str, Any],
    read: Callable[[], Examples],
    progress: Report | None = None,
    seed_file: Path | None = None,
    log: TrainingLog | None = None,
) -> tuple[FittedWeights, Receipt]:
    """Read the rows, book what was planned, fit; with a seed on file, under the entry that is there.

    Rows that cannot be read cost nothing, as nothing of them has been told.
    """
    examples = read()
    run = _run_digest(planned, task, booking["data"])
    spend: dict[str, Any] = {"event": planned.event, "unit": task.unit, "promise": promise}

    def fit(examples: Examples, permit: Permit, seed: SecretSeed) -> FittedWeights:
        return planned.fit(examples, Paid(permit, seed, run), progress, log)

    if seed_file is not None and not planned.replays:
        ordered = in_order(examples)
        return _fitted_once(
            lambda permit: fit(ordered, permit, SecretSeed.fresh()),
            run.encode() + digest_of_rows(*ordered.parts),
            ledger,
            spend={**spend, "data": booking["data"]},
            note={name: said for name, said in booking.items() if name != "data"},
            kept=seed_file,
        )
    seed, booked = seed_for(seed_file, run, ledger)
    question = seed.question(run)
    try:
        permit = (
            ledger.charge(**spend, question=question, **booking)
            if booked is None
            else ledger.resume(booked, question)
        )
    except BudgetError:
        if seed_file is not None:  # it was booked with nothing
            drop_seed(seed_file)
        raise
    if seed_file is not None:
        examples = in_order(examples)
        require_same_rows(seed_file, seed, *examples.parts)
    return fit(examples, permit, seed), permit.receipt


def _fitted_once(
    fit: Callable[[Permit], FittedWeights],
    run: bytes,
    ledger: Ledger,
    *,
    spend: dict[str, Any],
    note: dict[str, Any],
    kept: Path,
) -> tuple[FittedWeights, Receipt]:
    """A learner whose noise no seed repeats: booked once under the run's name, and what is stored is what leaves."""

    def draw(permit: Permit) -> bytes:
        return _stored(fit(permit), permit.receipt)

    begun = is_named(kept)  # by estimates that were bought, or before a kill
    question = f"model of run {run_name(kept).keyed(b'model ' + run)}"
    try:
        return _taken_up(released(Booking(ledger, **note), question, spend=spend, prepared=lambda: draw))
    except BudgetError:
        if not begun:
            forget_name(kept)
        raise
    except ReleaseFailed as problem:
        forget_name(kept)
        raise ReleaseFailed(problem.fact, "Train again: it is booked anew.") from None


def _stored(fitted: FittedWeights, receipt: Receipt) -> bytes:
    """A fitted model as the ledger keeps it."""
    from safetensors.numpy import save

    content = save({name: np.ascontiguousarray(value) for name, value in fitted.weights.items()})
    return json.dumps(
        {
            "artifact": "fitted model",
            "schema": 1,
            "kind": fitted.kind,
            "settings": dict(fitted.settings),
            "weights": base64.b64encode(content).decode(),
            "receipt": receipt.to_json(),
        }
    ).encode()


def _taken_up(stored: bytes) -> tuple[FittedWeights, Receipt]:
    from safetensors.numpy import load

    found = json.loads(stored)
    weights = load(base64.b64decode(found["weights"]))
    return FittedWeights(found["kind"], weights, found["settings"]), Receipt.from_json(found["receipt"])


def _run_digest(planned: Planned, task: Task, data: str) -> str:
    described = {
        "data": data,
        "event": planned.event.to_json(),
        "settings": planned.settings,
        "features": task.features.to_json(),
        "target": task.target.to_json(),
        "software": {"numpy": np.__version__, "machine": platform.machine()},
    }
    return hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()
