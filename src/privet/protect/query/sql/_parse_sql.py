"""One query from text, for callers that do nothing else with the answer."""

from __future__ import annotations

from privet.errors import BadUsage
from privet.protect.query.sql._name_scope import Catalog
from privet.protect.query.sql._select_statement import read_sql
from privet.source import Asked, Query


def parse_sql(text: str, table: Asked) -> Query:
    """The one query that `text` asks of `table`; refuses text that also says what to do with the answer."""
    question = read_sql(text, Catalog.of(table, None))
    if not question.is_plain:
        raise BadUsage(
            "HAVING, ORDER BY, LIMIT, levels, computed and renamed columns shape one answer.",
            "Release this question by itself: release(sql, promise, …).",
        )
    return question.queries[0]
