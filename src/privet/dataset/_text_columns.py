"""Columns of a text file as they are written there, for verbs that hand on what they do not change.

A CSV file's types are guesses: 01234 would come out as 1234.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING

from privet.engine import ColumnKind, filter_rows, number_of_rows
from privet.source import col

if TYPE_CHECKING:
    from privet.source import Table

_CSV = (".csv", ".tsv")
_TEXT_FILES = (*_CSV, ".jsonl", ".ndjson")
ReadAs = Callable[[Mapping[str, str]], "Table"]


def as_written(
    guessed: Table,
    read_as: ReadAs | None,
    ending: str,
    *,
    typed: Collection[str] = (),
    as_text: Collection[str] = (),
) -> Table:
    """The table, with whatever nobody needs as a number or date left as it is written.

    Into CSV everything but `typed` columns of a CSV file is text; into Parquet, guessed types are kept where no leading
    zero is lost. `as_text` columns are text in any case.
    """
    file = guessed.snapshot.file
    suffixes = [] if file is None else [suffix.lower() for suffix in file.suffixes]
    kind = next((suffix for suffix in suffixes[-2:] if suffix in _TEXT_FILES), None)
    texts = [name for name in as_text if name in guessed.columns]
    if kind is None or read_as is None:
        return guessed
    if kind not in _CSV:
        return read_as(dict.fromkeys(texts, "text")) if texts else guessed
    untouched = [name for name in guessed.columns if name not in typed]
    table = read_as(dict.fromkeys([*untouched, *texts], "text"))
    if ending == ".csv" or not untouched:
        return table
    kept = [name for name in untouched if _loses_zeros(table, name, guessed.columns[name])]
    return read_as(dict.fromkeys([*kept, *texts], "text"))


def _loses_zeros(table: Table, name: str, guessed: ColumnKind) -> bool:
    """Whether a column that was taken for whole numbers has one written with a zero before it."""
    if guessed is not ColumnKind.INTEGER:
        return False
    text = col(name).trim()
    leading = (text.substring(0, 1) == "0") & (text.length() > 1)
    return number_of_rows(filter_rows(table.relation, leading.tree)) > 0
