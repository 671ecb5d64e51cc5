"""`privet suppress`, `mask`, `round`, … and `pseudonymize`: what they take stands in their verbs; here it is said."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from privet.app import _verb_command as verb_command
from privet.app._terminal import emit
from privet.verbs import (
    FileAsked,
    Flag,
    ForPurpose,
    Options,
    Pseudonymize,
    Request,
    Reveal,
    Rewrite,
    carried_out,
)
from privet.verbs import transform_verbs as transforms


class TransformsOutputs(Options):
    """What to write."""

    out: Annotated[
        Path,
        Field(description="The file to write: .csv or .parquet."),
        Flag(names=("--out", "-o"), file="out", example="out.csv"),
    ]


def _command(verb: Rewrite) -> Callable[..., None]:
    def run(said: verb_command.CommandInput) -> None:
        rows, out = said.of(FileAsked), said.of(TransformsOutputs).out
        asked = Request.of(said.of(verb.options), rows, said.of(ForPurpose))
        say(carried_out(verb, asked, to=out).facts, out, as_json=said.as_json)

    return verb_command.command(FileAsked, verb.options, ForPurpose, TransformsOutputs, run=run)


def say(facts: dict[str, Any], out: Path, *, as_json: bool) -> None:
    """What was done to each column, figures worth knowing, and where the rows are."""
    lines = [f"{name}: {text}" for name, text in facts["columns"].items()]
    lines += [
        f"{name.replace('_', ' ')}: {number}"
        for name, number in facts.items()
        if isinstance(number, int) and name != "rows"
    ]
    lines.append(f"saved {out} ({facts['rows']:,} rows)")
    emit({**facts, "saved": str(out)}, "\n".join(lines), plain=str(out), as_json=as_json)


COMMANDS = {
    verb.name: _command(verb)
    for verb in (
        Pseudonymize(),
        Reveal(),
        transforms.Suppress(),
        transforms.Mask(),
        transforms.Round(),
        transforms.Topcode(),
        transforms.ShiftDates(),
        transforms.Microaggregate(),
        transforms.Swap(),
        transforms.RankSwap(),
        transforms.Pram(),
    )
}
