"""Texts that were trained on, and texts like them that were not: as lists, whatever they were given as."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from privet.attacks.tables import rows_of
from privet.errors import BadAttack, FileProblem
from privet.evidence import given_text

_LARGEST = 2**29  # bytes of a file of lines
_TABLES = (".parquet", ".csv", ".tsv", ".jsonl", ".ndjson", ".json")


def texts_of(thing: Any, column: str | None = None) -> list[str]:
    """Texts in a list, a column of a table, or a file: a table, or lines of text (.txt).

    The column is the one that is named, or the only one that holds texts. Empty and missing texts are left out.
    """
    if isinstance(thing, str | Path) and Path(thing).suffix.lower() not in _TABLES:
        return _lines(Path(thing))
    found = list(thing) if isinstance(thing, list | tuple) else _column(rows_of(thing), column)
    if any(not isinstance(one, str | None) for one in found):
        raise BadAttack("what is given as texts holds something else.", "Give texts, or a column of texts.")
    return [one for one in found if one]


def text_column(table: Any, column: str | None) -> str:
    """The column that holds the texts: as named, or the only one of text."""
    import pyarrow as pa

    if column is not None:
        if column not in table.column_names:
            raise BadAttack("there is no column of that name.", "Name the column that holds the texts.")
        return column
    kinds = (pa.types.is_string, pa.types.is_large_string)
    found = [field.name for field in table.schema if any(kind(field.type) for kind in kinds)]
    if len(found) != 1:
        raise BadAttack(
            "it is not clear which column holds the texts.", "Name it: text=note, or --text note."
        )
    return str(found[0])


def _column(table: Any, column: str | None) -> list[Any]:
    found: list[Any] = table[text_column(table, column)].to_pylist()
    return found


def _lines(path: Path) -> list[str]:
    try:
        return [line for line in given_text(path, largest=_LARGEST).split("\n") if line.strip()]
    except (OSError, UnicodeDecodeError):
        raise FileProblem(
            f"{path.name} cannot be read as text.", "Give a table, or lines of text in UTF-8."
        ) from None
