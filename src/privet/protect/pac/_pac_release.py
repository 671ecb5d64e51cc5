"""Releasing what is computed on worlds: plan, book, compute every world, noise the secret world's output, keep what leaves."""

from __future__ import annotations

import contextlib
import json
from typing import Any, Unpack

from numpy.typing import NDArray

from privet import __version__
from privet.artifact import Provenance, Receipt, ReleasedOutput
from privet.engine import version_of
from privet.errors import checked_as
from privet.guarantee import Promise, unit_to_json
from privet.ledger import Ledger, Permit
from privet.mechanism import SecretWorld, pac_gaussian
from privet.protect._admission import admitted
from privet.protect._exactly_once import Booking, Draw, released
from privet.protect.pac._pac_explanation import PacExplanation, explained_plan
from privet.protect.pac._pac_options import WORLDS, PacOptions, PacPlanned
from privet.protect.pac._pac_plan import make_pac_plan
from privet.protect.pac._query_plan import make_query_plan
from privet.protect.pac._world_plan import Progress, WorldPlan
from privet.source import AppliedFunction, Query

MAKES = "answer"
_DOING = "computing the worlds"


def release_worlds(
    thing: AppliedFunction | Query,
    promise: Promise,
    *,
    ledger: Ledger,
    why: str,
    **options: Unpack[PacOptions],
) -> ReleasedOutput:
    """Release a function or a query computed on a secret half, fresh for this release; what left before is shown again.

    Guarantee:
        The output carries at most the promise's nats about which of the worlds was used; over releases the nats add up.
    Assumes:
        The function gives back what it computes from its rows, and sends them nowhere else. Bounds, keys, form and reference
        were chosen without looking at the data.
    """
    return _release(thing, promise, ledger, why, **options)


@checked_as("release")
def _release(
    thing: AppliedFunction | Query,
    promise: Promise,
    ledger: Ledger,
    why: str,
    *,
    purpose: str | None = None,
    analyst: str | None = None,
    again: bool = False,
    progress: Progress | None = None,
    **planned: Unpack[PacPlanned],
) -> ReleasedOutput:
    plan = plan_worlds(thing, promise, **planned)
    allowed = admitted([plan.table], MAKES, ledger=ledger, purpose=purpose)
    booking = Booking(ledger, why, allowed, analyst, again)

    def drawing() -> Draw:
        plan.refuse_unreadable()
        return lambda permit: drawn(plan, SecretWorld.fresh(plan.worlds), permit, ledger, progress)[0]

    release = released(booking, plan.question(), spend=spend_of(plan), prepared=drawing)
    return ReleasedOutput.from_json(json.loads(release))


def explain_worlds(
    thing: AppliedFunction | Query,
    promise: Promise,
    *,
    ledger: Ledger | None = None,
    **options: Unpack[PacPlanned],
) -> PacExplanation:
    """What `release` would run and promise. Tries a function on made-up rows; reads no private row and spends nothing."""
    return explained_plan(plan_worlds(thing, promise, **options), ledger)


def plan_worlds(thing: AppliedFunction | Query, promise: Promise, **options: Unpack[PacPlanned]) -> WorldPlan:
    """The plan of a function or a query; a function that is no more than aggregates is computed in one pass."""
    if isinstance(thing, AppliedFunction) and thing.function.aggregates is None:
        return make_pac_plan(thing, promise, **options)
    how: dict[str, Any] = {"worlds": options.get("worlds", WORLDS), "basis": options.get("basis")}
    if isinstance(thing, Query):
        return make_query_plan(thing, promise, **how)
    box = thing.function
    query = Query(thing.table, None, (), (), tuple((box.aggregates or {}).items()))
    return make_query_plan(query, promise, **how, least_people=box.least_people, title=box.name)


def spend_of(plan: WorldPlan) -> dict[str, object]:
    """What the ledger books."""
    return {
        "event": plan.event,
        "unit": plan.unit,
        "promise": plan.promise,
        "data": plan.table.fingerprint,
    }


def drawn(
    plan: WorldPlan, secret: SecretWorld, permit: Permit, ledger: Ledger, progress: Progress | None
) -> tuple[bytes, SecretWorld]:
    """The release as bytes, and the secret with what it tells of it. Raises nothing that could depend on a row."""
    outputs = plan.sealed(secret, lambda code: _report(ledger, permit.receipt, code), progress)
    noisy, after = pac_gaussian(outputs, secret, permit, plan.basis)
    return _output(plan, plan.grid.decode(noisy), permit.receipt), after


def _report(ledger: Ledger, receipt: Receipt, code: str) -> None:
    # Should the log be out of reach, an error about it would tell the asker what the log was to keep from them.
    with contextlib.suppress(Exception):
        ledger.incident(receipt, code, _DOING)


def _output(plan: WorldPlan, numbers: NDArray[Any], receipt: Receipt) -> bytes:
    table = plan.table
    made = ReleasedOutput(
        name=plan.name,
        numbers=tuple(float(number) for number in numbers),
        shape=plan.shape,
        labels=plan.labels,
        promise=plan.promise,
        worlds=plan.worlds,
        unit=unit_to_json(plan.unit),
        provenance=Provenance(
            question=plan.asked,
            data=table.fingerprint,
            engine=table.relation.engine,
            versions={"privet": __version__, table.relation.engine: version_of(table.relation)},
            stages=plan.stages(),
        ),
        receipt=receipt,
        notes=plan.notes(),
    )
    return json.dumps(made.to_json()).encode()
