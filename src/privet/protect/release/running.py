"""Running a plan: book it, compute exactly, add noise, read the answers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from privet import __version__
from privet.artifact.answer import Answer, Provenance, ReleasedAnswer
from privet.engine.aggregating import SealedGroups, prepare
from privet.engine.running import read_through
from privet.engine.tables import project
from privet.engine.versions import version_of
from privet.errors import InternalError
from privet.guarantee.events import DiscreteGaussian, DiscreteLaplace, ThresholdedKeys, TruncatedKeys
from privet.guarantee.promises import Promise
from privet.guarantee.units import unit_to_json
from privet.ledger import Ledger, Permit
from privet.mechanism import (
    ShownKeys,
    discrete_gaussian,
    discrete_laplace,
    reveal_keys,
    thresholded_keys,
    truncated_keys,
)
from privet.protect.release.asking import as_query
from privet.protect.release.explaining import notes, stages
from privet.protect.release.plan import Plan, make_plan
from privet.sealed import SealedKeys
from privet.source.query import Query
from privet.source.table import Table

if TYPE_CHECKING:
    from numpy.typing import NDArray


def release_question(
    question: Query | str,
    promise: Promise,
    *,
    ledger: Ledger,
    why: str,
    table: Table | None = None,
    purpose: str | None = None,
    analyst: str | None = None,
    confidence: float = 0.95,
    again: bool = False,
) -> ReleasedAnswer:
    """Answer one question; see `answering.release`."""
    query = as_query(question, table)
    plan = make_plan(query, promise, accounting=ledger.accounting, confidence=confidence)
    digest = _digest(plan)
    if not again and (stored := ledger.recall(digest)) is not None:
        return ReleasedAnswer.from_json(json.loads(stored[1]))
    unit = query.table.unit_or_refuse()
    # A question that reads no column still needs whole rows: their number of fields shows in any column.
    used = query.columns_used() or list(query.table.columns)[:1]
    read_through(project(query.table.relation, used))
    compute = prepare(
        query.relation(),
        keys=query.keys,
        public_keys=query.public_keys(),
        measures=plan.measures,
        contribution=plan.contribution,
    )
    permit = ledger.charge(
        plan.event,
        why=why,
        unit=unit,
        promise=promise,
        purpose=purpose,
        analyst=analyst,
        data=query.table.fingerprint,
        question=digest,
    )
    receipt = permit.receipt
    keys, noisy = noised(plan, compute(), permit)
    keys, answers = _read(plan, keys, noisy)
    answer = ReleasedAnswer(
        keys=keys,
        answers=answers,
        confidence=confidence,
        promise=promise,
        receipt=receipt,
        provenance=Provenance(
            question=query.describe(),
            data=query.table.fingerprint,
            engine=query.table.relation.engine,
            versions={"privet": __version__, query.table.relation.engine: version_of(query.table.relation)},
            stages=stages(plan),
        ),
        notes=notes(plan),
    )
    ledger.remember(receipt, digest, json.dumps(answer.to_json(), ensure_ascii=False).encode())
    return answer


def _read(
    plan: Plan, keys: dict[str, tuple[Any, ...]], noisy: Mapping[str, NDArray[np.int64]]
) -> tuple[dict[str, tuple[Any, ...]], tuple[Answer, ...]]:
    """Keys and answers as they are shown: a table of its own repeats its group's keys beside its labels."""
    shown = [reading.read(noisy, plan.noise, plan.confidence) for reading in plan.readings]
    answers = tuple(answer for part in shown for answer in part.answers)
    groups = shown[0].groups
    if groups is None:
        return keys, answers
    if len(shown) > 1:
        raise InternalError("a table of its own was planned beside other answers.")
    repeated = {name: tuple(values[group] for group in groups) for name, values in keys.items()}
    return repeated | dict(shown[0].labels), answers


def noised(
    plan: Plan, groups: SealedGroups, permit: Permit
) -> tuple[dict[str, tuple[Any, ...]], dict[str, NDArray[np.int64]]]:
    """Draw the planned noise, vector by vector; with unknown keys, only what passed the threshold comes out."""
    permits = _by_vector(plan, permit)
    noisy: dict[str, NDArray[np.int64]] = {}
    shown: ShownKeys | None = None
    for name, event in plan.noise.items():
        match event:
            case ThresholdedKeys():
                shown = thresholded_keys(groups.answers[name], permits[name])
                noisy[name] = shown.persons
            case TruncatedKeys():
                shown = truncated_keys(groups.answers[name], permits[name])
                noisy[name] = shown.persons
            case DiscreteLaplace():
                noisy[name] = discrete_laplace(groups.answers[name], permits[name])
            case DiscreteGaussian():
                noisy[name] = discrete_gaussian(groups.answers[name], permits[name])
            case _:
                raise InternalError(f"no mechanism draws {event.kind} noise for a release.")
    if shown is None:
        return _stated_keys(groups), noisy
    if not isinstance(groups.keys, SealedKeys):
        raise InternalError("keys passed a threshold that were public already.")
    keys = reveal_keys(groups.keys, shown)
    return keys, {name: vector[shown.shown] for name, vector in noisy.items()}


def _stated_keys(groups: SealedGroups) -> dict[str, tuple[Any, ...]]:
    """The public keys, column by column; none for a question about the whole table."""
    if isinstance(groups.keys, SealedKeys):
        raise InternalError("keys that are not public were about to be shown.")
    return (
        {}
        if groups.keys is None
        else {name: tuple(groups.keys[name].to_pylist()) for name in groups.keys.column_names}
    )


def _by_vector(plan: Plan, permit: Permit) -> Mapping[str, Permit]:
    permits = (
        permit.parts()
        if len(plan.noise) > 1 or permit.event != next(iter(plan.noise.values()))
        else (permit,)
    )
    if len(permits) != len(plan.noise):
        raise InternalError("the permit does not cover the plan's vectors one by one.")
    return dict(zip(plan.noise, permits, strict=True))


def _digest(plan: Plan) -> str:
    """What makes two questions the same: the query, the data's snapshot, the unit and the noise."""
    record = {
        "question": plan.query.describe(),
        "data": plan.query.table.fingerprint,
        "unit": unit_to_json(plan.query.table.unit_or_refuse()),
        "promise": plan.promise.to_json(),
        "event": plan.event.to_json(),
        "confidence": plan.confidence,
    }
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()
