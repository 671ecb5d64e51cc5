"""The plan of a run: what each step will read, leave behind, spend and get wrong. Reads no row, spends nothing.

A plan is bound to the digests of what it was made from: the policy, the data's snapshot, the head of the ledger. Run
against anything else it would say something untrue, so it is refused then.
"""

from __future__ import annotations

import datetime
import hashlib
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from privet.artifact import content_digest, inside
from privet.dataset import (
    Faults,
    Placed,
    Seen,
    Till,
    existing,
    opened,
    raise_all,
    read_placed,
    refuse_other_keys,
    signing_of,
    till,
)
from privet.engine import did_you_mean
from privet.errors import BadPolicy, PolicyGap, StalePlan
from privet.ledger import DATA_SET, Ledger, clock, scope_of, to_text
from privet.pipeline import _purpose_limitation as purpose_limitation
from privet.pipeline._attack_stage import OWN_RISKS, limit_names
from privet.pipeline._policy import Policy, check_policy
from privet.pipeline._purpose_limitation import (
    checked,
    purposes_in_use,
    refuse_nothing_to_do,
    step_faults,
)
from privet.pipeline._run_journal import RunJournal
from privet.pipeline._run_plan import KEPT, NEW, PAID, STORED, PlannedStep, RunPlan, altered
from privet.source import Table
from privet.verbs import Bound, files_named

OUT = purpose_limitation.OUT


@dataclass(frozen=True, eq=False)
class Project:
    """A policy that was read and checked, and the folder it stands in. Nothing of the data was touched."""

    policy: Policy
    steps: tuple[Bound, ...]
    folder: Path
    digest: str

    @classmethod
    def read(cls, path: str | Path, today: datetime.date | None = None) -> Project:
        """Read a policy and hold its steps against their purposes."""
        file = Path(path)
        found = read_placed(file)
        try:
            policy = check_policy(found)
        except (BadPolicy, PolicyGap) as problem:
            raise _with_steps(problem, found) from None
        steps = checked(policy, found, today or clock.now().date())
        refuse_nothing_to_do(steps)
        _limits_named(policy, found)
        _files_there(steps, found, file.resolve().parent)
        return cls(policy, steps, file.resolve().parent, found.digest)

    @property
    def out(self) -> Path:
        """Where outputs stand: a folder beside the policy, and no link to another."""
        return inside(self.folder, OUT)


def _files_there(steps: tuple[Bound, ...], found: Placed, folder: Path) -> None:
    """Files that steps name are there, and attacks that they name exist: found out before anything is spent."""
    faults = []
    for step in steps:
        for part, name in files_named(step.verb, step.options):
            if not (folder / name).exists():
                place = found.place(("steps", step.at, part))
                faults.append(
                    f"{place} steps.{step.at}.{part}: nothing of that name stands beside the policy."
                )
        for at, name in enumerate(getattr(step.options, "attacks", None) or ()):
            if name not in limit_names() or name in OWN_RISKS:
                place = found.place(("steps", step.at, "attacks", at))
                faults.append(
                    f"{place} steps.{step.at}.attacks: there is no such attack. {did_you_mean(name, limit_names())}"
                )
    raise_all(faults)


def _with_steps(problem: BadPolicy | PolicyGap, found: Placed) -> BadPolicy | PolicyGap:
    """What is wrong with a policy, and with the options of its steps: all at once."""
    said = list(problem.details.get("faults", ()))
    if not said:
        return problem
    steps = step_faults(found)
    bad = said if isinstance(problem, BadPolicy) else []
    gaps = said if isinstance(problem, PolicyGap) else []
    return Faults([*bad, *steps.bad], [*gaps, *steps.gaps]).error()


def _limits_named(policy: Policy, found: Placed) -> None:
    """Limits are set for attacks that exist."""
    if not policy.limits:
        return
    known = limit_names()
    raise_all(
        [
            f"{found.place(('limits', name), key=True)} limits.{name}: there is no such attack. {did_you_mean(name, known)}"
            for name in policy.limits
            if name not in known
        ]
    )


def make_plan(path: str | Path) -> RunPlan:
    """The plan of the policy in a file, for the state that everything is in now."""
    project = Project.read(path)
    ledger = existing(project.policy, project.folder)
    try:
        signing = signing_of(project.folder)
        refuse_other_keys(ledger, None if signing is None else signing.keys)
        table = opened(project.policy, project.folder)
        return plan_of(project, table, ledger, RunJournal(project.out)).signed_by(signing)
    finally:
        if ledger is not None:
            ledger.close()


def plan_of(
    project: Project, table: Table, ledger: Ledger | None, journal: RunJournal, *, paying: bool = True
) -> RunPlan:
    """The plan of a policy that was read, on a table that was opened.

    With `paying` off, what is left is not looked at: of a run that goes on, a part was paid already.
    """
    left = till(project.policy, ledger)
    for name, purpose in purposes_in_use(project.steps).items():
        left.open(name, purpose)
    now = _Now(project, table, ledger, left, journal, paying)
    steps = tuple(_planned(step, now) for step in project.steps)
    return RunPlan(project.digest, table.fingerprint, left.head, clock.stamp(clock.now()), steps)


@dataclass(frozen=True, eq=False)
class _Now:
    """The state that a plan is made for."""

    project: Project
    table: Table
    ledger: Ledger | None
    left: Till
    journal: RunJournal
    paying: bool


def _planned(step: Bound, now: _Now) -> PlannedStep:
    table, left = now.table, now.left
    seen = step.seen(table, now.project.policy)
    spending = step.verb.spends(step, seen.table, left.filter.name, now.project.folder)
    promise = spending.promise if spending else step.verb.promise_beside(step.options, now.project.folder)
    scope = scope_of(purpose=step.purpose_name)
    before, purpose_before = left.left(DATA_SET), left.left(scope)
    planned = PlannedStep(
        step.name,
        step.verb.name,
        step.purpose_name,
        list(seen.read),
        list(seen.dropped),
        seen.query,
        step.place,
        step.recipient,
        step.purpose.expires.isoformat(),
        promise.sentence_about(seen.table.unit) if promise else None,
        NEW,
        inputs_of(step, seen, now.project, table.fingerprint),
        before=before,
        after=before,
        purpose_before=purpose_before,
        purpose_after=purpose_before,
    )
    if spending is not None:
        planned = replace(planned, errors=list(spending.errors), notes=list(spending.notes))
    if now.journal.done(planned.key) is not None:
        return replace(planned, state=KEPT)
    if spending is None:
        return planned
    state = NEW if spending.question is None else _state(spending.question, now.ledger)
    if state in (STORED, PAID):
        return replace(planned, state=state)
    cost = left.price(spending.event)
    first = left.charged(cost, step.purpose_name)[0]
    before = left.left(first)
    if now.paying:
        left.pay(cost, step.purpose_name, clock.now().date())
    return replace(
        planned,
        state=state,
        cost=to_text(cost),
        before=before,
        after=left.left(first),
        purpose_after=left.left(scope),
    )


def _state(question: str, ledger: Ledger | None) -> str:
    if ledger is None:
        return NEW
    if ledger.recall(question) is not None:
        return STORED
    return PAID if ledger.settled(question) else NEW


def inputs_of(step: Bound, seen: Seen, project: Project, data: str) -> str:
    """A digest of everything a step's result depends on."""
    policy = project.policy
    files = [name for _, name in files_named(step.verb, step.options)]
    known: dict[str, Any] = {
        "name": step.name,
        "kind": step.verb.name,
        "options": step.options.model_dump(mode="json"),
        "purpose": step.purpose_name,
        "expires": step.purpose.expires.isoformat(),
        "to": step.to,
        "recipient": step.recipient,
        "columns": {
            name: policy.columns[name].model_dump(mode="json") for name in seen.read if name in policy.columns
        },
        "tables": {
            name: [policy.tables[name].model_dump(mode="json"), one.fingerprint]
            for name, one in seen.table.children.items()
        },
        "unit": policy.dataset.unit.model_dump(mode="json"),
        "ledger": policy.dataset.ledger,
        "data": data,
        "files": {name: content_digest(project.folder / name) for name in files},
    }
    of = getattr(step.options, "of", None)
    if of is not None:  # an attack depends on everything about the step that it attacks
        known["steps"] = [one.model_dump(mode="json") for one in policy.steps]
    return hashlib.sha256(json.dumps(known, sort_keys=True, default=str).encode()).hexdigest()


def refuse_unfit(plan: RunPlan, project: Project) -> None:
    """A plan has the steps of its policy."""
    if [step.name for step in plan.steps] != [step.name for step in project.steps]:
        raise BadPolicy("the plan has other steps than the policy.", "Make a new one with `privet plan`.")


def changed_files(plan: RunPlan, project: Project, table: Table) -> list[str]:
    """Steps that name files which have changed since the plan was made for this policy and this data.

    Whatever else a step depends on is in the policy and the data: a plan that says otherwise was not made from them.
    """
    changed = []
    for step, planned in zip(project.steps, plan.steps, strict=True):
        known = inputs_of(step, step.seen(table, project.policy), project, table.fingerprint)
        if planned.inputs != known:
            if not step.verb.beside:
                raise altered("the plan")
            changed.append(step.name)
        expected = replace(
            planned,
            kind=step.verb.name,
            purpose=step.purpose_name,
            to=step.place,
            recipient=step.recipient,
            expires=step.purpose.expires.isoformat(),
        )
        if expected != planned:
            raise altered("the plan")
    return changed


_BY_STATE = ("state", "cost", "before", "after", "purpose_before", "purpose_after")


def refuse_other(plan: RunPlan, now: RunPlan, *, going_on: bool = False) -> None:
    """A plan that is to be begun says what would be planned now, to the last word; one that goes on, in all that lasts."""
    for step, fresh in zip(plan.steps, now.steps, strict=True):
        if replace(step, **{name: getattr(fresh, name) for name in _BY_STATE}) != fresh:
            raise altered("the plan")
        # Of a run that goes on some steps stand by now, and cost nothing more; what is to be done costs what was planned.
        if going_on and (fresh.state != step.state or fresh.cost == step.cost):
            continue
        if step != fresh:
            raise StalePlan(
                f"step {step.name!r} would not be done or paid for as the plan says.",
                "Was something that an earlier run made removed? Make a new plan with `privet plan`, and look at it.",
            )
