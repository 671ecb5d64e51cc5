"""How large a number can be: a bound that holds whatever a row holds."""

import pytest

from privet.engine import expressions as ex
from privet.engine._magnitudes import is_tame, largest_whole
from privet.engine._relation import ColumnKind

KINDS = {
    "i": ColumnKind.INTEGER,
    "x": ColumnKind.REAL,
    "s": ColumnKind.TEXT,
    "b": ColumnKind.BOOLEAN,
    "d": ColumnKind.DATE,
}
I, X, S, B, D = (ex.Column(name) for name in "ixsbd")  # noqa: E741
YEAR, ANY = ex.DatePart("year", D), 2**63


@pytest.mark.parametrize(
    ("expression", "most"),
    [
        (ex.Literal(-7), 7),
        (YEAR, 9_999),
        (ex.Length(S), 2**32),
        (ex.Bin(X, edges=(0.0, 1.0, 2.0)), 3),
        (ex.Bin(X, width=2.0), ANY),
        (ex.Cast(B, ColumnKind.INTEGER), 1),
        (ex.Cast(S, ColumnKind.INTEGER), ANY),
        (I, ANY),
        (ex.Pick(B, ex.Literal(3), ex.Literal(-5)), 5),
        (ex.Pick(B, ex.Literal(3)), 3),
        (ex.Arithmetic("%", I, ex.Literal(10)), 10),
        (ex.Arithmetic("+", YEAR, ex.Literal(1)), 10_000),
        (ex.Arithmetic("-", YEAR, ex.Literal(1)), 10_000),
        (ex.Arithmetic("*", YEAR, ex.Literal(2)), 19_998),
        (ex.Arithmetic("*", I, I), ANY),
        (ex.Arithmetic("+", I, I), ANY),
    ],
)
def test_the_largest_whole_number(expression, most):
    assert largest_whole(expression, KINDS) == most


@pytest.mark.parametrize(
    ("expression", "tame"),
    [
        (ex.Literal(0.0), True),
        (ex.Literal(1e150), True),
        (ex.Literal(-1e150), True),
        (ex.Literal(1e-150), True),
        (ex.Literal(1e151), False),
        (ex.Literal(1e-151), False),
        (I, True),
        (X, False),
        (ex.Cast(S, ColumnKind.REAL), True),
        (ex.Cast(I, ColumnKind.REAL), True),
        (ex.Cast(X, ColumnKind.REAL), False),
        (ex.Arithmetic("+", X, X), False),
    ],
)
def test_numbers_that_every_operation_takes(expression, tame):
    assert is_tame(expression, KINDS) is tame
