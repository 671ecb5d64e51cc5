"""`privet tabulate`: the same table for every place of a hierarchy, released so that everything adds up."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from privet.app import _verb_command as verb_door
from privet.app._output_files import check_outputs
from privet.app._terminal import emit, progress
from privet.verbs import (
    BookingOptions,
    Flag,
    Options,
    Request,
    RowsAsked,
    Tabulate,
    TabulateOptions,
    carried_out,
    explained,
)

if TYPE_CHECKING:
    from privet.artifact import ReleasedHierarchy


class Counted(Options):
    """What of one person counts, and what is hidden."""

    max_rows: Annotated[
        int | None, Field(gt=0, description="Rows that one person may add [default: 1]."), Flag(example="1")
    ] = None
    change_one: Annotated[bool, Field(description="Hide one person's data rather than their presence.")] = (
        False
    )


class TabulateOutputs(Options):
    """How to answer, and what to write."""

    explain: Annotated[bool, Field(description="Say what would be done and spent, and stop.")] = False
    again: Annotated[bool, Field(description="Spend for a fresh release of what was released before.")] = (
        False
    )
    out: Annotated[
        Path | None,
        Field(description="Save the release: .json or .parquet."),
        Flag(names=("--out", "-o"), file="out", example="counts.json"),
    ] = None


def _run(said: verb_door.CommandInput) -> None:
    rows, how = said.of(RowsAsked), said.of(TabulateOutputs)
    check_outputs(rows.data, how.out, None)
    asked = Request.of(
        said.of(TabulateOptions), rows, said.of(Counted), said.of(BookingOptions), again=how.again
    )
    if how.explain:
        told = explained(Tabulate(), asked)
        emit(told.to_json(), str(told), plain=str(told), as_json=said.as_json)
        return
    with progress("counting") as step:
        _say(carried_out(Tabulate(), asked, to=how.out, say=step).made, how.out, as_json=said.as_json)


command = verb_door.command(RowsAsked, Counted, TabulateOptions, BookingOptions, TabulateOutputs, run=_run)


def _say(released: ReleasedHierarchy, out: Path | None, *, as_json: bool) -> None:
    table = released.to_arrow()
    lines = ["\t".join(table.column_names)]
    lines += [
        "\t".join("" if cell is None else str(cell) for cell in row.values()) for row in table.to_pylist()
    ]
    said = [str(released), released.sentence(), *([f"saved {out}"] if out else [])]
    emit(released.to_json(), "\n".join(said), plain="\n".join(lines), as_json=as_json)
