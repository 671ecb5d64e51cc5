"""What the commands that rewrite columns share: opening the file, reading `column=value` options, saving, saying."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privet.app.output import emit
from privet.errors import BadUsage

if TYPE_CHECKING:
    from privet.engine.relation import ColumnKind
    from privet.protect.anonymize.rewritten import Rewritten
    from privet.source.table import Table

DataArgument = Annotated[
    str,
    typer.Argument(
        metavar="DATA", help="A file (CSV, Parquet, JSON lines, DuckDB, SQLite) or a database URL."
    ),
]
OutOption = Annotated[Path, typer.Option("--out", "-o", help="The file to write: .csv or .parquet.")]
DelimiterOption = Annotated[str | None, typer.Option(help="The CSV's delimiter, if it cannot be guessed.")]
ColumnsOption = Annotated[str, typer.Option(help="Columns, separated by commas.")]
KeysOption = Annotated[
    str | None,
    typer.Option(
        "--keys",
        metavar="PLACE",
        help="Where the keys are: a key file, env, or keyring:NAME [default: PRIVET_KEYS if set, else privet.keys].",
    ),
]
DatasetOption = Annotated[
    str, typer.Option(help="The project; its tables share pseudonyms, other projects have others.")
]

_CSV = (".csv", ".tsv")
_TEXT_FILES = (*_CSV, ".jsonl", ".ndjson")


def opened(
    data: str, out: Path, delimiter: str | None, *, typed: Collection[str] = (), as_text: Collection[str] = ()
) -> Table:
    """The table, with whatever no transform needs as a number or date left as it is written.

    A CSV file's types are guesses: 01234 would come out as 1234. From CSV to CSV everything but `typed` columns is
    text; into Parquet, guessed types are kept where no leading zero is lost. `as_text` columns are text in any case.
    """
    from privet.source import open_table

    suffixes = [suffix.lower() for suffix in Path(data).suffixes] if "://" not in data else []
    ending = next((suffix for suffix in suffixes[-2:] if suffix in _TEXT_FILES), None)
    if ending is None:
        return open_table(data, delimiter=delimiter)
    if ending not in _CSV:
        return open_table(data, types=dict.fromkeys(as_text, "text") or None)
    guessed = open_table(data, delimiter=delimiter)
    untouched = [name for name in guessed.columns if name not in typed]
    texts = dict.fromkeys([*untouched, *(name for name in as_text if name not in untouched)], "text")
    table = open_table(data, delimiter=delimiter, types=texts or None)
    if out.suffix == ".csv" or not untouched:
        return table
    kept = [name for name in untouched if name in as_text or _loses_zeros(table, name, guessed.columns[name])]
    return open_table(data, delimiter=delimiter, types=dict.fromkeys([*kept, *as_text], "text") or None)


def _loses_zeros(table: Table, name: str, guessed: ColumnKind) -> bool:
    """Whether a column that was taken for whole numbers has one written with a zero before it."""
    from privet.engine.reading_off import number_of_rows
    from privet.engine.relation import ColumnKind
    from privet.engine.tables import filter_rows
    from privet.source import col

    if guessed is not ColumnKind.INTEGER:
        return False
    text = col(name).trim()
    leading = (text.substring(0, 1) == "0") & (text.length() > 1)
    return number_of_rows(filter_rows(table.relation, leading.tree)) > 0


def finish(result: Rewritten, out: Path, *, as_json: bool, more: Mapping[str, Any] | None = None) -> None:
    """Write the rows, and say what was done."""
    rows = result.write(out)
    data = {"rows": rows, "columns": dict(result.done), **result.figures, **(more or {}), "saved": str(out)}
    lines = [f"{name}: {text}" for name, text in result.done.items()]
    lines += [f"{name.replace('_', ' ')}: {number}" for name, number in result.figures.items()]
    emit(data, "\n".join([*lines, f"saved {out} ({rows:,} rows)"]), plain=str(out), as_json=as_json)


def listed(text: str | None) -> list[str]:
    """Names separated by commas."""
    return [name.strip() for name in (text or "").split(",") if name.strip()]


def pairs(given: list[str] | None, option: str, example: str) -> dict[str, str]:
    """Repeated options of the form column=value."""
    found: dict[str, str] = {}
    for text in given or []:
        column, sign, rest = text.partition("=")
        if not (column and sign and rest) or column in found:
            raise BadUsage(f"{option} could not be read.", f"Write {option} {example}, once for each column.")
        found[column] = rest
    return found


def number(text: str, option: str) -> int | float:
    """A number from the command line."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        raise BadUsage(f"{option} needs a number.", "Write a number after the equals sign.") from None
