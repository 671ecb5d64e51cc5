"""`privet run`: carry a policy out, attack what it makes, and say whether its limits were kept."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privet.app import _terminal as terminal
from privet.app._policy_amounts import DEFAULT, PolicyOption, amounts
from privet.errors import LimitBeaten

if TYPE_CHECKING:
    from privet.pipeline import RunRecord, StepRecord


def command(
    plan: Annotated[
        Path | None,
        typer.Argument(metavar="[PLAN]", help="A plan that `privet plan` wrote [default: one made now]."),
    ] = None,
    *,
    policy: PolicyOption = DEFAULT,
    as_json: terminal.JsonOption = False,
) -> None:
    """Carry out the steps of a policy. A run that was killed goes on where it stopped, and spends nothing twice.

    Everything that is made is attacked by all attacks that fit it. The report of the run is written beside what it made. Ends with exit code 6 if a limit was not kept; everything is written by then.
    """
    from privet.artifact import OwnerOnly, output_place
    from privet.pipeline import OUT, RECORD_NAME, RunPlan, record_standing, report_signing, run
    from privet.report import run_report, save_report, tradeoff_of

    chosen = None if plan is None else RunPlan.load(plan)
    with terminal.progress("running") as step:
        made = run(policy, chosen, say=step)
    out = policy.resolve().parent / OUT
    place = output_place(out, OwnerOnly(RECORD_NAME))
    record = made.to_json()
    report = run_report(record, tradeoff=tradeoff_of(record, out), standing=record_standing(place, made))
    page, _ = save_report(report, out, report_signing(place))
    if made.findings:
        raise LimitBeaten(
            "\n".join(made.findings),
            f"The run was made; its report is {OUT}/{page.relative_to(out)}. Protect more, or think about the limit.",
            findings=list(made.findings),
            record=str(place),
            report=str(page),
        )
    terminal.emit(_record(made, place, page), words(made, place, page), plain=str(page), as_json=as_json)


def _record(made: RunRecord, place: Path, page: Path) -> dict[str, Any]:
    return {
        "record": str(place),
        "report": str(page),
        "steps": [
            {
                "name": step.name,
                "kind": step.kind,
                "made": step.made.path if step.made else None,
                "spent": step.spent,
                "attacks": len(step.risks),
                "seconds": step.seconds,
            }
            for step in made.steps
        ],
        "findings": list(made.findings),
        "ledger": None if made.ledger is None else {"head": made.ledger.head, "place": made.ledger.place},
    }


def words(made: RunRecord, place: Path, page: Path) -> str:
    """What was done, for people."""
    lines = [line for step in made.steps for line in _step(step)]
    if made.ledger is not None:
        lines.append(f"ledger head {made.ledger.head[:16]}")
    return "\n".join([*lines, f"record: {place}", f"report: {page}"])


def _step(step: StepRecord) -> list[str]:
    spent = amounts(step.spent) or "nothing"
    lines = [f"{step.name}: out/{step.made.path if step.made else ''}, spent {spent}"]
    if step.made is not None and step.made.promise is not None:
        lines.append(f"  promise: {step.made.promise.sentence_about(step.unit)}")
    if step.risks:
        worst = max(step.risks, key=lambda risk: risk.success.value - risk.baseline)
        lines.append(f"  {len(step.risks)} attacks; the furthest above guessing: {worst.sentence()}")
    elif step.untried:
        lines.append(f"  no attack was run: {step.untried[0]}")
    return lines
