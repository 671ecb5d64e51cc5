"""`privet pac`: counts, sums, means or a ready-made function of a secret half of the people, under a promise in nats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from privet._outgoing_text import tab_line
from privet.app import _verb_command as verb_command
from privet.app._output_files import check_outputs
from privet.app._released_numbers import NumbersOutputs, RowsOfOne, release_numbers
from privet.app._terminal import emit, progress
from privet.verbs import BookingOptions, Options, PacOptions, PacVerb, Request, RowsAsked, measured_stability

if TYPE_CHECKING:
    from privet.artifact import ReleasedOutput


ENDINGS = (".json", ".svg", ".html")


class OwnersLook(Options):
    """What the owner may look at before anything is released."""

    stability: Annotated[
        bool,
        Field(
            description="Measure, for the owner alone, how far the function moves between halves and which noise each budget "
            "costs; nothing is released or spent. --out saves .json, .svg or .html."
        ),
    ] = False


def _run(said: verb_command.CommandInput) -> None:
    if said.of(OwnersLook).stability:
        _say_stability(said)
        return
    release_numbers(PacVerb(), said, PacOptions, RowsOfOne, "computing worlds", _lines)


command = verb_command.command(
    RowsAsked, RowsOfOne, PacOptions, BookingOptions, NumbersOutputs, OwnersLook, run=_run
)


def _say_stability(said: verb_command.CommandInput) -> None:
    """Measure, show and save for the owner; nothing is released or spent."""
    rows, how = said.of(RowsAsked), said.of(NumbersOutputs)
    check_outputs(rows.data, how.out, None, endings=ENDINGS)
    asked = Request.of(said.of(PacOptions), rows, said.of(RowsOfOne), said.of(BookingOptions))
    with progress("measuring on worlds") as step:
        found = measured_stability(asked, say=step)
        saved = [] if how.out is None else [f"saved {found.save(how.out)}"]
    emit(found.to_json(), "\n".join([str(found), *saved]), plain=str(found), as_json=said.as_json)


def _lines(released: ReleasedOutput) -> tuple[list[str], list[str]]:
    return [str(released)], [tab_line(row) for row in zip(released.labels, released.numbers, strict=True)]
