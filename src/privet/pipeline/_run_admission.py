"""What a run asks before it begins: that plan, keys, journal and approvals stand, and that nothing of others is in its way.

All of it is found out before anything is read, written or booked.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from privet.artifact import Makings, content_digest, inside
from privet.dataset import approvers_in, existing, head_of, refuse_other_keys
from privet.errors import NotMadeHere, StalePlan
from privet.evidence import Signing
from privet.ledger import Ledger
from privet.pipeline._approvals import refuse_unapproved, refuse_unsigned
from privet.pipeline._run_journal import RunJournal, work_folder
from privet.pipeline._run_plan import RunPlan
from privet.pipeline._run_planner import Project, changed_files
from privet.source import Table


def refuse_in_the_way(project: Project, out: Path) -> None:
    """What stands where outputs will go is what a run says it made, or nothing: found out before anything is read or booked."""
    made, makings = RunJournal(out).standing(), Makings(work_folder(out))
    foreign = [
        step.place
        for step in project.steps
        if os.path.lexists(place := inside(out, step.place, folders=True))
        and not makings.hold(step.place, place)
        and not (step.place in made and content_digest(place) == made[step.place].digest)
    ]
    _refuse_foreign(foreign)


def refuse_replaced(plan: RunPlan, journal: RunJournal, out: Path) -> None:
    """What a step will replace is what was made here, as the file layer noted it: a copy that was put there stays."""
    makings = Makings(work_folder(out))
    _refuse_foreign(
        [
            step.to
            for step in plan.steps
            if os.path.lexists(place := inside(out, step.to, folders=True))
            and journal.made(step.key) is None
            and not makings.hold(step.to, place)
        ]
    )


def _refuse_foreign(foreign: list[str]) -> None:
    if foreign:
        raise NotMadeHere(
            f"{', '.join(foreign)} in the folder of the outputs would be replaced, and no run made it.",
            "Move it away, or give the step another name: `to:`. Nothing was read, written or spent.",
            files=foreign,
        )


def refuse_unfounded(project: Project, plan: RunPlan | None, signing: Signing | None) -> None:
    """Keys, journal, plan and approvals are what the data set's key and its ledger say: found out before anything is read."""
    keys = None if signing is None else signing.keys
    ledger = existing(project.policy, project.folder)
    with contextlib.nullcontext() if ledger is None else ledger:
        refuse_other_keys(ledger, keys)
        journal = RunJournal(project.out)
        journal.refuse_rolled_back(ledger)
        begun = journal.begun()
        given = plan if plan is not None else begun.plan if begun is not None and not begun.ended else None
        if given is not None:
            refuse_unsigned(given, keys)
        refuse_unapproved(given, approvers_in(ledger, keys))


def changes_since(
    plan: RunPlan, project: Project, table: Table, ledger: Ledger | None, *, going_on: bool
) -> list[str]:
    found = []
    if plan.policy != project.digest:
        found.append("the policy has changed since the plan was made.")
    if plan.data != table.fingerprint:
        found.append("the data has changed since the plan was made.")
    if not found:  # a policy or data that has changed says it already
        found += [
            f"a file that step {name!r} names has changed since the plan was made."
            for name in changed_files(plan, project, table)
        ]
    strange = _strangers(plan, ledger) > 0 if going_on else head_of(ledger) != plan.ledger
    if strange:
        found.append("the ledger has entries that were not there when the plan was made.")
    return found


def refuse_stale(
    plan: RunPlan, project: Project, table: Table, ledger: Ledger | None, *, going_on: bool
) -> None:
    faults = changes_since(plan, project, table, ledger, going_on=going_on)
    if faults:
        raise StalePlan(
            " ".join(faults), "Make a new plan with `privet plan`, and look at it.", faults=faults
        )


def _strangers(plan: RunPlan, ledger: Ledger | None) -> int:
    """Entries after the plan's head that its own run did not make; the plan's head must be in the chain."""
    if ledger is None:
        return 0 if set(plan.ledger) == {"0"} else 1
    entries = list(ledger.history())
    at = next((place for place, entry in enumerate(entries, 1) if entry.hash == plan.ledger), 0)
    if at == 0 and set(plan.ledger) != {"0"}:
        return 1
    mine = mark(plan)
    return sum(
        entry.kind in ("spend", "promise") and mine not in str(entry.body.get("why"))
        for entry in entries[at:]
    )


def mark(plan: RunPlan) -> str:
    """What the ledger's reasons say of the plan they belong to."""
    return f"[plan {plan.digest[:16]}]"
