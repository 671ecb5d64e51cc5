"""`privet lm memorization`, `privet lm canaries`, `privet lm duplicates`: what a language model recites, and what to do before."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import Field

from privet.app import _terminal as terminal
from privet.app import _verb_command as verb_command
from privet.app._output_files import check_outputs
from privet.artifact import OwnerOnly
from privet.errors import AttackSucceeded, BadUsage
from privet.verbs import (
    CanariesOptions,
    DuplicatesOptions,
    Flag,
    ForPurpose,
    MemorizationOptions,
    Options,
    counted_duplicates,
    memorization_of,
    planted_file,
    read_limit,
)

if TYPE_CHECKING:
    from privet.attacks import AttackReport


class MemorizationClaim(Options):
    """What the result is held against, and where it goes."""

    epsilon: Annotated[
        str | None, Field(description="The promise, where the model carries none: its epsilon.")
    ] = None
    delta: Annotated[str | None, Field(description="The promise's delta.")] = None
    out: Annotated[
        Path | None,
        Field(description="Write the report: .html or .json. For the owner of the texts."),
        Flag(names=("-o", "--output", "--html"), file="out"),
    ] = None


def _memorization(said: verb_command.CommandInput) -> None:
    options, claim = said.of(MemorizationOptions), said.of(MemorizationClaim)
    if claim.out is not None:
        ending = claim.out.suffix.lower()
        check_outputs(
            options.trained,
            claim.out if ending == ".json" else None,
            None if ending == ".json" else claim.out,
            endings=(".json",),
        )
    promise = None
    if claim.epsilon is not None or claim.delta is not None:
        promise = read_limit(None, epsilon=claim.epsilon, delta=claim.delta)
    with terminal.progress("asking the model") as advance:
        found = memorization_of(
            options,
            purpose=said.of(ForPurpose).purpose,
            promise=promise,
            say=lambda what, done, total: advance(f"{what} ({done} of {total} done)"),
        )
    _save(found, claim.out)
    _say(found, claim.out, as_json=said.as_json)


def _save(found: AttackReport, out: Path | None) -> None:
    if out is None:
        return
    if out.suffix.lower() == ".json":
        found.save(out)
        return
    from privet.report import memorization_page

    terminal.write_file(out, OwnerOnly(memorization_page(found)))


def _say(found: AttackReport, out: Path | None, *, as_json: bool) -> None:
    """What was found, and an exit code that says whether the promise is contradicted."""
    from privet.report import memorization_lines

    broken = [one.sentence() for one in found.contradicted]
    text = "\n".join([str(found), "", *memorization_lines(found), *([f"saved {out}"] if out else [])])
    plain = "\n".join(f"{one.attack}\t{one.success.value:.6g}\t{one.verdict.value}" for one in found)
    terminal.emit({**found.to_json(), "contradicted": broken}, text, plain=plain, as_json=as_json)
    if not broken:
        return
    problem = AttackSucceeded(
        " ".join(broken), "Do not publish this model; the claim or the training is wrong."
    )
    if not as_json:
        sys.stdout.flush()
        terminal.fail(problem, as_json=False)
    raise typer.Exit(problem.exit_code)


def _canaries(said: verb_command.CommandInput) -> None:
    options = said.of(CanariesOptions)
    out, record = Path(options.out), Path(options.record)
    check_outputs(options.texts, out, None, endings=(".jsonl",))
    check_outputs(options.texts, record, None, endings=(".json",))
    with terminal.progress("planting canaries"):
        made, texts = planted_file(options)
    copies: dict[int, int] = {}
    for one in made.canaries:
        copies[one.copies] = copies.get(one.copies, 0) + 1
    facts = {"texts": texts, "canaries": {str(many): copies[many] for many in sorted(copies)}}
    lines = [
        *(f"{count:,} canaries planted {many} times" for many, count in sorted(copies.items()) if many > 0),
        f"{copies.get(0, 0):,} canaries left out by the coin: the never-inserted references",
        f"saved {out}: train on it",
        f"saved {record}: keep it from whoever trains; privet lm memorization … --canaries {record}",
    ]
    terminal.emit(facts, "\n".join(lines), plain=f"texts\t{texts}", as_json=said.as_json)


def _duplicates(said: verb_command.CommandInput) -> None:
    options = said.of(DuplicatesOptions)
    write, out = (None if one is None else Path(one) for one in (options.write, options.out))
    check_outputs(options.texts, write, None, endings=(".jsonl",))
    check_outputs(options.texts, out, None, endings=(".json",))
    if write is not None and out is not None and write.resolve() == out.resolve():
        raise BadUsage("texts and figures would be one file.", "Give them two names.")
    with terminal.progress("counting near duplicates"):
        found, written = counted_duplicates(options)
    lines = [str(found)]
    if write is not None:
        lines.append(f"saved {write}: {written:,} texts, each once")
    if out is not None:
        lines.append(f"saved {out}")
    facts = {**found.to_json(), "written": written}
    plain = "\n".join(
        f"{name}\t{facts[name]}" for name in ("texts", "units", "exact", "near", "shared", "most")
    )
    terminal.emit(facts, "\n".join(lines), plain=plain, as_json=said.as_json)


def add_to(app: typer.Typer) -> None:
    """The commands, as parts of `privet lm`."""
    app.command("duplicates", help="Count near duplicates among texts before training, and keep each once.")(
        verb_command.command(DuplicatesOptions, run=_duplicates)
    )
    app.command("canaries", help="Plant secrets among texts before training, to look for them afterwards.")(
        verb_command.command(CanariesOptions, run=_canaries)
    )
    app.command(
        "memorization", help="Ask a model for what it was trained on, and hold that against its promise."
    )(verb_command.command(MemorizationOptions, ForPurpose, MemorizationClaim, run=_memorization))
