"""Ranges and values that follow from how a column is computed; none looks at a row."""

import datetime

import pytest

from privet.engine import ColumnKind
from privet.engine import expressions as tree
from privet.protect.query.sql._public_facts import keys_of, range_of
from privet.source import Bounds, Origin, Span

X, Y = tree.Column("x"), tree.Column("y")


BOUNDS = {"x": Bounds(-2, 3), "y": Bounds(1, 4)}


def literal(value):
    return tree.Literal(value)


def arithmetic(op, left=X, right=Y):
    return tree.Arithmetic(op, left, right)


@pytest.mark.parametrize(
    ("expression", "low", "high"),
    [
        (X, -2, 3),
        (literal(7), 7, 8),
        (arithmetic("+"), -1, 7),
        (arithmetic("-"), -6, 2),
        (arithmetic("*"), -8, 12),
        (arithmetic("/"), -2, 3),
        (arithmetic("%", Y, literal(3)), 0, 2),
        (tree.Abs(X), 0, 3),
        (tree.Abs(arithmetic("-", Y, literal(9))), 5, 8),
        (tree.Floor(X), -3, 4),
        (tree.Round(Y), 0, 5),
        (tree.Cast(X, ColumnKind.REAL), -2, 3),
        (tree.Cast(tree.Compare(">", X, literal(1)), ColumnKind.INTEGER), 0, 1),
        (tree.DatePart("month", tree.Column("day")), 1, 12),
        (tree.DatePart("hour", tree.Column("day")), 0, 23),
        (tree.Pick(tree.IsMissing(X), literal(9), X), -2, 9),
        (tree.Pick(tree.Compare("<", X, literal(1)), X, literal(1)), -2, 1),
        (tree.Pick(tree.Compare(">=", X, literal(0)), X), 0, 3),
        (
            tree.Pick(tree.Compare("<", tree.Column("z"), literal(1)), tree.Column("z"), literal(1)),
            None,
            None,
        ),
        (arithmetic("/", Y, X), None, None),
        (arithmetic("%", X, literal(3)), None, None),
        (arithmetic("+", X, tree.Column("z")), None, None),
        (tree.DatePart("year", tree.Column("day")), None, None),
        (literal(True), None, None),
        (tree.Pick(tree.IsMissing(X), tree.Column("z"), X), None, None),
    ],
)
def test_ranges(expression, low, high):
    found = range_of(expression, BOUNDS)
    if low is None:
        assert found is None
    else:
        assert (found.lower, found.upper) == (low, high)


def test_both_ends_cut_an_open_column():
    z = tree.Column("z")
    upper = tree.Pick(tree.Compare("<", z, literal(9)), z, literal(9))
    both = tree.Pick(tree.Compare(">", upper, literal(2)), upper, literal(2))
    found = range_of(both, {})
    assert (found.lower, found.upper) == (2, 9)


def test_what_follows_from_private_bounds_is_private():
    private = {"x": Bounds(0, 5, Origin.DATA), "y": Bounds(1, 4)}
    assert not range_of(arithmetic("+"), private).is_public
    assert range_of(arithmetic("+"), BOUNDS).is_public
    assert range_of(arithmetic("+"), BOUNDS).why == "follows from x and y"
    assert range_of(tree.DatePart("month", X), {}).why == "follows from the question"


def values(expression, kind=ColumnKind.INTEGER, spans=None):
    found = keys_of(expression, kind, spans or {}, {})
    return None if found is None else [value for (value,) in found.values]


def test_keys_are_every_value_that_can_be():
    day = tree.Column("day")
    assert values(tree.Compare(">", X, Y), ColumnKind.BOOLEAN) == [True, False, None]
    assert values(tree.IsMissing(X), ColumnKind.BOOLEAN) == [True, False]
    assert values(tree.DatePart("weekday", day)) == [0, 1, 2, 3, 4, 5, 6, None]
    band = tree.Pick(tree.Compare(">", X, Y), literal("high"), tree.Pick(tree.IsMissing(X), literal("low")))
    assert values(band, ColumnKind.TEXT) == ["high", "low", None]
    sunday = arithmetic("%", arithmetic("+", tree.DatePart("weekday", day), literal(1)), literal(7))
    assert values(sunday) == [0, 1, 2, 3, 4, 5, 6, None]
    span = {"day": Span(datetime.date(2024, 5, 1), datetime.date(2026, 2, 1))}
    assert values(tree.DatePart("year", day), spans=span) == [2024, 2025, 2026]


@pytest.mark.parametrize(
    "expression",
    [
        X,
        arithmetic("+"),
        tree.Lower(X),
        tree.DatePart("year", X),
        tree.Pick(tree.IsMissing(X), Y, literal(1)),
    ],
)
def test_what_depends_on_rows_has_no_public_keys(expression):
    assert values(expression) is None
