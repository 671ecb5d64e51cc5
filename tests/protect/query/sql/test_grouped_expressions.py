"""Expressions over groups: keys, aggregates and names given to them; a single row's value never shows."""

import pytest
import sqlglot

from privet.engine import ColumnKind
from privet.engine import expressions as tree
from privet.errors import BadQuestion
from privet.protect.query.sql._grouped_expressions import (
    OverGroups,
    function_name,
    has_aggregate,
    is_aggregate,
)
from privet.protect.query.sql._scalar_expressions import ScalarExpressions

KINDS = {"ward": ColumnKind.TEXT, "cost": ColumnKind.REAL}


LOWER = tree.Lower(tree.Column("ward"))


def node(text):
    return sqlglot.parse_one(text, read="duckdb")


def read(text, aliases=None):
    rows = ScalarExpressions(text, {name: tree.Column(name) for name in KINDS}, KINDS)
    named = []

    def aggregate(call):
        named.append(call.sql())
        return "n"

    reader = OverGroups(
        rows, keys={LOWER: "key_1"}, kinds={"key_1": ColumnKind.TEXT, "n": ColumnKind.INTEGER}, aggregate=aggregate,
        aliases=aliases or {},
    )  # fmt: skip
    return reader.read(node(text)), named


def test_a_key_is_what_was_grouped_by_however_it_is_written():
    assert read("LOWER(ward)")[0] == tree.Column("key_1")
    assert read("lower( WARD )")[0] == tree.Column("key_1")
    assert read("many", {"Many": tree.Column("n")})[0] == tree.Column("n")


def test_aggregates_are_registered_and_computed_with():
    found, calls = read("COUNT(*) + SUM(cost) FILTER (WHERE cost > 1)")
    assert found == tree.Arithmetic("+", tree.Column("n"), tree.Column("n"))
    assert len(calls) == 2


@pytest.mark.parametrize(
    "text", ["ward", "cost", "UPPER(ward)", "cost + COUNT(*)", "CASE WHEN cost > 1 THEN COUNT(*) ELSE 0 END"]
)
def test_single_values_are_never_shown(text):
    with pytest.raises(BadQuestion, match="must stand in GROUP BY"):
        read(text)


def test_windows_are_refused():
    with pytest.raises(BadQuestion, match="window functions"):
        read("SUM(cost) OVER ()")


def test_aggregates_are_told_from_other_functions():
    for text in (
        "COUNT(*)",
        "MAX(x)",
        "HISTOGRAM(x, 3)",
        "SUM(x) FILTER (WHERE y)",
        "PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x)",
    ):
        assert is_aggregate(node(text))
    for text in ("LOWER(x)", "x", "1"):
        assert not is_aggregate(node(text))
    assert has_aggregate(node("1 + ABS(SUM(x))"))
    assert not has_aggregate(node("x > (SELECT COUNT(*) FROM t)")), "a sub-query's are its own"
    assert function_name(node("most_common(x, 3)")) == "MOST_COMMON"
