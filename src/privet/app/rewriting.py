"""What the commands that rewrite columns share: opening the file, reading `column=value` options, saving, saying."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privet.app.output import emit
from privet.errors import BadUsage

if TYPE_CHECKING:
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

_TEXT_FILES = (".csv", ".tsv", ".jsonl", ".ndjson")


def opened(data: str, delimiter: str | None, as_text: Collection[str] = ()) -> Table:
    """The table; in text files, identifiers are read as the text they are, so that 007 stays 007."""
    from privet.source import open_table

    suffixes = [suffix.lower() for suffix in Path(data).suffixes] if "://" not in data else []
    text_file = any(suffix in _TEXT_FILES for suffix in suffixes[-2:])
    types = dict.fromkeys(as_text, "text") if text_file and as_text else None
    return open_table(data, delimiter=delimiter, types=types)


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
