"""SQL over private tables: the part of the language whose stability is known."""

from __future__ import annotations

from privet.errors import BadUsage
from privet.protect.release.sql.question import SqlQuestion
from privet.protect.release.sql.scope import Catalog
from privet.protect.release.sql.selecting import read_sql
from privet.source.query import Asked, Query

__all__ = ["Catalog", "SqlQuestion", "parse_sql", "read_sql"]


def parse_sql(text: str, table: Asked) -> Query:
    """The one query that `text` asks of `table`, without what is done to its answer afterwards."""
    question = read_sql(text, Catalog.of(table, None))
    if len(question.queries) > 1:
        raise BadUsage("this question has several levels.", "Release it as it is: release(sql, promise, …).")
    return question.queries[0]
