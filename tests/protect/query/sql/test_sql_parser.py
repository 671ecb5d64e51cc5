"""From text to one SELECT: what cannot be read is pointed at."""

import pytest
import sqlglot
from tests.protect.query.sql.registers import registers

from privet import errors
from privet.protect.query.sql import Catalog, read_sql
from privet.protect.query.sql._sql_parser import parsed, refuse_extras


@pytest.fixture(scope="module")
def catalog():
    return Catalog.of(None, registers())


def test_a_syntax_error_is_shown_on_its_own_line(catalog):
    with pytest.raises(errors.BadQuestion) as caught:
        read_sql("SELECT COUNT(*)\nFROM visits\nWHERE (cost >", catalog)
    assert caught.value.details["line"] == 3


@pytest.mark.parametrize(
    "text", ["", ";", "SELECT 1; SELECT 2", "DELETE FROM t", "SELECT 1 UNION SELECT 2", "VALUES (1)"]
)
def test_a_question_is_one_select(text):
    with pytest.raises(errors.BadQuestion, match="one SELECT statement"):
        parsed(text)


@pytest.mark.parametrize("text", ["SELECT (", "SELECT 'x", "SELECT a FROM t WHERE\n\n)", ")"])
def test_what_cannot_be_read_is_said_without_the_parsers_words(text):
    with pytest.raises(errors.BadQuestion, match="not SQL that could be read") as refused:
        parsed(text)
    assert "sqlglot" not in str(refused.value).lower()
    assert "Expecting" not in str(refused.value)
    position = refused.value.details.get("position")
    assert position is None or 0 <= position <= len(text)


def test_parts_that_nobody_reads_are_not_ignored():
    text = "SELECT COUNT(*) FROM t TABLESAMPLE (10%)"
    table = sqlglot.parse_one(text, read="duckdb").find(sqlglot.exp.Table)
    refuse_extras(text, None, set(), "no.")
    with pytest.raises(errors.BadQuestion, match="one whole table"):
        refuse_extras(text, table, {"this"}, "one whole table.")
