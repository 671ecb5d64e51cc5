"""Whatever way a question is asked: queries come of it, and what is to be done with their answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from privet.errors import BadUsage
from privet.protect.query.sql import Catalog, read_sql
from privet.source import Query

if TYPE_CHECKING:
    from privet.artifact import ReleasedAnswer
    from privet.source import Asked, PublicTable

Question: TypeAlias = Query | str


@dataclass(frozen=True)
class Asking:
    """One question: the queries that answer it together, and how one answer is made of theirs."""

    queries: tuple[Query, ...]
    finished: Callable[[Sequence[ReleasedAnswer]], ReleasedAnswer]
    afterwards: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def asking(
    question: Question, table: Asked | None, tables: Mapping[str, Asked | PublicTable] | None
) -> Asking:
    """What a builder or SQL text asks; SQL speaks of `table`, or of `tables` by their names."""
    if isinstance(question, Query):
        return Asking((question,), lambda answers: answers[0])
    if not isinstance(question, str):
        raise BadUsage(
            f"a question is a query or SQL text, not {type(question).__name__}.",
            "Build one with table.group_by(…).agg(…).",
        )
    read = read_sql(question, Catalog.of(table, tables))
    return Asking(tuple(read.queries), read.finished, tuple(read.afterwards()), tuple(read.notes()))
