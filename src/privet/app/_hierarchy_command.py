"""`privet hierarchy`: suggest a hierarchy for a column, and check those there are."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privet.app._terminal import JsonOption, emit, write_file
from privet.artifact import OwnerOnly
from privet.errors import FileProblem, HierarchyIncomplete, HierarchyUnreadable

if TYPE_CHECKING:
    from privet.protect.anonymize.hierarchies import Hierarchy

app = typer.Typer(
    help="Generalization hierarchies: suggest one, check those there are.", no_args_is_help=True
)

PurposeOption = Annotated[
    str | None, typer.Option(help="What it is for; needed where the data set has purposes.")
]
DelimiterOption = Annotated[str | None, typer.Option(help="The CSV's delimiter, if it cannot be guessed.")]


class Kind(enum.StrEnum):
    """Kinds of hierarchies that can be made."""

    AUTO = "auto"
    INTERVALS = "intervals"
    QUANTILES = "quantiles"
    OPTIMAL = "optimal"
    PREFIXES = "prefixes"
    CALENDAR = "calendar"
    FREQUENCY = "frequency"


@app.command()
def suggest(
    data: Annotated[str, typer.Argument(metavar="FILE", help="The table.")],
    *,
    column: Annotated[str, typer.Option(help="The column to make a hierarchy for.")],
    to: Annotated[Path, typer.Option("--output", "-o", help="The file to write, in ARX's form (.csv).")],
    kind: Annotated[
        Kind, typer.Option(help="How to generalize; auto follows the look of values.")
    ] = Kind.AUTO,
    widths: Annotated[
        str, typer.Option(help="Widths of intervals, each a multiple of the last.")
    ] = "5,10,20",
    purpose: PurposeOption = None,
    delimiter: DelimiterOption = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file if it exists.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Write a complete hierarchy of a column's values, to be edited by someone who knows what they mean."""
    from privet.protect.anonymize.hierarchies import csv_text

    if to.exists() and not overwrite:
        raise FileProblem(f"{to} exists already.", "Name another file, or add --overwrite.")
    values, counts = _values(data, column, delimiter, purpose=purpose, as_text=kind is Kind.PREFIXES)
    made = _made(kind, column, values, counts, widths)
    write_file(to, OwnerOnly(csv_text(made)))
    levels = [len(labels) for labels in made.labels]
    record = {"file": str(to), "column": column, "values": len(made.values), "levels": levels}
    told = f"{len(made.values):,} values of {column!r} on {len(levels)} levels ({', '.join(map(str, levels))} groups) in {to}"
    emit(record, told, plain=str(to), as_json=as_json)


@app.command()
def check(
    place: Annotated[Path, typer.Argument(metavar="FILE|FOLDER", help="One hierarchy, or a folder of them.")],
    *,
    data: Annotated[str | None, typer.Option(help="A table whose values must all be there.")] = None,
    purpose: PurposeOption = None,
    delimiter: DelimiterOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check that hierarchies are functional and refining and, with --data, that they know every value."""
    from privet.protect.anonymize.hierarchies import read_hierarchy

    files = [place] if place.is_file() else sorted(_files(place))
    if not files:
        raise HierarchyUnreadable(f"there is no hierarchy at {place}.", "Give a file or a folder of them.")
    found = [read_hierarchy(file) for file in files]
    if data is not None:
        _complete(found, data, delimiter, purpose)
    record = {
        "hierarchies": [
            {"column": h.column, "values": len(h.values), "levels": [len(labels) for labels in h.labels]}
            for h in found
        ],
        "complete": data is not None,
    }
    told = "\n".join(f"{h.column}: {len(h.values):,} values, {len(h.labels)} levels, in order" for h in found)
    emit(record, told, plain="\n".join(h.column for h in found), as_json=as_json)


def _files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return [
        file for file in folder.iterdir() if "_hierarchy_" in file.name or file.suffix in (".yaml", ".yml")
    ]


def _values(
    data: str, column: str, delimiter: str | None, *, purpose: str | None, as_text: bool = False
) -> tuple[list[Any], list[int]]:
    """The column's distinct values and how often each occurs; for the owner, who is asked to look at them."""
    from privet.dataset import owner_rows
    from privet.engine import frequency_table

    types = {column: "text"} if as_text else None
    table = owner_rows(data, purpose=purpose, columns=[column], delimiter=delimiter, types=types)
    found = frequency_table(table.relation, [column])
    return found.labels[0].to_pylist(), found.counts.tolist()


def _made(kind: Kind, column: str, values: list[Any], counts: list[int], widths: str) -> Hierarchy:
    from privet.protect.anonymize import hierarchies as making

    if kind is Kind.INTERVALS:
        return making.intervals(column, values, _widths(widths))
    if kind is Kind.QUANTILES:
        return making.quantiles(column, values, counts)
    if kind is Kind.OPTIMAL:
        return making.optimal_intervals(column, values, counts)
    if kind is Kind.PREFIXES:
        return making.prefixes(column, values)
    if kind is Kind.CALENDAR:
        return making.calendar(column, values)
    if kind is Kind.FREQUENCY:
        return making.by_frequency(column, values, counts)
    return making.suggest(column, values, counts)


def _widths(given: str) -> list[float]:
    try:
        return [float(part) for part in given.split(",")]
    except ValueError:
        raise HierarchyUnreadable(
            "widths are numbers separated by commas.", "Write --widths 5,10,20."
        ) from None


def _complete(found: list[Hierarchy], data: str, delimiter: str | None, purpose: str | None) -> None:
    """Every hierarchy is laid against the table; all that lack something are named at once."""
    lacking = []
    for hierarchy in found:
        try:
            hierarchy.ladder(_values(data, hierarchy.column, delimiter, purpose=purpose)[0])
        except HierarchyIncomplete as error:
            lacking.append(error.fact)
    if lacking:
        raise HierarchyIncomplete(" ".join(lacking), "Add a row for each value that is lacking.")
