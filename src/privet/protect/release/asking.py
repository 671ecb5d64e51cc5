"""Whatever way a question is asked, one query comes of it."""

from __future__ import annotations

from privet.errors import BadUsage
from privet.protect.release.sql import parse_sql
from privet.source.query import Query
from privet.source.table import Table


def as_query(question: Query | str, table: Table | None) -> Query:
    """The query that a builder or SQL text describes."""
    if isinstance(question, Query):
        return question
    if not isinstance(question, str):
        raise BadUsage(
            f"a question is a query or SQL text, not {type(question).__name__}.",
            "Build one with table.group_by(…).agg(…).",
        )
    if table is None:
        raise BadUsage("SQL needs the table it speaks of.", "Write release(sql, promise, table=patients, …).")
    return parse_sql(question, table)
