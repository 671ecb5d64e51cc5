"""Masking: hiding a part of each text, putting one word in its place, or numbering (`User_01`).

Masking hides from onlookers. What it leaves readable can still single somebody out, and equal numbers still join.
"""

from __future__ import annotations

from privet.engine import Column, ColumnKind, IsMissing, Literal, Not, Pick, replace
from privet.errors import BadTransform
from privet.mechanism import fresh_generator
from privet.protect.transform._rewritten_table import Rewritten, by_value, column_of, rewritten
from privet.source import Table

_STARS = 4
_PLAIN = (ColumnKind.TEXT, ColumnKind.INTEGER, ColumnKind.DATE)


def mask(
    table: Table,
    column: str,
    *,
    keep_first: int = 0,
    keep_last: int = 0,
    sign: str = "*",
    same_length: bool = False,
) -> Rewritten:
    """A text column of which only the first and last characters can be read.

    Texts that would show more than half of their characters are hidden whole. The hidden part is four signs long,
    or with `same_length` as long as it was.
    """
    column_of(table, column, *_PLAIN)
    if keep_first < 0 or keep_last < 0 or len(sign) != 1:
        raise BadTransform(
            "a mask keeps a number of characters and hides the rest with one sign.",
            "Write keep_last=4, sign='*'.",
        )

    def hidden(text: str) -> str:
        first, last = keep_first, keep_last
        if 2 * (first + last) > len(text):
            first = last = 0
        middle = len(text) - first - last
        return text[:first] + sign * (middle if same_length else _STARS) + text[len(text) - last :]

    relation = by_value(
        table, column, lambda values: [hidden(str(value)) for value in values], ColumnKind.TEXT
    )
    return rewritten(
        table, relation, {column: f"masked but for the first {keep_first} and last {keep_last} characters"}
    )


def placeholder(table: Table, column: str, word: str) -> Rewritten:
    """A column in which one word stands for every value; missing ones stay missing."""
    column_of(table, column)
    relation = replace(table.relation, {column: Pick(Not(IsMissing(Column(column))), Literal(word))})
    return rewritten(table, relation, {column: "every value replaced by one placeholder"})


def numbered(table: Table, column: str, prefix: str = "User_") -> Rewritten:
    """A column of `User_01`, `User_02`, …: equal values have equal numbers.

    The numbers are drawn at random: neither the order of rows nor that of the alphabet shows in them. They hold in
    this table alone; for several tables use pseudonyms.
    """
    column_of(table, column, *_PLAIN)

    def counted(values: list[object]) -> list[str]:
        width = max(2, len(str(len(values))))
        return [f"{prefix}{at + 1:0{width}d}" for at in fresh_generator().permutation(len(values))]

    relation = by_value(table, column, counted, ColumnKind.TEXT)
    return rewritten(table, relation, {column: "numbered in random order"})
