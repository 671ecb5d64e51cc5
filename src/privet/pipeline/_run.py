"""Running a plan: step by step, each journaled, so that a run that was killed goes on where it stopped.

Nothing is spent twice: a step that is done is not done again; a release that was kept by the ledger is shown again for
nothing; training goes on under its entry; and an answer that was booked and not kept before the run was killed is drawn
under its entry (`privet.ledger._idempotent_booking`), since nobody has seen it.

Nothing is left half-written: everything is made in a folder for work in progress and moved to its name whole.
"""

from __future__ import annotations

import contextlib
import platform
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from privet.artifact import (
    OWNER,
    PUBLIC,
    OwnerOnly,
    content_digest,
    discard,
    discard_empty,
    inside,
    is_making,
    output_place,
    own_folder,
    record_making,
    replace_inside,
    sign_file,
)
from privet.audits import identifiers_in
from privet.dataset import (
    Seen,
    anchor_keys,
    approvers_in,
    bind_ledger,
    existing,
    ledger_place,
    open_nats,
    open_purpose,
    opened,
    remember_ledger,
    signing_of,
)
from privet.errors import InternalError, PrivetError
from privet.evidence import Signing
from privet.ledger import Ledger, clock
from privet.pipeline._approvals import refuse_unapproved
from privet.pipeline._attack_stage import attacked, findings
from privet.pipeline._purpose_limitation import purposes_in_use
from privet.pipeline._retention import clear_rooms
from privet.pipeline._run_admission import (
    changes_since,
    mark,
    refuse_in_the_way,
    refuse_replaced,
    refuse_stale,
    refuse_unfounded,
)
from privet.pipeline._run_journal import BEGUN, DONE, ENDED, LOCK, MADE, RunJournal, alone
from privet.pipeline._run_plan import KEPT, PAID, STORED, PlannedStep, RunPlan
from privet.pipeline._run_planner import Project, plan_of, refuse_other, refuse_unfit
from privet.pipeline._run_record import RECORD_NAME, Book, Made, RunRecord, StepRecord
from privet.pipeline._scratch_folder import cleared, forget_scratch, opened_scratch
from privet.source import Table, open_table
from privet.verbs import Bound, Done, Earlier, Exposed, VerbWork

_LIBRARIES = ("privet", "duckdb", "ibis-framework", "opendp", "dp-accounting", "numpy", "pyarrow")
Say = Callable[[str], None]


def run(path: str | Path, plan: RunPlan | None = None, *, say: Say = lambda _: None) -> RunRecord:
    """Carry out a policy: by a plan that was looked at, or by one made now; or go on with a run that was killed.

    The record is written beside the outputs. Limits that were not kept stand in its `findings`; whoever runs this decides
    what they mean.
    """
    project = Project.read(path)
    out = project.out
    signing = signing_of(project.folder)
    refuse_unfounded(project, plan, signing)
    refuse_in_the_way(project, out)
    table = opened(project.policy, project.folder)
    there = out.exists()
    with alone(out) as work:
        journal = RunJournal(out)
        try:
            chosen = _chosen(project, table, journal, plan, signing)
            refuse_replaced(chosen, journal, out)
        except PrivetError:
            if not journal.lines:  # a refusal leaves nothing behind
                discard(work / LOCK)
                for folder in (work, out / OWNER, out / PUBLIC, *(() if there else (out,))):
                    discard_empty(folder)
            raise
        return _Run(project, out, table, journal, chosen, work, say, signing).whole()


def _chosen(
    project: Project, table: Table, journal: RunJournal, plan: RunPlan | None, signing: Signing | None
) -> RunPlan:
    """The plan to follow: the one given, the one that was interrupted, or a new one; approved, where that is demanded."""
    ledger = existing(project.policy, project.folder)
    with contextlib.nullcontext() if ledger is None else ledger:
        chosen = _choice(project, table, journal, plan, ledger) or plan_of(
            project, table, ledger, journal
        ).signed_by(signing)
        # Asked of the plan that is followed: approval of one that was interrupted is none of what the policy became since.
        refuse_unapproved(chosen, approvers_in(ledger, None if signing is None else signing.keys))
    return chosen


def _choice(
    project: Project, table: Table, journal: RunJournal, plan: RunPlan | None, ledger: Ledger | None
) -> RunPlan | None:
    """The plan that was given, or that was interrupted and can go on; None where there is neither."""
    begun = journal.begun()
    interrupted = begun.plan if begun is not None and not begun.ended else None
    if plan is not None:
        refuse_unfit(plan, project)
        going_on = interrupted is not None and interrupted.digest == plan.digest
        refuse_stale(plan, project, table, ledger, going_on=going_on)
        refuse_other(plan, plan_of(project, table, ledger, journal, paying=not going_on), going_on=going_on)
        return plan
    if interrupted is None or changes_since(interrupted, project, table, ledger, going_on=True):
        return None
    refuse_other(interrupted, plan_of(project, table, ledger, journal, paying=False), going_on=True)
    return interrupted


@dataclass
class _Run:
    """One run under way."""

    project: Project
    out: Path
    table: Table
    journal: RunJournal
    plan: RunPlan
    work: Path
    say: Say
    signing: Signing | None = None
    earlier: dict[str, Earlier] = field(default_factory=dict)

    def whole(self) -> RunRecord:
        """All steps, the record, and the end in the journal."""
        begun = self.journal.begun()
        if begun is None or begun.ended or begun.plan.digest != self.plan.digest:
            self.journal.write(BEGUN, plan=self.plan.signed_json())
        started = self.journal.begun()
        clear_rooms(self.out, self.journal)
        with self._ledger() as ledger:
            anchor_keys(ledger, None if self.signing is None else self.signing.keys)
            self._budgets(ledger)
            pairs = zip(self.project.steps, self.plan.steps, strict=True)
            steps = tuple(self._step(step, planned, ledger) for step, planned in pairs)
            policy = self.project.policy
            record = RunRecord(
                policy={**policy.model_dump(mode="json"), "sha256": self.project.digest},
                plan=self.plan.signed_json(),
                steps=steps,
                ledger=_extract(ledger),
                versions=_versions(),
                findings=findings(steps, policy.limits),
                started=started.at if started else "",
                finished=clock.stamp(clock.now()),
            )
            place = output_place(self.out, OwnerOnly(RECORD_NAME))
            saved = record.save(place, self._following(journal=self.journal.head))
            digest = content_digest(saved)
            self.journal.write(ENDED, plan=self.plan.digest, record=digest)
            self.journal.anchor(ledger, self.plan, digest)
        # As everybody else will read it.
        return RunRecord.load(saved, None if self.signing is None else self.signing.keys)

    def _following(self, **digests: str) -> Signing | None:
        """What signs for what follows from this policy and this plan."""
        if self.signing is None:
            return None
        return self.signing.following(policy=self.project.digest, plan=self.plan.digest, **digests)

    def _ledger(self) -> Ledger:
        policy = self.project.policy
        place = ledger_place(policy, self.project.folder)
        book = Ledger(place, limit=policy.dataset.budget.promise(), unit=policy.dataset.unit.value())
        # Once more, of the book that is written in: who approves may have been said since the plan was chosen.
        refuse_unapproved(self.plan, approvers_in(book, None if self.signing is None else self.signing.keys))
        book.carry_out(self.plan.digest, made_for=self.plan.ledger, approvals=self.plan.approvals)
        bind_ledger(self.project.folder, book)
        remember_ledger(policy, self.project.folder, place)
        return book

    def _budgets(self, ledger: Ledger) -> None:
        open_nats(ledger, self.project.policy)
        for name, purpose in purposes_in_use(self.project.steps).items():
            open_purpose(ledger, name, purpose)

    def _step(self, step: Bound, planned: PlannedStep, ledger: Ledger) -> StepRecord:
        # Worded only where something is done with it: a step whose work stands reads nothing.
        seen = cache(lambda: step.seen(self.table, self.project.policy))
        record = self.journal.done(planned.key)
        if record is None:
            self.say(step.name)
            record = self._made(step, planned, seen(), ledger)
            self.journal.write(DONE, step=step.name, key=planned.key, record=record.to_json())
        elif planned.state == KEPT:
            # The record is that of an earlier run; this one spends nothing for it.
            record = StepRecord.from_json({**record.to_json(), "planned": {}, "spent": {}})
        self.earlier[step.name] = Earlier(self._exposing(step, seen))
        forget_scratch(self.work, planned.key)
        return record

    def _made(self, step: Bound, planned: PlannedStep, seen: Seen, ledger: Ledger) -> StepRecord:
        started = time.perf_counter()
        place = inside(self.out, step.place, folders=True)
        there = self.journal.made(planned.key)
        if there is not None:
            made, done = there[0], _done_again(there[1], there[0])
        else:
            done = self._produced(step, planned, seen, ledger)
            made = Made(
                step.place,
                step.verb.output,
                content_digest(place),
                done.promise,
                step.recipient,
                step.purpose.expires.isoformat(),
            )
            self.journal.write(
                MADE,
                step=step.name,
                key=planned.key,
                made=made.to_json(),
                receipt=done.receipt.to_json() if done.receipt else None,
                facts=done.facts,
                risks=[risk.to_json() for risk in done.risks],
                untried=list(done.untried),
            )
            _destroy_seeds(self.work / planned.key)
        spent = {} if done.receipt is None or planned.state in (KEPT, STORED, PAID) else done.receipt.cost
        if spent != planned.cost:
            raise InternalError(f"step {step.name!r} booked {spent}, and {planned.cost} had been planned.")
        # What an attack step made is the result of attacks already, and an audit is not given to anybody.
        shown = step.verb.output not in ("audit", "report")
        risks, untried = (
            attacked(self._exposing(step, lambda: seen), self.say) if shown else (done.risks, done.untried)
        )
        return StepRecord(
            name=step.name,
            kind=step.verb.name,
            purpose=step.purpose_name,
            read=seen.read,
            dropped=seen.dropped,
            query=seen.query,
            planned=planned.cost,
            spent=spent,
            receipt=done.receipt,
            made=made,
            risks=risks,
            untried=untried,
            facts={**done.facts, **_looked_for(made, place)},
            options=step.options.model_dump(mode="json"),
            seconds=round(time.perf_counter() - started, 3),
        )

    def _exposing(self, step: Bound, seen: Callable[[], Seen]) -> Callable[[], tuple[Exposed, ...]]:
        return lambda: step.verb.exposed(step, self.out / step.place, seen(), self.project.folder)

    def _read_as(self, step: Bound, types: Mapping[str, str]) -> Table:
        policy = self.project.policy
        return step.seen(opened(policy, self.project.folder, types=types), policy).table

    def _produced(self, step: Bound, planned: PlannedStep, seen: Seen, ledger: Ledger) -> Done:
        """Do the step in a folder of its own, then move what it made to its name."""
        scratch = opened_scratch(self.work, planned.key)
        fresh = cleared(scratch, "made")
        own_folder(fresh)
        done = step.verb.run(
            VerbWork(
                options=step.options,
                name=step.name,
                columns=step.columns,
                purpose=step.purpose_name,
                table=seen.table,
                ledger=ledger if step.verb.pays(step.options) or step.verb.records else None,
                to=fresh / step.to,
                why=f"{step.name} {mark(self.plan)}",
                scratch=scratch,
                held=seen.held,
                earlier=self.earlier,
                folder=self.project.folder,
                read_as=lambda types: self._read_as(step, types),
                say=self.say,
            )
        )
        if step.verb.audience == PUBLIC and done.promise is None:
            raise InternalError(f"step {step.name!r} would give away what nothing is promised of.")
        sign_file(fresh / step.to, self._following(step=planned.key))
        record_making(self.work, step.place, fresh / step.to)
        replace_inside(
            fresh / step.to, self.out, step.place, lambda place: is_making(self.work, step.place, place)
        )
        return done


def _looked_for(made: Made, place: Path) -> dict[str, Any]:
    """Which identifiers are recognised in a table as it stands in its file."""
    if made.kind != "table":
        return {}
    return {"identifiers": identifiers_in(open_table(str(place)))}


def _done_again(line: dict[str, Any], made: Made) -> Done:
    """What came of a step whose work stands and whose attacks did not come to their end."""
    from privet.artifact import Receipt, RiskEstimate

    return Done(
        made.promise,
        Receipt.from_json(line["receipt"]) if line["receipt"] else None,
        line["facts"],
        tuple(RiskEstimate.from_json(risk) for risk in line["risks"]),
        tuple(line["untried"]),
    )


def _destroy_seeds(scratch: Path) -> None:
    """The seed of a model that stands would undo its noise, and is good for nothing else."""
    from privet.verbs import SEED

    if any(scratch.glob(f"{SEED}*")):
        from privet.protect.train import destroy

        destroy(scratch / SEED)


def _extract(ledger: Ledger) -> Book:
    whole = ledger.export()
    return Book(
        id=whole["ledger"],
        place=ledger.place,
        head=whole["head"],
        accounting=ledger.accounting,
        limit=ledger.limit.to_json(),
        unit=whole["unit"],
        balances=tuple(whole["balances"]),
        entries=tuple(whole["entries"]),
    )


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
