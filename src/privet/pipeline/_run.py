"""Running a plan: step by step, each journaled, so that a run that was killed goes on where it stopped.

Nothing is spent twice: a step that is done is not done again; a release that was kept by the ledger is shown again for
nothing; training goes on under its entry; and an answer that was booked and not kept before the run was killed is drawn
under its entry (`privet.ledger._idempotent_booking`), since nobody has seen it.

Nothing is left half-written: everything is made in a folder for work in progress and moved to its name whole.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from privet.artifact import discard, discard_empty, inside, is_own_work, refuse_ledgers, unfinished
from privet.audits import identifiers_in
from privet.dataset import Seen, existing, head_of, ledger_place, open_purpose, opened, remember_ledger
from privet.errors import FileProblem, InternalError, NotMadeHere, PrivetError, StalePlan
from privet.ledger import Ledger, clock
from privet.pipeline._attack_stage import attacked, findings
from privet.pipeline._purpose_limitation import purposes_in_use
from privet.pipeline._retention import RECORDS
from privet.pipeline._run_journal import BEGUN, DONE, ENDED, LOCK, MADE, RunJournal, alone, digest_of
from privet.pipeline._run_plan import KEPT, PAID, STORED, PlannedStep, RunPlan
from privet.pipeline._run_planner import Project, changed_files, plan_of, refuse_other, refuse_unfit
from privet.pipeline._run_record import RECORD_NAME, Book, Made, RunRecord, StepRecord
from privet.pipeline._scratch_folder import cleared, forget_scratch, opened_scratch
from privet.source import Table, open_table
from privet.verbs import Bound, Done, Earlier, Exposed, VerbWork, spends

_LIBRARIES = ("privet", "duckdb", "ibis-framework", "opendp", "dp-accounting", "numpy", "pyarrow")
Say = Callable[[str], None]


def run(path: str | Path, plan: RunPlan | None = None, *, say: Say = lambda _: None) -> RunRecord:
    """Carry out a policy: by a plan that was looked at, or by one made now; or go on with a run that was killed.

    The record is written beside the outputs. Limits that were not kept stand in its `findings`; whoever runs this decides
    what they mean.
    """
    project = Project.read(path)
    out = project.out
    _refuse_in_the_way(project, out)
    table = opened(project.policy, project.folder)
    there = out.exists()
    with alone(out) as work:
        journal = RunJournal(out)
        try:
            chosen = _chosen(project, table, journal, plan)
        except PrivetError:
            if not journal.lines:  # a refusal leaves nothing behind
                discard(work / LOCK)
                discard_empty(work)
                if not there:
                    discard_empty(out)
            raise
        return _Run(project, out, table, journal, chosen, work, say).whole()


def _refuse_in_the_way(project: Project, out: Path) -> None:
    """What stands where outputs will go is what runs make, or nothing: found out before anything is read or booked."""
    foreign = [
        step.to
        for step in project.steps
        if os.path.lexists(place := inside(out, step.to)) and not is_own_work(place)
    ]
    if foreign:
        raise NotMadeHere(
            f"{', '.join(foreign)} in the folder of the outputs would be replaced, and no run made it.",
            "Move it away, or give the step another name: `to:`. Nothing was read, written or spent.",
            files=foreign,
        )


def _chosen(project: Project, table: Table, journal: RunJournal, plan: RunPlan | None) -> RunPlan:
    """The plan to follow: the one given, the one that was interrupted, or a new one."""
    begun = journal.begun()
    interrupted = begun.plan if begun is not None and not begun.ended else None
    ledger = existing(project.policy, project.folder)
    try:
        if plan is not None:
            refuse_unfit(plan, project)
            going_on = interrupted is not None and interrupted.digest == plan.digest
            _refuse_stale(plan, project, table, ledger, going_on=going_on)
            if not going_on:
                refuse_other(plan, plan_of(project, table, ledger))
            return plan
        if interrupted is not None and not _changed(interrupted, project, table, ledger, going_on=True):
            return interrupted
        fresh = plan_of(project, table, ledger)
    finally:
        if ledger is not None:
            ledger.close()
    return fresh


def _changed(
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


def _refuse_stale(
    plan: RunPlan, project: Project, table: Table, ledger: Ledger | None, *, going_on: bool
) -> None:
    faults = _changed(plan, project, table, ledger, going_on=going_on)
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
    earlier: dict[str, Earlier] = field(default_factory=dict)

    def whole(self) -> RunRecord:
        """All steps, the record, and the end in the journal."""
        begun = self.journal.begun()
        if begun is None or begun.ended or begun.plan.digest != self.plan.digest:
            self.journal.write(BEGUN, plan=self.plan.to_json())
        started = self.journal.begun()
        _tidy(self.out)
        with self._ledger() as ledger:
            self._budgets(ledger)
            pairs = zip(self.project.steps, self.plan.steps, strict=True)
            steps = tuple(self._step(step, planned, ledger) for step, planned in pairs)
            book = _extract(ledger)
        policy = self.project.policy
        record = RunRecord(
            policy={**policy.model_dump(mode="json"), "sha256": self.project.digest},
            plan=self.plan.to_json(),
            steps=steps,
            ledger=book,
            versions=_versions(),
            findings=findings(steps, policy.limits),
            started=started.at if started else "",
            finished=clock.stamp(clock.now()),
        )
        saved = record.save(self.out / RECORD_NAME)
        self.journal.write(ENDED, plan=self.plan.digest)
        return RunRecord.load(saved)  # as everybody else will read it

    def _ledger(self) -> Ledger:
        policy = self.project.policy
        place = ledger_place(policy, self.project.folder)
        book = Ledger(place, limit=policy.dataset.budget.promise(), unit=policy.dataset.unit.value())
        remember_ledger(policy, self.project.folder, place)
        return book

    def _budgets(self, ledger: Ledger) -> None:
        for name, purpose in purposes_in_use(self.project.steps).items():
            open_purpose(ledger, name, purpose)

    def _step(self, step: Bound, planned: PlannedStep, ledger: Ledger) -> StepRecord:
        seen = step.seen(self.table, self.project.policy)
        record = self.journal.done(planned.key)
        if record is None:
            self.say(step.name)
            record = self._made(step, planned, seen, ledger)
            self.journal.write(DONE, step=step.name, key=planned.key, record=record.to_json())
        elif planned.state == KEPT:
            # The record is that of an earlier run; this one spends nothing for it.
            record = StepRecord.from_json({**record.to_json(), "planned": {}, "spent": {}})
        self.earlier[step.name] = Earlier(self._exposing(step, seen))
        forget_scratch(self.work, planned.key)
        return record

    def _made(self, step: Bound, planned: PlannedStep, seen: Seen, ledger: Ledger) -> StepRecord:
        started = time.perf_counter()
        place = inside(self.out, step.to)
        there = self.journal.made(planned.key)
        if there is not None:
            made, done = there[0], _done_again(there[1], there[0])
        else:
            done = self._produced(step, planned, seen, ledger)
            made = Made(
                step.to,
                step.verb.output,
                digest_of(place),
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
            attacked(self._exposing(step, seen), self.say) if shown else (done.risks, done.untried)
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

    def _exposing(self, step: Bound, seen: Seen) -> Callable[[], tuple[Exposed, ...]]:
        return lambda: step.verb.exposed(step, self.out / step.to, seen, self.project.folder)

    def _read_as(self, step: Bound, types: Mapping[str, str]) -> Table:
        policy = self.project.policy
        return step.seen(opened(policy, self.project.folder, types=types), policy).table

    def _produced(self, step: Bound, planned: PlannedStep, seen: Seen, ledger: Ledger) -> Done:
        """Do the step in a folder of its own, then move what it made to its name."""
        scratch = opened_scratch(self.work, planned.key)
        fresh = cleared(scratch, "made")
        fresh.mkdir()
        done = step.verb.run(
            VerbWork(
                options=step.options,
                name=step.name,
                columns=step.columns,
                purpose=step.purpose_name,
                table=seen.table,
                ledger=ledger if spends(step.verb) or step.verb.records else None,
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
        _move(fresh / step.to, self.out, scratch)
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


def _move(made: Path, out: Path, scratch: Path) -> None:
    """Put what was made in its place. A folder cannot replace one that is not empty, so the old one steps aside first."""
    place = inside(out, made.name)
    if place.exists() and not is_own_work(place):  # put there since the run began
        raise NotMadeHere(
            f"{place.name} in the folder of the outputs would be replaced, and no run made it.",
            "Move it away, and run again: what was made is kept.",
        )
    aside = cleared(scratch, "replaced")
    try:
        refuse_ledgers(place)
        if place.is_dir() or (made.is_dir() and place.exists()):
            place.rename(aside)
        made.replace(place)
        handle = os.open(place.parent, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as problem:
        raise FileProblem(
            f"{place.name} could not be written ({(problem.strerror or 'unknown reason').lower()}).",
            "Check that the folder of the outputs is writable and has room.",
        ) from None


def _destroy_seeds(scratch: Path) -> None:
    """The seed of a model that stands would undo its noise, and is good for nothing else."""
    from privet.verbs import SEED

    seed = scratch / SEED
    if os.path.lexists(seed):
        from privet.protect.train import destroy

        destroy(seed)


def _tidy(out: Path) -> None:
    """What a killed run left of its own records, half-written, goes."""
    for name in RECORDS:
        for left in unfinished(out, name):
            discard(left)


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
