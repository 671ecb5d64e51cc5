"""`privet plan`: what a run would read, leave behind, spend and get wrong."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privet.app import _terminal as terminal
from privet.app._policy_amounts import DEFAULT, PolicyOption, amounts

if TYPE_CHECKING:
    from privet.pipeline import PlannedStep, RunPlan


def command(
    *,
    policy: PolicyOption = DEFAULT,
    to: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The plan to write [default: plan.json beside the policy]."),
    ] = None,
    as_json: terminal.JsonOption = False,
) -> None:
    """Say what a run would do, and write it down. Reads no private row and spends nothing.

    The plan holds for this policy, this data and this ledger: `privet run PLAN` refuses it once one of them has changed.
    """
    from privet.pipeline import make_plan

    with terminal.progress("planning") as step:
        step()
        made = make_plan(policy)
    place = to or policy.resolve().parent / "plan.json"
    made.save(place)
    shown = place if to else Path(place.name)
    record = {**made.to_json(), "digest": made.digest, "file": str(place)}
    asked = "" if policy == DEFAULT else f" --policy {shlex.quote(str(policy))}"
    after = f"\n\nsaved {shown}\nnext: privet run {shlex.quote(str(shown))}{asked}"
    terminal.emit(record, words(made) + after, plain=str(place), as_json=as_json)


def words(plan: RunPlan) -> str:
    """The plan for people."""
    return "\n\n".join(_step(number, step) for number, step in enumerate(plan.steps, 1))


def _step(number: int, step: PlannedStep) -> str:
    lines = [
        f"{number}. {step.name}: {step.kind} for {step.purpose!r}, to out/{step.to} for {step.recipient!r} until {step.expires}",
        f"   reads    {', '.join(step.read) or 'no column; rows are counted'}",
        f"   drops    {', '.join(step.dropped) or 'nothing'}",
        f"   query    {step.query}",
    ]
    if step.promise:
        lines.append(f"   promises {step.promise}")
    lines.append(f"   spends   {_spends(step)}")
    lines += [f"   error    {line}" for line in step.errors]
    return "\n".join(lines)


def _spends(step: PlannedStep) -> str:
    if step.state == "kept":
        return "nothing: made by an earlier run, and still there"
    if step.state == "stored":
        return "nothing: this very answer is kept by the ledger"
    if step.state == "paid":
        return (
            "nothing: booked by a run that was killed before its answer was kept, and drawn under that entry"
        )
    if not step.cost:
        return "nothing"
    left = f"left {amounts(step.before)} → {amounts(step.after)}"
    own = f"of the purpose {amounts(step.purpose_before)} → {amounts(step.purpose_after)}"
    return f"{amounts(step.cost)} ({left}; {own})"
