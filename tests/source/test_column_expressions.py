"""Columns in conditions: Python builds the closed tree, and the same text only for the same expression."""

import datetime

import pytest

import privet as pv
from privet import errors
from privet.engine import MOST_NESTED, ColumnKind
from privet.engine import expressions as tree
from privet.source._column_expressions import as_tree, columns_in, shallow, worded


def test_conditions_are_not_truth_values():
    with pytest.raises(errors.BadQuery, match="truth value"):
        bool(pv.col("a") == 1)
    with pytest.raises(errors.BadQuery):
        (pv.col("a") > 1) and (pv.col("b") > 1)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (pv.col("a") >= 1, tree.Compare(">=", tree.Column("a"), tree.Literal(1))),
        (1 - pv.col("a"), tree.Arithmetic("-", tree.Literal(1), tree.Column("a"))),
        (2 / pv.col("a"), tree.Arithmetic("/", tree.Literal(2), tree.Column("a"))),
        (~pv.col("a"), tree.Not(tree.Column("a"))),
        (pv.col("a") | pv.col("b"), tree.Or(tree.Column("a"), tree.Column("b"))),
        (pv.col("a").one_of("x", "y"), tree.OneOf(tree.Column("a"), ("x", "y"))),
        (pv.col("a").between(1, 2), tree.Between(tree.Column("a"), tree.Literal(1), tree.Literal(2))),
        (pv.col("a").bin(width=10), tree.Bin(tree.Column("a"), (), 10, 0.0)),
        (pv.col("a").bin(edges=[1, 2]), tree.Bin(tree.Column("a"), (1.0, 2.0), None, 0.0)),
        (
            pv.col("a").is_missing().then(0, 1),
            tree.Pick(tree.IsMissing(tree.Column("a")), tree.Literal(0), tree.Literal(1)),
        ),
        (
            pv.col("a").trim().lower().substring(0, 2),
            tree.Substring(tree.Lower(tree.Trim(tree.Column("a"))), 0, 2),
        ),
    ],
)
def test_python_builds_the_closed_tree(written, meant):
    assert written.tree == meant


def test_columns_are_found_in_every_kind_of_expression():
    everything = ((pv.col("a") + 1).abs().floor() > pv.col("b").round()) | pv.col(
        "c"
    ).upper().length().between(pv.col("d"), 3)
    assert columns_in(everything.is_missing().then(pv.col("e"), pv.col("f")).tree) == set("abcdef")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (pv.col("a") == 1, tree.Compare("=", tree.Column("a"), tree.Literal(1))),
        (pv.col("a") != 1, tree.Compare("!=", tree.Column("a"), tree.Literal(1))),
        (pv.col("a") < 1, tree.Compare("<", tree.Column("a"), tree.Literal(1))),
        (pv.col("a") <= 1, tree.Compare("<=", tree.Column("a"), tree.Literal(1))),
        (pv.col("a") > 1, tree.Compare(">", tree.Column("a"), tree.Literal(1))),
        (pv.col("a") + 1, tree.Arithmetic("+", tree.Column("a"), tree.Literal(1))),
        (1 + pv.col("a"), tree.Arithmetic("+", tree.Literal(1), tree.Column("a"))),
        (pv.col("a") - 1, tree.Arithmetic("-", tree.Column("a"), tree.Literal(1))),
        (pv.col("a") * 2, tree.Arithmetic("*", tree.Column("a"), tree.Literal(2))),
        (2 * pv.col("a"), tree.Arithmetic("*", tree.Literal(2), tree.Column("a"))),
        (pv.col("a") / 2, tree.Arithmetic("/", tree.Column("a"), tree.Literal(2))),
        (pv.col("a") % 2, tree.Arithmetic("%", tree.Column("a"), tree.Literal(2))),
        (pv.col("a") & pv.col("b"), tree.And(tree.Column("a"), tree.Column("b"))),
        (pv.col("a").part("year"), tree.DatePart("year", tree.Column("a"))),
        (pv.col("a").truncate("month"), tree.Truncate("month", tree.Column("a"))),
        (pv.col("a").cast("integer"), tree.Cast(tree.Column("a"), ColumnKind.INTEGER)),
        (pv.col("a").upper(), tree.Upper(tree.Column("a"))),
        (pv.col("a").length(), tree.Length(tree.Column("a"))),
        (pv.col("a").round(), tree.Round(tree.Column("a"))),
        (pv.col("a").then(1), tree.Pick(tree.Column("a"), tree.Literal(1), None)),
    ],
)
def test_every_operator_has_its_node(written, meant):
    assert written.tree == meant
    assert repr(written) == worded(meant)


def test_constants_are_plain_values_and_nothing_is_compared_with_nothing():
    assert as_tree(3) == tree.Literal(3)
    assert as_tree(tree.Column("a")) == tree.Column("a")
    assert as_tree(datetime.date(2026, 1, 1)) == tree.Literal(datetime.date(2026, 1, 1))
    for wrong in (None, object(), [1]):
        with pytest.raises(errors.BadInput):
            as_tree(wrong)


def test_a_column_has_a_name_and_a_kind_is_known():
    with pytest.raises(errors.BadQuery):
        pv.col("")
    with pytest.raises(errors.BadQuery, match="no such kind"):
        pv.col("a").cast("colour")


def test_expressions_are_nested_up_to_the_limit():
    deep = pv.col("a")
    while True:
        deeper = ~deep
        try:
            shallow(deeper.tree)
        except errors.BadQuery:
            break
        deep = deeper
    levels = repr(deep).count("not(")
    assert MOST_NESTED - 2 <= levels <= MOST_NESTED


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (pv.col('a"b'), '"a""b"'),
        (pv.col("a") == "it's", "(\"a\" = 'it''s')"),
        ((pv.col("a") > 1) & (pv.col("b") > 2), '(("a" > 1) and ("b" > 2))'),
        ((pv.col("a") > 1) | (pv.col("b") > 2), '(("a" > 1) or ("b" > 2))'),
        (pv.col("a").cast("integer"), 'cast("a", integer)'),
        (~pv.col("a"), 'not("a")'),
    ],
)
def test_expressions_in_words(expression, text):
    assert worded(expression.tree) == text
