"""Kinds of expressions: what fits has one, what does not is refused, and near misses are named."""

import datetime
import math

import pytest

from privet.engine import expressions as ex
from privet.engine._expression_kinds import check, literal_kind
from privet.engine._relation import ColumnKind
from privet.errors import BadExpression, UnknownColumn

KINDS = {
    "i": ColumnKind.INTEGER,
    "j": ColumnKind.INTEGER,
    "x": ColumnKind.REAL,
    "y": ColumnKind.REAL,
    "s": ColumnKind.TEXT,
    "b": ColumnKind.BOOLEAN,
    "d": ColumnKind.DATE,
    "t": ColumnKind.TIMESTAMP,
    "o": ColumnKind.OTHER,
}
I, X, S, B, D, T = (ex.Column(name) for name in "ixsbdt")  # noqa: E741
ONE = ex.Literal(1)


@pytest.mark.parametrize(
    "expression",
    [
        ex.Column("o"),
        ex.Literal(2**63),
        ex.Literal(math.inf),
        ex.Literal(math.nan),
        ex.Literal("nul\0"),
        ex.Literal(datetime.datetime(2026, 1, 31, tzinfo=datetime.UTC)),
        ex.Compare("<", S, S),
        ex.Compare("=", S, I),
        ex.Compare("like", S, S),
        ex.And(B, I),
        ex.Not(X),
        ex.Arithmetic("+", S, ONE),
        ex.Arithmetic("%", X, ONE),
        ex.Arithmetic("^", I, ONE),
        ex.OneOf(I, ()),
        ex.OneOf(I, ("a",)),
        ex.Between(S, S, S),
        ex.Pick(I, I, I),
        ex.Pick(B, I, S),
        ex.DatePart("hour", D),
        ex.DatePart("century", T),
        ex.DatePart("year", S),
        ex.Truncate("hour", D),
        ex.Lower(I),
        ex.Substring(S, -1, 2),
        ex.Floor(S),
        ex.Bin(X),
        ex.Bin(X, edges=(1.0,), width=1.0),
        ex.Bin(X, edges=(2.0, 1.0)),
        ex.Bin(X, width=0.0),
        ex.Cast(X, ColumnKind.TEXT),
        ex.Cast(T, ColumnKind.INTEGER),
        "not an expression",
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused(expression):
    with pytest.raises(BadExpression):
        check(expression, KINDS)


def test_near_misses_are_named():
    with pytest.raises(UnknownColumn) as caught:
        check(ex.Column("agee"), {"age": ColumnKind.INTEGER, "ward": ColumnKind.TEXT})
    assert "'age'" in caught.value.hint


@pytest.mark.parametrize(
    ("expression", "kind"),
    [
        (ex.Arithmetic("+", I, ONE), ColumnKind.INTEGER),
        (ex.Arithmetic("/", I, ONE), ColumnKind.REAL),
        (ex.Arithmetic("*", I, X), ColumnKind.REAL),
        (ex.Arithmetic("%", I, ONE), ColumnKind.INTEGER),
        (ex.Compare("=", S, S), ColumnKind.BOOLEAN),
        (ex.Compare("<", D, T), ColumnKind.BOOLEAN),
        (ex.Pick(B, I, X), ColumnKind.REAL),
        (ex.Pick(B, D, T), ColumnKind.TIMESTAMP),
        (ex.Pick(B, S), ColumnKind.TEXT),
        (ex.Length(S), ColumnKind.INTEGER),
        (ex.Lower(S), ColumnKind.TEXT),
        (ex.Truncate("month", D), ColumnKind.DATE),
        (ex.Truncate("hour", T), ColumnKind.TIMESTAMP),
        (ex.DatePart("year", D), ColumnKind.INTEGER),
        (ex.Floor(X), ColumnKind.INTEGER),
        (ex.Abs(X), ColumnKind.REAL),
        (ex.Bin(X, width=2.0), ColumnKind.INTEGER),
        (ex.Cast(S, ColumnKind.DATE), ColumnKind.DATE),
        (ex.IsMissing(X), ColumnKind.BOOLEAN),
    ],
    ids=str,
)
def test_the_kind_of_what_fits(expression, kind):
    assert check(expression, KINDS) is kind


def test_constants_have_the_kind_of_their_type():
    assert literal_kind(value=True) is ColumnKind.BOOLEAN
    assert literal_kind(-(2**63)) is ColumnKind.INTEGER
    assert literal_kind(0.5) is ColumnKind.REAL
    assert literal_kind("ä") is ColumnKind.TEXT
    assert literal_kind(datetime.date(2026, 1, 31)) is ColumnKind.DATE
    assert literal_kind(datetime.datetime(2026, 1, 31)) is ColumnKind.TIMESTAMP  # noqa: DTZ001
    for bad in ("\ud800", "x" * 10**7, None, b"x", -(2**63) - 1):
        with pytest.raises(BadExpression):
            literal_kind(bad)
