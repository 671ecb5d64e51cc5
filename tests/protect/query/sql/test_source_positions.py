"""Line, column and caret: the very word, whatever stands before it."""

import pytest
import sqlglot

from privet.protect.query.sql._source_positions import (
    PAGE,
    place_of,
    pointed,
    position_of,
    refusal,
    refused_at,
)

TEXT = "SELECT a,\n\tb FROM t\n"


@pytest.mark.parametrize(
    ("position", "place"), [(0, (1, 1)), (7, (1, 8)), (9, (1, 10)), (10, (2, 1)), (11, (2, 2)), (19, (2, 10))]
)
def test_lines_and_columns_count_from_one(position, place):
    assert place_of(TEXT, position) == place


def test_the_caret_stands_under_the_word():
    shown = pointed(TEXT, TEXT.index("b"))
    place, line, caret = shown.splitlines()
    assert place == "  line 2, column 2"
    assert line[caret.index("^")] == "b", "a tab is one sign wide"


def test_a_node_is_where_its_first_word_is():
    text = "SELECT COUNT(*) FROM t WHERE x + y > 3"
    where = sqlglot.parse_one(text, read="duckdb").find(sqlglot.exp.Where).this
    assert position_of(where) == text.index("x + y")
    assert position_of([]) is None
    assert refusal(text, where, "no.").details["column"] == text.index("x + y") + 1


def test_a_clause_is_found_before_its_node_whatever_letters_stand_before():
    text = "SELECT COUNT(*) AS straße FROM t join u"
    node = sqlglot.parse_one(text, read="duckdb").args["joins"][0].this
    found = refusal(text, node, "no.", word="JOIN")
    assert found.details["position"] == text.index("join")
    assert found.fact.splitlines()[-1].index("^") - 2 == text.index("join")


def test_without_a_position_only_the_fact_is_said():
    found = refused_at("SELECT 1", None, "no.")
    assert (found.fact, found.hint, found.details["position"]) == ("no.", PAGE, None)
