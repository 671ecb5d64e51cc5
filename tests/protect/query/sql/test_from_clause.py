"""Which rows of whom a question is about: tables, joins and sub-queries of known stability."""

import pytest
from tests.protect.query.sql.registers import registers

import privet as pv
from privet.errors import BadQuestion
from privet.protect.query.sql import Catalog, read_sql


def test_joins_and_sub_queries_say_what_they_did():
    sql = "SELECT COUNT(*) AS n FROM patients JOIN visits USING (id)"
    said = "\n".join(pv.explain(sql, pv.PureDP(1), tables=registers()).stages)
    assert "at most 1 rows of each person of 'patients' and 4 of 'visits'" in said


def query(sql):
    return read_sql(sql, Catalog.of(None, registers())).queries[0]


def test_names_of_a_with_clause_hide_tables_and_end_with_it():
    found = query("WITH visits AS (SELECT * FROM patients) SELECT COUNT(*) FROM visits WHERE age > 3")
    assert "cost" not in found.table.columns
    with pytest.raises(BadQuestion, match="no table 'inner_'"):
        query(
            "SELECT COUNT(*) FROM (WITH inner_ AS (SELECT * FROM visits) SELECT * FROM inner_) a JOIN inner_ b USING (id)"
        )


def test_conditions_of_nested_rows_are_kept():
    found = query("SELECT COUNT(*) FROM (SELECT id, cost * 2 AS c FROM visits WHERE nights = 1) WHERE c > 4")
    said = found.describe()
    assert "nights" in said
    assert "cost" in said


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("SELECT COUNT(*)", "reads FROM a table"),
        ("SELECT COUNT(*) FROM wards JOIN visits USING (ward) JOIN nowhere USING (id)", "no table 'nowhere'"),
        ("SELECT COUNT(*) FROM wards LEFT JOIN visits USING (ward)", "private table must stand first"),
        ("SELECT COUNT(*) FROM wards a JOIN wards b USING (ward)", "private table must stand first"),
        ("SELECT COUNT(*) FROM visits v FULL JOIN patients p USING (id)", "FULL JOIN"),
        ("SELECT COUNT(*) FROM visits v CROSS JOIN patients p", "CROSS JOIN|without ON"),
        ("SELECT COUNT(*) FROM visits v NATURAL JOIN patients p", "kind of join|without ON"),
        ("SELECT COUNT(*) FROM visits v JOIN patients p ON v.id = p.id OR v.cost = p.age", "joined by AND"),
        ("SELECT COUNT(*) FROM visits v JOIN patients p ON v.id = p.id + 0", "equalities of columns"),
        ("SELECT COUNT(*) FROM (SELECT * FROM visits LIMIT 5)", "LIMIT in a sub-query"),
        ("SELECT COUNT(*) FROM (SELECT id, cost AS id FROM visits)", "are called 'id'"),
        ("SELECT COUNT(*) FROM (SELECT * EXCLUDE (cost) FROM visits)", "without exceptions"),
        ("SELECT COUNT(*) FROM (SELECT id FROM visits HAVING id > 3)", "HAVING needs GROUP BY|must stand"),
    ],
)
def test_what_has_no_known_bound_is_refused(sql, words):
    with pytest.raises(BadQuestion, match=words):
        query(sql)


def test_a_join_multiplies_caps_and_keeps_both_names():
    found = query("SELECT COUNT(*) FROM visits a JOIN visits b ON a.id = b.id WHERE a.cost > b.cost")
    assert found.table.unit.max_rows == 16
    names = found.columns_used()
    assert len([name for name in names if name.lower().endswith("cost")]) == 2
