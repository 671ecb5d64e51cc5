"""`privet attack`: try what an adversary would on a model, a table or released counts."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privet.app import output
from privet.errors import AttackSucceeded, BadUsage

if TYPE_CHECKING:
    from privet.attack import AttackReport
    from privet.guarantee.promises import Promise

_OPTIONS = {
    "members",
    "control",
    "auxiliary",
    "promise",
    "attacks",
    "seed",
    "confidence",
    "workers",
    "cache",
    "progress",
}
_KINDS = {"statistics": "statistics", "canaries": "canaries", "update": "an update", "run": "a training run"}


def command(
    thing: Annotated[
        str | None,
        typer.Argument(
            metavar="THING", help="A model's folder, or the file of a table or a released answer."
        ),
    ] = None,
    *,
    members: Annotated[str | None, typer.Option(help="The records that were used.")] = None,
    control: Annotated[str | None, typer.Option(help="Records like them that were not used.")] = None,
    auxiliary: Annotated[str | None, typer.Option(help="A table that the adversary has.")] = None,
    attack: Annotated[
        list[str] | None, typer.Option(help="Run this attack only. Repeatable [default: all that fit].")
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="Say what attacks there are and stop.")] = False,
    limit: Annotated[
        list[str] | None, typer.Option(help="The most that an attack may reach: NAME=VALUE. Repeatable.")
    ] = None,
    epsilon: Annotated[
        str | None, typer.Option(help="The promise, where the thing carries none: its epsilon.")
    ] = None,
    delta: Annotated[str | None, typer.Option(help="The promise's delta.")] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option("--set", help="What an attack takes: label=diagnosis, quasi=zip,born. Repeatable."),
    ] = None,
    seed: Annotated[int, typer.Option(help="For the adversary's own chance.")] = 0,
    confidence: Annotated[float, typer.Option(help="Of all intervals together.")] = 0.95,
    workers: Annotated[int, typer.Option(min=1, help="Processes for shadow models.")] = 1,
    cache: Annotated[Path | None, typer.Option(help="A folder to keep shadow models in.")] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--output", "--html", help="Write the report: .html or .json.")
    ] = None,
    as_json: output.JsonOption = False,
) -> None:
    """Attack a model, a table or released counts as an outsider would, and hold what that achieves against the promise."""
    if listed:
        _list(as_json=as_json)
        return
    if thing is None:
        raise BadUsage("nothing to attack was named.", "Write privet attack THING, or privet attack --list.")
    limits, settings = _limits(limit), _settings(setting)
    _check_output(out)
    promise = _promise(epsilon, delta)
    from privet.attack import attack as try_attacks

    with output.progress("attacking") as advance:
        found = try_attacks(
            thing,
            members=members,
            control=control,
            auxiliary=auxiliary,
            promise=promise,
            attacks=attack or None,
            seed=seed,
            confidence=confidence,
            workers=workers,
            cache=cache,
            progress=lambda said, done, total: advance(f"{said} ({done} of {total} done)"),
            **settings,
        )
    _save(found, out)
    _say(found, limits, out, as_json=as_json)


def _say(found: AttackReport, limits: dict[str, float], out: Path | None, *, as_json: bool) -> None:
    """The report, and an exit code that says whether a promise or a limit was broken."""
    exceeded = [*(one.sentence() for one in found.contradicted), *found.exceeded(limits)]
    text = str(found) + (f"\n\nsaved {out}" if out else "")
    plain = "\n".join(f"{one.attack}\t{one.success.value:.6g}\t{one.verdict.value}" for one in found)
    output.emit({**found.to_json(), "exceeded": exceeded}, _coloured(text), plain=plain, as_json=as_json)
    if not exceeded:
        return
    problem = AttackSucceeded(
        " ".join(exceeded), "Protect more, or correct the claim; do not publish this as it is."
    )
    if not as_json:
        sys.stdout.flush()
        output.fail(problem, as_json=False)
    raise typer.Exit(problem.exit_code)


def _list(*, as_json: bool) -> None:
    from privet.attack.registry import attacks

    known = attacks()
    wide = max(len(one.name) for one in known)
    lines = []
    for kind in dict.fromkeys(one.on for one in known):
        lines += ["", f"on {_KINDS.get(kind, f'a {kind}')}"]
        lines += [
            f"  {one.name.ljust(wide)}  {one.says}"
            + (f" Needs {' and '.join(one.needs)}." if one.needs else "")
            for one in known
            if one.on == kind
        ]
    data = {
        "attacks": [
            {"name": one.name, "on": one.on, "needs": list(one.needs), "says": one.says} for one in known
        ]
    }
    plain = "\n".join(f"{one.name}\t{one.on}\t{','.join(one.needs)}" for one in known)
    output.emit(data, "\n".join(lines[1:]), plain=plain, as_json=as_json)


def _promise(epsilon: str | None, delta: str | None) -> Promise | None:
    if epsilon is None and delta is None:
        return None
    from privet.verbs.limits import read_limit

    return read_limit(None, epsilon=epsilon, delta=delta)


def _limits(given: list[str] | None) -> dict[str, float]:
    found = {}
    for text in given or []:
        name, _, value = text.partition("=")
        try:
            found[name.strip()] = float(value)
        except ValueError:
            raise BadUsage("--limit could not be read.", "Write --limit membership-loss=0.6.") from None
    return found


def _settings(given: list[str] | None) -> dict[str, Any]:
    """NAME=VALUE as whole numbers, numbers, lists or text."""
    found: dict[str, Any] = {}
    for text in given or []:
        name, sign, value = (part.strip() for part in text.partition("="))
        if not (name.isidentifier() and sign and value):
            raise BadUsage("--set could not be read.", "Write --set label=diagnosis.")
        if name in _OPTIONS:
            raise BadUsage(
                f"{name} is an option of its own.", f"Write --{name.replace('attacks', 'attack')} …"
            )
        parts = [_value(part.strip()) for part in value.split(",")]
        found[name] = parts if len(parts) > 1 else parts[0]
    for name in ("quasi", "sensitive", "groups"):
        if name in found and not isinstance(found[name], list):
            found[name] = [found[name]]
    return found


def _value(text: str) -> Any:
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text


def _check_output(out: Path | None) -> None:
    if out is None:
        return
    if out.suffix.lower() not in (".html", ".htm", ".json"):
        raise BadUsage(f"a report cannot be written to {out.name}.", "End the name in .html or .json.")
    if not out.resolve().parent.is_dir():
        raise BadUsage(f"the folder of {out.name} does not exist.", "Create it first.")


def _save(found: AttackReport, out: Path | None) -> None:
    if out is None:
        return
    if out.suffix.lower() == ".json":
        found.save(out)
        return
    from privet.report.attack_page import attack_page

    output.write_file(out, attack_page(found))


def _coloured(text: str) -> Any:
    from rich.text import Text

    shown = Text(text)
    shown.highlight_regex(r"contradicts the promise", "bold red")
    shown.highlight_regex(r"at the edge of the promise|inconclusive", "yellow")
    shown.highlight_regex(r"within the promise", "green")
    return shown
