"""Several columns that say together whose rows they are: numbers that start anew in each centre.

    Person("centre,patient")      # a name for both; read as such where no column is called so

The columns are made into one of texts, beside the others and under that name. Two people have the same text only if they
agree in every column: all but the last are preceded by their length. Where one is missing, so is the text: the row is
nobody's, as with any other key.
"""

from __future__ import annotations

import csv
from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from typing import Any

from privet.engine._dialects import canonical_key
from privet.engine._relation import Relation


def key_name(columns: Sequence[str]) -> str:
    """What columns are called together: as in a line of CSV, names that hold a comma in quotation marks."""
    if len(columns) == 1:
        return columns[0]
    return ",".join(
        '"' + name.replace('"', '""') + '"' if {",", '"'} & set(name) else name for name in columns
    )


def key_parts(name: str, known: Container[str]) -> tuple[str, ...]:
    """The columns that a key's name speaks of: the name itself if a column is called so, or has no comma in it."""
    if name in known or "," not in name:
        return (name,)
    try:
        parts = next(csv.reader([name], strict=True), [])
    except csv.Error:
        return (name,)
    return tuple(part if part in known else part.strip() for part in parts)


def is_made(name: str, known: Iterable[str]) -> bool:
    """Whether a column is the key of others beside it, so that it is in no file."""
    others = set(known) - {name}
    parts = key_parts(name, others)
    return len(parts) > 1 and others.issuperset(parts)


def with_key(relation: Relation, name: str, parts: Sequence[str]) -> Relation:
    """The relation with one more column, which holds its key. Stability 1: each row's key depends on that row alone."""

    def keyed(table: Any) -> Any:
        texts = [canonical_key(table[part], relation.engine).cast("string") for part in parts]
        whole = texts[-1]
        for text in reversed(texts[:-1]):
            whole = text.length().cast("string") + ":" + text + whole
        return table.mutate(**{name: whole})

    again = relation.elsewhere
    return replace(
        relation,
        table=keyed(relation.table),
        elsewhere=None if again is None else lambda connection: keyed(again(connection)),
    )
