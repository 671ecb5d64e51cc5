"""What cannot be private is refused before anything is spent, at its word, with what to ask instead."""

import pytest
from tests.protect.query.sql.registers import registers

from privet import errors
from privet.protect.query.sql import Catalog, parse_sql, read_sql

# The question, the word pointed at, and what is said.
REFUSED = [
    ("SELECT COUNT(*) FROM visits, patients", "patients", "without ON"),
    ("SELECT COUNT(*) FROM visits v JOIN patients p ON v.cost = p.age", "JOIN", "person by person"),
    ("SELECT COUNT(*) FROM visits v JOIN patients p ON v.id > p.id", "v", "equalities"),
    ("SELECT COUNT(*) FROM visits v RIGHT JOIN patients p USING (id)", "patients", "RIGHT JOIN"),
    ("SELECT id, COUNT(*) FROM visits v JOIN patients p ON v.id = p.id GROUP BY idd", "idd", "no column"),
    ("SELECT v.nope, COUNT(*) FROM visits v GROUP BY v.nope", "v", "no column 'nope'"),
    ("SELECT x.ward, COUNT(*) FROM visits v GROUP BY x.ward", "x", "no table 'x'"),
    ("SELECT COUNT(*) FROM nowhere", "nowhere", "no table"),
    ("SELECT COUNT(*) FROM wards", "wards", "public table"),
    ("SELECT COUNT(*) FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward)", "GROUP", "several persons"),
    ("SELECT COUNT(*) FROM (SELECT COUNT(*) AS n FROM visits)", "COUNT", "several persons"),
    ("SELECT COUNT(*) FROM (SELECT * FROM visits ORDER BY cost LIMIT 5)", "ORDER", "ORDER in a sub-query"),
    ("SELECT COUNT(*) FROM (SELECT DISTINCT ward FROM visits)", "DISTINCT", "depends on other"),
    ("SELECT COUNT(*) FROM (SELECT cost * 2 FROM visits)", "cost", "needs a name"),
    ("SELECT SUM(total) FROM (SELECT id, SUM(id) AS total FROM visits GROUP BY id)", "id", "public bounds"),
    ("SELECT SUM(id) FROM visits", "id", "no public bounds"),
    ("SELECT COUNT(*) * SUM(cost) FROM visits", "COUNT", "not multiplied"),
    ("SELECT SUM(cost) / COUNT(*) - SUM(nights) / COUNT(*) FROM visits", "SUM", "no sound error bar"),
    ("SELECT SUM(cost) / 0 FROM visits", "SUM", "divided by zero"),
    ("SELECT LOWER(ward) FROM visits", "ward", "must stand in GROUP BY"),
    ("SELECT COUNT(*) FROM visits WHERE COUNT(*) > 3", "COUNT", "one by one"),
    ("SELECT COUNT(*) FROM visits WHERE cost", "cost", "true or false"),
    ("SELECT COUNT(*) FROM visits WHERE ward LIKE 'A%'", "ward", "not on the list"),
    ("SELECT COUNT(*) FROM visits WHERE ward = NULL", "ward", "not on the list"),
    ("SELECT COUNT(*) FROM visits WHERE day > 'soon'", "", "a date is written"),
    ("SELECT COUNT(*) FROM visits WHERE ward > 3", "ward", "do not go together"),
    ("SELECT COUNT(*) OVER () FROM visits", "COUNT", "window functions"),
    ("SELECT COUNT(DISTINCT id) FILTER (WHERE cost > 3) FROM visits", "COUNT", "under a FILTER"),
    ("SELECT SUM(DISTINCT cost) FROM visits", "SUM", "DISTINCT"),
    ("SELECT MAX(cost) FROM visits", "MAX", "cannot be answered privately"),
    ("SELECT ward, COUNT(*) FROM visits GROUP BY 7", "7", "no such place"),
    ("SELECT ward, COUNT(*) FROM visits GROUP BY COUNT(*)", "COUNT", "cannot be grouped by"),
    ("SELECT ward, COUNT(*) FROM visits GROUP BY ward HAVING LOWER(ward) = 'a'", "LOWER", "lower"),
    ("SELECT ward, COUNT(*) FROM visits GROUP BY ward ORDER BY cost", "cost", "must stand in GROUP BY"),
    ("SELECT *, COUNT(*) FROM visits", "*", "show rows"),
    ("WITH RECURSIVE r AS (SELECT * FROM visits) SELECT COUNT(*) FROM r", "WITH", "RECURSIVE"),
    ("SELECT COUNT(*) FROM (SELECT * FROM visits UNION ALL SELECT * FROM visits)", "*", "one SELECT"),
]  # fmt: skip


@pytest.fixture(scope="module")
def catalog():
    return Catalog.of(None, registers())


@pytest.mark.parametrize(("text", "word", "says"), REFUSED, ids=[text for text, _, _ in REFUSED])
def test_refusals_point_at_the_word_and_say_why(catalog, text, word, says):
    asked = f"-- a question\n{text}"
    with pytest.raises(errors.BadQuestion) as caught:
        read_sql(asked, catalog)
    assert says in caught.value.fact
    assert caught.value.hint
    if word:
        *_, place, line, caret = caught.value.fact.splitlines()
        assert line[caret.index("^") :].startswith(word), caught.value.fact
        assert place.strip() == f"line 2, column {caret.index('^') - 1}"
        assert (caught.value.details["line"], caught.value.details["column"]) == (2, caret.index("^") - 1)


def test_a_name_in_two_tables_must_say_which(catalog):
    tables = {**catalog.tables, "more": registers()["visits"]}
    with pytest.raises(errors.BadQuestion, match=r"v.ward or m.ward"):
        read_sql(
            "SELECT COUNT(*) FROM visits v JOIN more m USING (id) WHERE ward = 'A'", Catalog.of(None, tables)
        )
    read_sql(
        "SELECT COUNT(*) FROM visits v JOIN more m USING (id) WHERE m.ward = 'A'", Catalog.of(None, tables)
    )


def test_a_syntax_error_is_shown_on_its_own_line(catalog):
    with pytest.raises(errors.BadQuestion) as caught:
        read_sql("SELECT COUNT(*)\nFROM visits\nWHERE (cost >", catalog)
    assert caught.value.details["line"] == 3


def test_a_table_given_alone_answers_to_its_name_and_to_t():
    table = registers()["visits"]
    assert parse_sql("SELECT COUNT(*) FROM t", table).table is table
    assert parse_sql("SELECT COUNT(*) FROM Visits", table).table is table
    with pytest.raises(errors.BadQuestion, match="no table 'visit'"):
        parse_sql("SELECT COUNT(*) FROM visit", table)
    with pytest.raises(errors.BadQuestion, match="no table 'b'"):
        parse_sql("SELECT COUNT(*) FROM t JOIN b USING (id)", table)


def test_shapes_are_not_lost_where_only_a_query_is_wanted():
    for tail in ("HAVING COUNT(*) > 1", "ORDER BY 1", "LIMIT 1"):
        with pytest.raises(errors.BadUsage):
            parse_sql(f"SELECT ward, COUNT(*) AS n FROM t GROUP BY ward {tail}", registers()["visits"])


def test_joined_caps_are_the_product_and_sub_queries_of_persons_have_one_row(catalog):
    joined = read_sql("SELECT COUNT(*) FROM patients JOIN visits USING (id)", catalog).queries[0]
    assert joined.table.unit.max_rows == 1 * 4
    twice = read_sql("SELECT COUNT(*) FROM visits a JOIN visits b ON a.id = b.id", catalog).queries[0]
    assert twice.table.unit.max_rows == 4 * 4
    single = read_sql(
        "SELECT COUNT(*) FROM (SELECT id, COUNT(*) AS n FROM visits GROUP BY id)", catalog
    ).queries[0]
    assert (single.table.unit.max_rows, single.table.unit.max_groups) == (1, 1)
    kept = read_sql(
        "SELECT COUNT(*) FROM (SELECT id, ward, COUNT(*) AS n FROM visits GROUP BY id, ward)", catalog
    ).queries[0]
    assert kept.table.unit.max_rows == 4
