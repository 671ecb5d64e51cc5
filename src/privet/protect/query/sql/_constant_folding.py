"""Constants in what is computed from noisy numbers: their values are known before anything is spent, and so are refusals."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from privet.engine import LARGE, SMALL
from privet.engine import expressions as tree
from privet.errors import BadQuery, InternalError


def require_sized(expression: tree.Arithmetic, form: str) -> str:
    """Refuse constants that nothing can be computed with, whatever the noise."""
    for part in (expression, expression.left, expression.right):
        if is_constant(part) and not is_sized(constant(part)):
            raise BadQuery(
                f"numbers that are computed with are at most {LARGE:g} in size, and at least {SMALL:g}.",
                "Check the constants.",
            )
    if expression.op in "/%" and is_constant(expression.right) and not constant(expression.right):
        raise BadQuery("nothing is divided by zero.")
    return form


def is_constant(expression: Any) -> bool:
    """Whether no column is in an expression."""
    parts = [getattr(expression, name) for name in expression.__slots__]
    return not isinstance(expression, tree.Column) and all(
        is_constant(part) for part in parts if isinstance(part, tree.NODES)
    )


def constant(expression: tree.Expression) -> Any:
    """What an expression without columns comes to; None for nothing."""
    match expression:
        case tree.Literal(value):
            return value
        case tree.Cast(of, _):
            return constant(of)
        case tree.Arithmetic(op, left, right):
            return calculated(op, constant(left), constant(right))
        case tree.Pick(tree.Compare(_, _, tree.Literal(edge)), then, None):
            found = constant(then)
            return None if found == edge else found
    raise InternalError("an expression over columns is no constant.")


def is_sized(number: float | None) -> bool:
    """Whether products and quotients with a number stay within doubles; missing ones do."""
    return number is None or number == 0 or SMALL <= abs(number) <= LARGE


def calculated(op: str, left: Any, right: Any) -> Any:
    """One step of arithmetic on plain numbers; None where there is no result."""
    if left is None or right is None or (op in "/%" and right == 0):
        return None
    if op == "%":
        return left - right * (abs(left) // abs(right)) * (1 if (left < 0) == (right < 0) else -1)
    operators: dict[str, Callable[[Any, Any], Any]] = {
        "+": operator.add,
        "-": operator.sub,
        "*": operator.mul,
        "/": operator.truediv,
    }
    try:
        return operators[op](left, right)
    except OverflowError:
        return None
