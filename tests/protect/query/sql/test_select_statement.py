"""SQL: what can be private is read, and everything else is refused at its word."""

import datetime

import pyarrow as pa
import pytest

import privet as pv
from privet import errors
from privet.engine import expressions as tree
from privet.protect.query.sql import parse_sql
from privet.source.aggregates import Count, Mean, Persons, Sum


@pytest.fixture
def table():
    rows = pa.table(
        {
            "id": [1, 2],
            "Ward": ["a", "b"],
            "days": [1.5, 2.5],
            "born": [datetime.date(1980, 1, 1), datetime.date(1990, 1, 1)],
        }
    )
    return pv.open_table(
        rows, unit=pv.Person("id", max_rows=2, max_groups=1), bounds={"days": (0, 9)}, name="t"
    )


def test_the_whole_subset_is_read(table):
    text = """
        SELECT ward, COUNT(*) AS n, COUNT(DISTINCT id) AS who, SUM(days), AVG(days) AS mean
        FROM t WHERE days >= 1 AND (ward IN ('a', 'b') OR ward IS NULL) AND born BETWEEN '1980-01-01' AND DATE '2000-12-31'
        GROUP BY ward
    """
    query = parse_sql(text, table)
    assert query.keys == ("Ward",)
    assert dict(query.aggregates) == {
        "n": Count(),
        "who": Persons(),
        "sum_days": Sum("days"),
        "mean": Mean("days"),
    }
    assert isinstance(query.where, tree.And)
    assert query.where.right == tree.Between(
        tree.Column("born"),
        tree.Literal(datetime.date(1980, 1, 1)),
        tree.Literal(datetime.date(2000, 12, 31)),
    )


@pytest.mark.parametrize(
    ("text", "word", "says"),
    [
        ("SELECT ward FROM t", "ward", "must stand in GROUP BY"),
        ("SELECT COUNT(*) FROM t GROUP BY wrad", "wrad", "no column 'wrad'"),
        ("SELECT FIRST(days) FROM t", "FIRST", "cannot be answered privately"),
        ("SELECT MAX(days) FROM t", "MAX", "cannot be answered privately"),
        ("SELECT SUM(id) FROM t", "id", "no public bounds"),
        ("SELECT COUNT(*) FROM t ORDER BY ward", "ward", "must stand in GROUP BY"),
        ("SELECT COUNT(*) FROM t HAVING days > 3", "days", "must stand in GROUP BY"),
        ("SELECT COUNT(*) FROM t JOIN u ON t.id = u.id", "u", "no table 'u'"),
        ("SELECT COUNT(*) FROM t WHERE days > (SELECT AVG(days) FROM t)", "AVG", "not on the list"),
        ("SELECT COUNT(*) AS n, COUNT(*) AS n FROM t", "COUNT", "two columns"),
    ],
)
def test_what_cannot_be_private_is_refused_at_its_word(table, text, word, says):
    with pytest.raises(errors.BadQuestion) as caught:
        parse_sql(text, table)
    assert says in caught.value.fact
    line, caret = caught.value.fact.splitlines()[-2:]
    assert line[len(caret) - 1 :].startswith(word.split()[0]) or caught.value.details[
        "position"
    ] <= text.index(word)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "SELEC ward",
        "DROP TABLE t",
        "SELECT 1; SELECT 2",
        "SELECT COUNT(*)",
        "SELECT * FROM t",
        "SELECT DISTINCT ward, COUNT(*) FROM t GROUP BY ward",
        "SELECT COUNT(*) FROM t LIMIT 3 PERCENT",
        "SELECT COUNT(*) FROM t LIMIT -1",
        "SELECT COUNT(*) OVER () FROM t",
        "WITH x AS (SELECT 1) SELECT COUNT(*) FROM x",
        "SELECT COUNT(*) FROM t UNION SELECT COUNT(*) FROM t",
        "SELECT COUNT(*) FROM t WHERE born > 'yesterday'",
        "SELECT COUNT(*) FILTER (WHERE days) FROM t",
        "INSERT INTO t VALUES (1)",
        "SELECT COUNT(*) FROM t WHERE ward LIKE 'a%'",
        "SELECT COUNT(*) FROM t TABLESAMPLE 10%",
        "SELECT COUNT(*) FROM t QUALIFY 1 = 1",
        "SELECT COUNT(*) FROM t GROUP BY ALL",
        "\x00",
        "SELECT 'unclosed",
    ],
)
def test_nonsense_is_refused_without_a_traceback(table, text):
    with pytest.raises(errors.BadQuestion):
        parse_sql(text, table)


@pytest.mark.parametrize(
    "text",
    [
        f"SELECT COUNT(*) FROM t WHERE {'(' * 10_000}days = 1{')' * 10_000}",
        f"SELECT COUNT(*) FROM t WHERE {'NOT ' * 3_000}days = 1",
        f"SELECT COUNT(*) FROM t WHERE days < {'9' * 5_000}",
        "SELECT COUNT(*) FROM read_csv('other.csv')",
        "SELECT COUNT(*) FROM t AS other(a, b)",
        "SELECT COUNT(* EXCLUDE (days)) FROM t",
        "SELECT COUNT(*) FROM t WHERE days BETWEEN SYMMETRIC 5 AND 1",
    ],
    ids=["brackets", "not", "digits", "function", "renamed", "exclude", "symmetric"],
)
def test_what_would_be_misread_is_refused(table, text):
    with pytest.raises(errors.BadQuestion):
        parse_sql(text, table)


def test_a_long_chain_of_conditions_is_refused_and_a_long_list_is_not(table):
    with pytest.raises(errors.PrivetError, match="deep"):
        parse_sql(f"SELECT COUNT(*) FROM t WHERE {' OR '.join(f'days = {i}' for i in range(250))}", table)
    parse_sql(f"SELECT COUNT(*) FROM t WHERE days IN ({', '.join(map(str, range(5_000)))})", table)


def test_an_answer_may_have_any_name(table):
    query = parse_sql("SELECT COUNT(*) AS self FROM t", table)
    assert dict(query.aggregates) == {"self": Count()}


def test_text_that_is_not_unicode_is_refused(table):
    with pytest.raises(errors.BadQuestion, match="constant"):
        parse_sql("SELECT COUNT(*) FROM t WHERE ward = '\udcff'", table)
