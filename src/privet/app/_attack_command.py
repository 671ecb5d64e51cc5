"""`privet attack`: try what an adversary would on a model, a table or released counts."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from pydantic import Field

from privet.app import _terminal as terminal
from privet.app import _verb_command as verb_command
from privet.artifact import OwnerOnly, sign_file
from privet.errors import AttackSucceeded, BadUsage
from privet.verbs import AttackOptions, Flag, ForPurpose, Options, attacked_file

if TYPE_CHECKING:
    from privet.attacks import AttackReport

_KINDS = {"statistics": "statistics", "canaries": "canaries", "update": "an update", "run": "a training run"}


class Scored(Options):
    """What the result is scored with and held against. In a policy, rows, promise and limits come from the policy."""

    members: Annotated[
        str | None, Field(description="The records that were used."), Flag(example="patients.csv")
    ] = None
    control: Annotated[str | None, Field(description="Records like them that were not used.")] = None
    limit: Annotated[
        dict[str, float],
        Field(description="The most that an attack may reach: NAME=VALUE."),
        Flag(example="membership-loss=0.6"),
    ] = Field(default_factory=dict)
    epsilon: Annotated[
        str | None, Field(description="The promise, where the thing carries none: its epsilon.")
    ] = None
    delta: Annotated[str | None, Field(description="The promise's delta.")] = None


class Machine(Options):
    """Where the work is done and kept."""

    workers: Annotated[int, Field(ge=1, description="Processes for shadow models."), Flag(example="2")] = 1
    cache: Annotated[
        Path | None, Field(description="A folder to keep shadow models in."), Flag(file="out")
    ] = None
    backend: Annotated[
        str | None, Field(description="Where shadow models are fitted: ray for a cluster.")
    ] = None
    address: Annotated[str | None, Field(description="The cluster's address.")] = None
    architecture: Annotated[
        str | None,
        Field(description="Of a network its class, or the function that makes it: imported and called."),
        Flag(example="networks:Ward"),
    ] = None


class AttackOutputs(Options):
    """What to say and write."""

    listed: Annotated[
        bool, Field(description="Say what attacks there are and stop."), Flag(names=("--list",))
    ] = False
    out: Annotated[
        Path | None,
        Field(description="Write the report: .html or .json."),
        Flag(names=("-o", "--output", "--html"), file="out"),
    ] = None


def _run(said: verb_command.CommandInput) -> None:
    scored, machine, out = said.of(Scored), said.of(Machine), said.of(AttackOutputs).out
    _check_output(out)
    promise = None
    if scored.epsilon is not None or scored.delta is not None:
        from privet.verbs import read_limit

        promise = read_limit(None, epsilon=scored.epsilon, delta=scored.delta)
    with terminal.progress("attacking") as advance:
        found = attacked_file(
            said.of(AttackOptions),
            scored.members,
            scored.control,
            purpose=said.of(ForPurpose).purpose,
            promise=promise,
            say=lambda what, done, total: advance(f"{what} ({done} of {total} done)"),
            **machine.model_dump(exclude_none=True),
        )
    _save(found, out, scored.members)
    _say(found, scored.limit, out, as_json=said.as_json)


def _say(found: AttackReport, limits: dict[str, float], out: Path | None, *, as_json: bool) -> None:
    """The report, and an exit code that says whether a promise or a limit was broken."""
    exceeded = [*(one.sentence() for one in found.contradicted), *found.exceeded(limits)]
    text = str(found) + (f"\n\nsaved {out}" if out else "")
    plain = "\n".join(f"{one.attack}\t{one.success.value:.6g}\t{one.verdict.value}" for one in found)
    terminal.emit({**found.to_json(), "exceeded": exceeded}, _coloured(text), plain=plain, as_json=as_json)
    if not exceeded:
        return
    problem = AttackSucceeded(
        " ".join(exceeded), "Protect more, or correct the claim; do not publish this as it is."
    )
    if not as_json:
        sys.stdout.flush()
        terminal.fail(problem, as_json=False)
    raise typer.Exit(problem.exit_code)


def _list(as_json: bool) -> None:
    from privet.attacks import attacks, in_words

    known = attacks()
    wide = max(len(one.name) for one in known)
    lines = []
    for kind in dict.fromkeys(one.on for one in known):
        lines += ["", f"on {_KINDS.get(kind, f'a {kind}')}"]
        lines += [
            f"  {one.name.ljust(wide)}  {one.says}" + (f" Needs {in_words(one.needs)}." if one.needs else "")
            for one in known
            if one.on == kind
        ]
    data = {
        "attacks": [
            {"name": one.name, "on": one.on, "needs": list(one.needs), "says": one.says} for one in known
        ]
    }
    plain = "\n".join(f"{one.name}\t{one.on}\t{','.join(one.needs)}" for one in known)
    terminal.emit(data, "\n".join(lines[1:]), plain=plain, as_json=as_json)


def _check_output(out: Path | None) -> None:
    if out is None:
        return
    if out.suffix.lower() not in (".html", ".htm", ".json"):
        raise BadUsage(f"a report cannot be written to {out.name}.", "End the name in .html or .json.")
    if not out.resolve().parent.is_dir():
        raise BadUsage(f"the folder of {out.name} does not exist.", "Create it first.")


def _save(found: AttackReport, out: Path | None, members: str | None) -> None:
    if out is None:
        return
    if out.suffix.lower() == ".json":
        from privet.dataset import DataSet

        sign_file(found.save(out), None if members is None else DataSet.of(members).signing())
        return
    from privet.report import attack_page

    terminal.write_file(out, OwnerOnly(attack_page(found)))


def _coloured(text: str) -> Any:
    from rich.text import Text

    shown = Text(text)
    shown.highlight_regex(r"contradicts the promise", "bold red")
    shown.highlight_regex(r"at the edge of the promise|inconclusive", "yellow")
    shown.highlight_regex(r"within the promise", "green")
    return shown


command = verb_command.command(
    AttackOptions, Scored, ForPurpose, Machine, AttackOutputs, run=_run, instead={"listed": _list}
)
