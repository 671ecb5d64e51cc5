"""How large a number can be, by how it is computed: where that is known, no operand needs a mask."""

from __future__ import annotations

from collections.abc import Mapping

from privet.engine import expressions as ex
from privet.engine._constant_ranges import LARGE, SMALL
from privet.engine._expression_kinds import kind
from privet.engine._relation import ColumnKind

_PARTS = 9_999
_CHARACTERS = 2**32
_ANY = 2**63


def is_tame(expression: ex.Expression, columns: Mapping[str, ColumnKind]) -> bool:
    """Whether a number is missing, zero, or of a magnitude that every operation takes, whatever the row holds.

    Whole numbers are below 2^63, and numbers read from text below 1e130 and above 1e-130.
    """
    match expression:
        case ex.Literal(int() | float() as number):
            return number == 0 or SMALL <= abs(number) <= LARGE
        case ex.Cast(of, ColumnKind.REAL):
            return kind(of, columns) is ColumnKind.TEXT or is_tame(of, columns)
    return kind(expression, columns) is ColumnKind.INTEGER


def largest_whole(expression: ex.Expression, columns: Mapping[str, ColumnKind]) -> int:
    """The largest magnitude that a whole number can have, whatever the row holds."""
    match expression:
        case ex.Literal(int() as number):
            return abs(number)
        case ex.DatePart():
            return _PARTS
        case ex.Length():
            return _CHARACTERS
        case ex.Bin(_, edges, None):
            return len(edges)
        case ex.Cast(of, ColumnKind.INTEGER) if kind(of, columns) is ColumnKind.BOOLEAN:
            return 1
        case ex.Pick(_, then, otherwise):
            both = (part for part in (then, otherwise) if part is not None)
            return max(largest_whole(part, columns) for part in both)
        case ex.Arithmetic("%", _, right):
            return largest_whole(right, columns)
        case ex.Arithmetic(op, left, right):
            first, second = largest_whole(left, columns), largest_whole(right, columns)
            return min(_ANY, first * second if op == "*" else first + second)
    return _ANY
