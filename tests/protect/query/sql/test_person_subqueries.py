"""Sub-queries that put each person's rows together: one row for each afterwards, from their rows alone."""

import pyarrow as pa
import pytest
from tests.protect.query.sql.registers import registers

import privet as pv
from privet import errors
from privet.protect.query.sql import Catalog, read_sql


@pytest.fixture(scope="module")
def catalog():
    return Catalog.of(None, registers())


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


def rows_of(inner, outer="COUNT(*)"):
    return read_sql(f"SELECT {outer} AS a FROM ({inner})", Catalog.of(None, registers())).queries[0]


def test_ranges_of_what_is_put_together_are_those_that_hold_for_everybody():
    table = rows_of(
        "SELECT id, AVG(cost) AS m, MAX(nights) AS top, COUNT(*) AS k, SUM(cost) AS s FROM visits GROUP BY id"
    ).table
    view = table.bounds
    assert {
        (float(one.lower), float(one.upper)) for name, one in view.items() if name.startswith("told")
    } >= {(0, 10), (0, 7)}
    for unbounded in ("k", "s"):
        with pytest.raises(errors.BadQuestion, match="no public bounds"):
            rows_of("SELECT id, COUNT(*) AS k, SUM(cost) AS s FROM visits GROUP BY id", f"SUM({unbounded})")


def test_rows_are_put_together_exactly(no_noise, ledger):
    sql = """SELECT COUNT(*) AS people, SUM(CLAMP(k, 0, 4)) AS visits, SUM(CLAMP(s, 0, 40)) AS cost
             FROM (SELECT id, COUNT(*) AS k, SUM(cost) AS s FROM visits GROUP BY id HAVING COUNT(*) >= 3)"""
    answer = pv.release(sql, pv.PureDP(60), tables=registers(), ledger=ledger, why="test")
    assert answer["people"] == (90,)
    assert answer["visits"] == pytest.approx((300,), abs=0.01)
    assert answer["cost"] == pytest.approx((sum(at % 10 for at in range(300)),), abs=0.01)


@pytest.mark.parametrize(
    ("inner", "words"),
    [
        ("SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward", "several persons"),
        ("SELECT COUNT(*) AS n FROM visits", "several persons"),
        ("SELECT id, MEDIAN(cost) AS m FROM visits GROUP BY id", "COUNT, SUM, AVG, MIN and MAX"),
        ("SELECT id, COUNT(DISTINCT ward) AS m FROM visits GROUP BY id", "COUNT, SUM, AVG, MIN and MAX"),
        ("SELECT id, SUM(id) AS m FROM visits GROUP BY id", "public bounds"),
        ("SELECT id, COUNT(*) FROM visits GROUP BY id", "needs a name"),
        ("SELECT id, COUNT(*) AS id FROM visits GROUP BY id", "are called 'id'"),
        ("SELECT id, COUNT(*) AS n FROM visits GROUP BY 1", "name the columns"),
        ("SELECT id, cost, COUNT(*) AS n FROM visits GROUP BY id", "must stand in GROUP BY"),
    ],
)
def test_what_mixes_people_or_has_no_bound_is_refused(inner, words):
    with pytest.raises(errors.BadQuestion, match=words):
        rows_of(inner)


def test_without_persons_rows_cannot_be_put_together():
    rows = pv.open_table(pa.table({"id": [1], "x": [1.0]}), unit=pv.Row(), name="t", version="1")
    with pytest.raises(errors.BadQuestion, match="several persons") as refused:
        read_sql("SELECT COUNT(*) FROM (SELECT id, COUNT(*) AS n FROM t GROUP BY id)", Catalog.of(rows, None))
    assert "unit is one row" in refused.value.hint
