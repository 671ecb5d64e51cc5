"""Running the plan of a spine: book all of it, count, add noise, combine, fit and round."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from privet import __version__
from privet.artifact import MeasuredCounts, Provenance, Receipt, ReleasedHierarchy, ReleasedLevel
from privet.engine import Measure, RollUp, SealedGroups, prepare, project, read_through, version_of
from privet.errors import checked_as
from privet.guarantee import Promise, spread, unit_to_json, written
from privet.ledger import Ledger, Permit
from privet.mechanism import discrete_gaussian
from privet.protect._admission import admitted
from privet.protect._engine_incidents import computed
from privet.protect._exactly_once import Booking, Draw, released
from privet.protect.tabulate._error_bars import widths
from privet.protect.tabulate._spine import Spine
from privet.protect.tabulate._spine_explanation import notes, stages
from privet.protect.tabulate._spine_plan import Measurement, SpinePlan, make_spine_plan
from privet.protect.tabulate._top_down import Descent, check_consistent, descend
from privet.protect.tabulate._weighted_estimates import SpineEstimates, combine

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DIGITS = 4  # of estimates, whose noise is far larger


@checked_as("release")
def release_spine(
    spine: Spine,
    promise: Promise,
    *,
    ledger: Ledger,
    why: str,
    purpose: str | None = None,
    analyst: str | None = None,
    confidence: float = 0.95,
    again: bool = False,
    progress: Callable[[str], None] | None = None,
) -> ReleasedHierarchy:
    """Release a spine: noisy tables for every level, unbiased, and beside them tables that add up.

    Args:
        spine: What is asked, made by `spine`.
        promise: `ZeroConcentratedDP` or `ApproxDP`, for everything together.
        ledger: Where it is booked, whole, before anything is computed.
        why: The reason, for the ledger.
        purpose: The purpose whose budget is charged as well.
        analyst: The analyst whose budget is charged as well.
        confidence: Of the error bars.
        again: Spend for a fresh release even where this very spine was released before.
        progress: Called at each step, `spine.steps` times, with what is being done.

    Guarantee:
        Everything measured satisfies `promise` for the table's privacy unit: each person is bounded once, for the
        finest table, and every measurement is noised for the sensitivity that follows from it. Estimates and
        consistent tables are computed from the noisy numbers and public facts alone.

    Assumes:
        Leaves, cells, shares and impossible cells were chosen without looking at the data. Counts declared exact
        are disclosures of their own: the promise does not speak of them.
    """
    purpose = admitted([spine.query.table], "hierarchy", ledger=ledger, purpose=purpose)
    plan = make_spine_plan(spine, promise, accounting=ledger.accounting, confidence=confidence)
    table = spine.query.table
    release = released(
        Booking(ledger, why, purpose, analyst, again),
        question_of(plan),
        spend={
            "event": plan.event,
            "unit": table.unit_or_refuse(),
            "promise": promise,
            "data": table.fingerprint,
        },
        prepared=lambda: _drawing(plan, ledger, progress),
    )
    return ReleasedHierarchy.from_json(json.loads(release))


def _drawing(plan: SpinePlan, ledger: Ledger, progress: Callable[[str], None] | None) -> Draw:
    """What draws and finishes a release of the spine; all that can be refused is refused here."""
    query = plan.spine.query
    read_through(project(query.table.relation, query.columns_used()))
    compute = _prepared(plan)
    version = version_of(query.table.relation)

    def draw(permit: Permit) -> bytes:
        noisy = _noised(plan, computed(compute, ledger, permit.receipt), permit)
        estimates, descent = finish(plan, noisy, progress=progress)
        return json.dumps(
            _answer(plan, noisy, estimates, descent, receipt=permit.receipt, version=version).to_json()
        ).encode()

    return draw


def _answer(
    plan: SpinePlan,
    noisy: Mapping[Measurement, NDArray[np.int64]],
    estimates: SpineEstimates,
    descent: Descent,
    *,
    receipt: Receipt,
    version: str,
) -> ReleasedHierarchy:
    spine = plan.spine
    table = spine.query.table
    return ReleasedHierarchy(
        levels=_levels(plan, noisy, estimates, descent),
        cells=dict(zip(spine.cells.columns, spine.cells.values, strict=True)),
        confidence=plan.confidence,
        promise=plan.promise,
        receipt=receipt,
        provenance=Provenance(
            question=spine.describe(),
            data=table.fingerprint,
            engine=table.relation.engine,
            versions={"privet": __version__, table.relation.engine: version},
            stages=stages(plan),
        ),
        invariants=tuple(invariant.sentence() for invariant in spine.invariants),
        zeros=int(np.count_nonzero(~spine.facts.allowed[-1])),
        notes=(*notes(plan), *_solved(descent)),
    )


def finish(
    plan: SpinePlan,
    noisy: Mapping[Measurement, NDArray[np.int64]],
    *,
    progress: Callable[[str], None] | None = None,
) -> tuple[SpineEstimates, Descent]:
    """From noisy numbers to estimates and consistent tables: nothing private goes in, so nothing more is spent."""
    spine = plan.spine
    estimates = combine(spine.tree, spine.cells, plan.precision, plan.sigmas, noisy)
    descent = descend(
        spine.tree,
        spine.cells,
        spine.facts,
        plan.precision,
        estimates,
        witness=spine.witness,
        progress=progress,
    )
    check_consistent(spine.tree, spine.cells, spine.facts, descent.tables)
    return estimates, descent


def _prepared(plan: SpinePlan) -> Callable[[], SealedGroups]:
    """The engine's question: the finest table, and every other measurement as a roll-up of it."""
    spine = plan.spine
    finest = (len(spine.tree.levels) - 1, spine.cells.detailed)
    cell = np.arange(spine.cells.size)
    rolls = {}
    for depth, group in plan.noise:
        if (depth, group) != finest:
            size = spine.cells.group_size(group)
            into = spine.tree.of_leaves(depth)[:, None] * size + spine.cells.into(group)[cell][None, :]
            rolls[plan.name((depth, group))] = RollUp(
                plan.name(finest), into.reshape(-1), len(spine.tree.levels[depth]) * size
            )
    return prepare(
        spine.query.relation(),
        keys=spine.query.keys,
        public_keys=spine.keys,
        measures={plan.name(finest): Measure("rows")},
        contribution=plan.contribution,
        rolls=rolls,
    )


def _noised(plan: SpinePlan, groups: SealedGroups, permit: Permit) -> dict[Measurement, NDArray[np.int64]]:
    parts = (permit,) if permit.event in plan.noise.values() else permit.parts()
    return {
        measurement: discrete_gaussian(groups.answers[plan.name(measurement)], part)
        for measurement, part in zip(plan.noise, parts, strict=True)
    }


def _levels(
    plan: SpinePlan,
    noisy: Mapping[Measurement, NDArray[np.int64]],
    estimates: SpineEstimates,
    descent: Descent,
) -> tuple[ReleasedLevel, ...]:
    spine, shares = plan.spine, dict(plan.spine.strategy.shares)
    found = []
    for depth, level in enumerate(spine.tree.levels):
        measured = tuple(
            MeasuredCounts(
                columns=_names(spine, group),
                share=written(shares[depth, group]),
                sigma=float(plan.noise[depth, group].sigma),
                width=spread(plan.noise[depth, group]).half_width(plan.confidence),
                values=noisy[depth, group].reshape(len(level), -1),
            )
            for at, group in plan.noise
            if at == depth
        )
        columns = spine.tree.columns[:depth]
        found.append(
            ReleasedLevel(
                name=level.name,
                keys={name: tuple(place[at] for place in level.places) for at, name in enumerate(columns)},
                counts=descent.tables[depth],
                unbiased=np.round(estimates.final[depth], _DIGITS),
                widths={
                    _names(spine, group): np.round(width, _DIGITS)
                    for group, width in widths(plan, depth).items()
                },
                measured=measured,
            )
        )
    return tuple(found)


def _names(spine: Spine, group: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(spine.cells.columns[axis] for axis in group)


def _solved(descent: Descent) -> tuple[str, ...]:
    """How the fit went, where it did not go as usual. Depends on noisy numbers and public facts alone."""
    if descent.repaired:
        return ("What was declared left no way to divide one place's table; all leaves were fitted at once.",)
    if descent.rounded_far:
        return (f"{descent.rounded_far} families were rounded further than to the next whole numbers.",)
    return ()


def question_of(plan: SpinePlan) -> str:
    """What makes two releases the same: the question, the data's snapshot, the unit and the noise."""
    table = plan.spine.query.table
    record = {
        "question": plan.spine.describe(),
        "data": table.fingerprint,
        "unit": unit_to_json(table.unit_or_refuse()),
        "promise": plan.promise.to_json(),
        "event": plan.event.to_json(),
        "confidence": plan.confidence,
    }
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()
