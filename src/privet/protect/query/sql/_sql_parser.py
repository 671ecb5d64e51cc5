"""From text to one SELECT statement; the parser's own errors are said with line, column and caret."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from privet.errors import BadQuestion
from privet.protect.query.sql._source_positions import refused_at

if TYPE_CHECKING:
    from sqlglot import exp

EXAMPLE = "Write SELECT ward, COUNT(*) AS n FROM t GROUP BY ward."


def parsed(text: str) -> exp.Select:
    """The one SELECT statement of a question."""
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    try:
        statements = [statement for statement in sqlglot.parse(text, read="duckdb") if statement is not None]
    except SqlglotError as problem:
        raise _unreadable(text, problem) from None
    if len(statements) != 1 or not isinstance(statements[0], exp.Select):
        raise BadQuestion("a question is one SELECT statement.", EXAMPLE)
    return statements[0]


def _unreadable(text: str, problem: Any) -> BadQuestion:
    told = (getattr(problem, "errors", None) or [{}])[0]
    if not told.get("line"):
        return BadQuestion("this is not SQL that could be read.", EXAMPLE)
    lines = text.split("\n")
    begin = sum(len(line) + 1 for line in lines[: int(told["line"]) - 1])
    position = begin + int(told.get("col") or 1) - len(told.get("highlight") or " ")
    position = max(0, min(position, len(text)))
    return refused_at(text, position, "this is not SQL that could be read.", EXAMPLE)


def refuse_extras(text: str, node: exp.Expression | None, known: set[str], fact: str) -> None:
    """Refuse every part of a node that is not among the known ones: what is not read must not be ignored."""
    from privet.protect.query.sql._source_positions import refusal

    for part, value in (node.args if node is not None else {}).items():
        if value and part not in known:
            raise refusal(text, node, fact)
