"""Running plans: book them as one, compute exactly, add noise, read the answers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from privet import __version__
from privet.artifact import Answer, Provenance, Receipt, ReleasedAnswer
from privet.engine import SealedGroups, prepare, project, read_through, version_of
from privet.errors import InternalError
from privet.guarantee import (
    DiscreteGaussian,
    DiscreteLaplace,
    Repeated,
    ThresholdedKeys,
    TruncatedKeys,
    unit_to_json,
)
from privet.ledger import Ledger, Permit
from privet.mechanism import (
    ShownKeys,
    discrete_gaussian,
    discrete_laplace,
    reveal_keys,
    select_each,
    thresholded_keys,
    truncated_keys,
)
from privet.protect._admission import admitted
from privet.protect._engine_incidents import computed
from privet.protect._exactly_once import Booking, Draw, released
from privet.protect.query._explanation import notes, stages
from privet.protect.query.noise_plan import ReleasePlan
from privet.sealed import SealedKeys

if TYPE_CHECKING:
    from numpy.typing import NDArray


def run(plans: Sequence[ReleasePlan], booking: Booking) -> tuple[ReleasedAnswer, ...]:
    """Book plans made together, as one, and carry them out; or hand back what was released for them before.

    Whatever can be refused is refused before anything is booked: every file is read through, and every question
    prepared. After that nothing is spent a second time, and nothing fails that could depend on a row.
    """
    tables = [plan.query.table for plan in plans]
    purpose = admitted(tables, "answer", ledger=booking.ledger, purpose=booking.purpose)
    release = released(
        replace(booking, purpose=purpose),
        question_of(plans),
        spend={
            "event": plans[0].event,
            "unit": tables[0].unit_or_refuse(),
            "promise": plans[0].promise,
            "data": _data(plans),
        },
        prepared=lambda: _drawing(plans, booking.ledger),
    )
    return _recalled(release)


def _drawing(plans: Sequence[ReleasePlan], ledger: Ledger) -> Draw:
    """What draws the answers to the plans; all that can be refused is refused here."""
    read_files(plans)
    computations = [computation_of(plan) for plan in plans]
    versions = [version_of(plan.query.table.relation) for plan in plans]

    def draw(permit: Permit) -> bytes:
        permits = _by_vector(plans, permit)
        noisy = (
            noised_with(plan, computed(compute, ledger, permit.receipt), part)
            for plan, compute, part in zip(plans, computations, permits, strict=True)
        )
        answers = [
            answered(plan, *drawn, permit.receipt, version, place=place, together=len(plans))
            for place, (plan, drawn, version) in enumerate(zip(plans, noisy, versions, strict=True), 1)
        ]
        records = [answer.to_json() for answer in answers]
        # A single question is kept as its answer, questions asked together as a list.
        return json.dumps(records if len(plans) > 1 else records[0]).encode()

    return draw


def _recalled(release: bytes) -> tuple[ReleasedAnswer, ...]:
    record = json.loads(release)
    return tuple(
        ReleasedAnswer.from_json(item) for item in (record if isinstance(record, list) else [record])
    )


def read_files(plans: Sequence[ReleasePlan]) -> None:
    """Read every table through, once, in the columns that some question uses."""
    used: dict[int, dict[str, None]] = {}
    tables = {id(plan.query.table): plan.query.table for plan in plans}
    for plan in plans:
        # A question that reads no column still needs whole rows: their number of fields shows in any column.
        columns = plan.query.columns_used() or list(plan.query.table.columns)[:1]
        used.setdefault(id(plan.query.table), {}).update(dict.fromkeys(columns))
    for number, table in tables.items():
        read_through(project(table.relation, list(used[number])))


def computation_of(plan: ReleasePlan) -> Callable[[], SealedGroups]:
    """What computes the exact answers of a plan, under seal; all that can be refused is refused here."""
    return prepare(
        plan.query.relation(),
        keys=plan.query.keys,
        public_keys=plan.query.public_keys(),
        measures=plan.measures,
        contribution=plan.contribution,
    )


def _data(plans: Sequence[ReleasePlan]) -> str:
    """The fingerprint of the data; of several tables, one of all their fingerprints."""
    prints = list(dict.fromkeys(plan.query.table.fingerprint for plan in plans))
    return prints[0] if len(prints) == 1 else hashlib.sha256("\n".join(prints).encode()).hexdigest()


def answered(
    plan: ReleasePlan,
    keys: dict[str, tuple[Any, ...]],
    noisy: Mapping[str, NDArray[np.int64]],
    receipt: Receipt,
    version: str,
    *,
    place: int,
    together: int,
) -> ReleasedAnswer:
    """The answer to a plan, read off its noisy vectors; it was made at `place` of so many `together`."""
    table = plan.query.table
    shown, answers = _read(plan, keys, noisy)
    # The same question asked twice under one receipt has noise of its own each time.
    answers = tuple(
        replace(one, noise=tuple(replace(term, source=str(place)) for term in one.noise)) for one in answers
    )
    shared = (f"One of {together} answers that were booked as one and keep the promise together.",)
    return ReleasedAnswer(
        keys=shown,
        answers=answers,
        confidence=plan.confidence,
        promise=plan.promise,
        receipt=receipt,
        provenance=Provenance(
            question=plan.query.describe(),
            data=table.fingerprint,
            engine=table.relation.engine,
            versions={"privet": __version__, table.relation.engine: version},
            stages=stages(plan),
        ),
        notes=notes(plan) + (shared if together > 1 else ()),
    )


def _read(
    plan: ReleasePlan, keys: dict[str, tuple[Any, ...]], noisy: Mapping[str, NDArray[np.int64]]
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
    plan: ReleasePlan, groups: SealedGroups, permit: Permit
) -> tuple[dict[str, tuple[Any, ...]], dict[str, NDArray[np.int64]]]:
    """Draw the noise of a plan of its own with the permit for its event."""
    (permits,) = _by_vector((plan,), permit)
    return noised_with(plan, groups, permits)


def noised_with(
    plan: ReleasePlan, groups: SealedGroups, permits: Mapping[str, Permit]
) -> tuple[dict[str, tuple[Any, ...]], dict[str, NDArray[np.int64]]]:
    """Draw the planned noise, vector by vector; with unknown keys, only those selected come out."""
    noisy: dict[str, NDArray[np.int64]] = {}
    shown: ShownKeys | None = None
    for name, event in plan.noise.items():
        match event:
            case ThresholdedKeys():
                shown = thresholded_keys(groups.answers[name], permits[name])
                noisy[name] = shown.numbers
            case TruncatedKeys():
                shown = truncated_keys(groups.answers[name], permits[name])
                noisy[name] = shown.numbers
            case DiscreteLaplace():
                noisy[name] = discrete_laplace(groups.answers[name], permits[name])
            case DiscreteGaussian():
                noisy[name] = discrete_gaussian(groups.answers[name], permits[name])
            case Repeated():
                noisy[name] = select_each(groups.answers[name], permits[name])
            case _:
                raise InternalError(f"no mechanism draws {event.kind} noise for a release.")
    if shown is None:
        return stated_keys(groups), noisy
    if not isinstance(groups.keys, SealedKeys):
        raise InternalError("keys passed a threshold that were public already.")
    keys = reveal_keys(groups.keys, shown)
    return keys, {name: _of_shown(vector, shown.shown) for name, vector in noisy.items()}


def _of_shown(vector: NDArray[np.int64], shown: NDArray[np.bool_]) -> NDArray[np.int64]:
    """What belongs to the groups shown: as many entries for each as there are bins."""
    each = len(vector) // max(len(shown), 1)
    return vector.reshape(len(shown), each)[shown].reshape(-1)


def stated_keys(groups: SealedGroups) -> dict[str, tuple[Any, ...]]:
    """The public keys, column by column; none for a question about the whole table."""
    if isinstance(groups.keys, SealedKeys):
        raise InternalError("keys that are not public were about to be shown.")
    return (
        {}
        if groups.keys is None
        else {name: tuple(groups.keys[name].to_pylist()) for name in groups.keys.column_names}
    )


def _by_vector(plans: Sequence[ReleasePlan], permit: Permit) -> list[dict[str, Permit]]:
    """One permit for each vector of each plan, out of the one for all of them."""
    events = [event for plan in plans for event in plan.noise.values()]
    permits = permit.parts() if len(events) > 1 or permit.event != events[0] else (permit,)
    if [each.event for each in permits] != events:
        raise InternalError("the permit does not cover the plans' vectors one by one.")
    rest = iter(permits)
    return [{name: next(rest) for name in plan.noise} for plan in plans]


def question_of(plans: Sequence[ReleasePlan]) -> str:
    """What makes two releases the same, as the ledger keeps them: queries, the data's snapshot, units and noise."""
    records = [
        {
            "question": plan.query.describe(),
            "data": plan.query.table.fingerprint,
            "unit": unit_to_json(plan.query.table.unit_or_refuse()),
            "promise": plan.promise.to_json(),
            "event": plan.event.to_json(),
            "confidence": plan.confidence,
        }
        for plan in plans
    ]
    record = records if len(records) > 1 else records[0]
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()
