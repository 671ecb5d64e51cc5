"""`privet tabulate`: the same table for every place of a hierarchy, released so that everything adds up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from privet._outgoing_text import tab_line
from privet.app import _verb_command as verb_command
from privet.app._released_numbers import NumbersOutputs, RowsOfOne, release_numbers
from privet.verbs import BookingOptions, RowsAsked, Tabulate, TabulateOptions

if TYPE_CHECKING:
    from privet.artifact import ReleasedHierarchy


class Counted(RowsOfOne):
    """What of one person counts, and what is hidden."""

    change_one: Annotated[bool, Field(description="Hide one person's data rather than their presence.")] = (
        False
    )


def _run(said: verb_command.CommandInput) -> None:
    release_numbers(Tabulate(), said, TabulateOptions, Counted, "counting", _lines)


command = verb_command.command(RowsAsked, Counted, TabulateOptions, BookingOptions, NumbersOutputs, run=_run)


def _lines(released: ReleasedHierarchy) -> tuple[list[str], list[str]]:
    table = released.to_arrow()
    rows = [tab_line(row) for row in [table.column_names, *(row.values() for row in table.to_pylist())]]
    return [str(released), released.sentence()], rows
