"""Pointing at words of a question: line, column, and the line itself with a caret under the word."""

from __future__ import annotations

import re
from typing import Any

from privet.errors import BadQuestion

PAGE = "See docs/reference/sql.md for what can be asked."


def refusal(text: str, node: Any, fact: str, hint: str = "", *, word: str | None = None) -> BadQuestion:
    """A refusal that points at the first word of a node, or at the last `word` (a clause's name) before it."""
    position = position_of(node)
    while position is None and getattr(node, "parent", None) is not None:
        node = node.parent
        position = position_of(node)
    if word is not None:
        position = _before(text, word, len(text) if position is None else position) or position
    return refused_at(text, position, fact, hint)


def refused_at(text: str, position: int | None, fact: str, hint: str = "") -> BadQuestion:
    """A refusal that points at a character of the question."""
    if position is None:
        return BadQuestion(fact, hint or PAGE, position=None)
    line, column = place_of(text, position)
    return BadQuestion(
        f"{fact}\n{pointed(text, position)}", hint or PAGE, position=position, line=line, column=column
    )


def position_of(node: Any) -> int | None:
    """Where the first word of a node stands, if the parser kept it."""
    from sqlglot import exp

    nodes = node if isinstance(node, list) else [node]
    starts = [
        part.meta["start"]
        for one in nodes
        if isinstance(one, exp.Expression)
        for part in one.walk()
        if "start" in part.meta
    ]
    return min(starts, default=None)


def place_of(text: str, position: int) -> tuple[int, int]:
    """Line and column of a character, both counted from 1."""
    begin = text.rfind("\n", 0, position) + 1
    return text.count("\n", 0, position) + 1, position - begin + 1


def pointed(text: str, position: int) -> str:
    """The line of the question with a caret under the word."""
    line, column = place_of(text, position)
    begin = position - column + 1
    end = text.find("\n", position)
    shown = text[begin : end if end >= 0 else len(text)].replace("\t", " ")
    return f"  line {line}, column {column}\n  {shown}\n  {' ' * (column - 1)}^"


def _before(text: str, word: str, position: int) -> int | None:
    # Not by folding the text: some letters have capitals of two, which would move everything behind them.
    found = [match.start() for match in re.finditer(re.escape(word), text[:position], re.IGNORECASE)]
    return found[-1] if found else None
