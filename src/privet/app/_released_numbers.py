"""What commands that release numbers have in common: how much of one person counts, what is written, and the way to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from privet.app._output_files import check_outputs
from privet.app._terminal import emit, progress
from privet.verbs import BookingOptions, Flag, Options, Request, RowsAsked, carried_out, explained

if TYPE_CHECKING:
    from privet.app._verb_command import CommandInput


class RowsOfOne(Options):
    """What of one person counts."""

    max_rows: Annotated[
        int | None, Field(gt=0, description="Rows that one person may add [default: 1]."), Flag(example="1")
    ] = None


class NumbersOutputs(Options):
    """How to answer, and what to write."""

    explain: Annotated[bool, Field(description="Say what would be done, promised and spent, and stop.")] = (
        False
    )
    again: Annotated[bool, Field(description="Spend for a fresh release of what was released before.")] = (
        False
    )
    out: Annotated[
        Path | None,
        Field(description="Save the release: .json or .parquet."),
        Flag(names=("--out", "-o"), file="out", example="answer.json"),
    ] = None


def say_plan(verb: Any, asked: Request, *, as_json: bool) -> None:
    """What the verb would do and spend; nothing is done."""
    told = explained(verb, asked)
    emit(told.to_json(), str(told), plain=str(told), as_json=as_json)


def release_numbers(
    verb: Any,
    said: CommandInput,
    options: type[Options],
    counted: type[Options],
    doing: str,
    lines: Callable[[Any], tuple[Sequence[str], Sequence[str]]],
) -> None:
    """Explain, or release, save and show; `lines` gives what people read of a release, and what other programs read."""
    rows, how = said.of(RowsAsked), said.of(NumbersOutputs)
    check_outputs(rows.data, how.out, None)
    asked = Request.of(said.of(options), rows, said.of(counted), said.of(BookingOptions), again=how.again)
    if how.explain:
        say_plan(verb, asked, as_json=said.as_json)
        return
    with progress(doing) as step:
        released = carried_out(verb, asked, to=how.out, say=step).made
        shown, plain = lines(released)
        saved = [f"saved {how.out}"] if how.out else []
        emit(released.to_json(), "\n".join([*shown, *saved]), plain="\n".join(plain), as_json=said.as_json)
