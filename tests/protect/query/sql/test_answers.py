"""SQL with the noise off: the same numbers that a database gives, for everything that can be asked."""

import datetime

import duckdb
import pytest
from tests.protect.query.sql.registers import patients, registers, visits

import privet as pv

# Every question, word for word as DuckDB understands it too.
SAME = {
    "groups": "SELECT ward, COUNT(*) AS n, SUM(cost) AS c FROM visits GROUP BY ward ORDER BY ward",
    "positions": "SELECT ward AS w, COUNT(*) AS n FROM visits GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 2",
    "offset": "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY ward DESC LIMIT 1 OFFSET 1",
    "having": "SELECT ward, SUM(cost) AS c FROM visits WHERE cost > 6 GROUP BY ward HAVING SUM(cost) >= 240 AND NOT ward = 'A' ORDER BY 1",
    "hidden key": "SELECT COUNT(*) AS n FROM visits GROUP BY ward, cost > 5 HAVING cost > 5 ORDER BY ward",
    "ratio": "SELECT ward, SUM(cost) / COUNT(*) AS r, 100.0 * COUNT(*) FILTER (WHERE cost > 4) / COUNT(*) AS share FROM visits GROUP BY ward ORDER BY ward",
    "difference": "SELECT SUM(cost) - 2 * COUNT(*) + 1 AS d FROM visits",
    "filters": "SELECT COUNT(*) FILTER (WHERE ward = 'A') AS a, SUM(cost) FILTER (WHERE ward <> 'A') AS b FROM visits",
    "expressions": "SELECT SUM(cost * 2 + nights) AS s, AVG(CASE WHEN cost > 4 THEN 1 ELSE 0 END) AS share FROM visits",
    "count of values": "SELECT COUNT(NULLIF(cost, 0)) AS n FROM visits",
    "case": "SELECT CASE WHEN cost < 3 THEN 'low' WHEN cost < 7 THEN 'middle' ELSE 'high' END AS band, COUNT(*) AS n FROM visits GROUP BY band ORDER BY n, band",
    "months": "SELECT DATE_TRUNC('month', day)::DATE AS m, COUNT(*) AS n FROM visits GROUP BY m ORDER BY m",
    "parts": "SELECT EXTRACT(month FROM day) AS m, COUNT(*) AS n FROM visits GROUP BY m HAVING COUNT(*) > 1 ORDER BY m",
    "weekdays": "SELECT EXTRACT(dow FROM day) AS d, COUNT(*) AS n FROM visits GROUP BY d HAVING COUNT(*) > 1 ORDER BY d",
    "rows in FROM": "SELECT w, SUM(double) AS s FROM (SELECT ward AS w, cost * 2 AS double FROM visits WHERE cost > 1) GROUP BY w ORDER BY w",
    "with": "WITH a AS (SELECT * FROM visits WHERE cost > 1), b AS (SELECT cost, ward FROM a WHERE cost < 9) SELECT SUM(cost) AS s FROM b",
    "persons in FROM": "SELECT COUNT(*) AS n, SUM(CASE WHEN total > 20 THEN 1 ELSE 0 END) AS much FROM (SELECT id, SUM(cost) AS total FROM visits GROUP BY id)",
    "persons having": "SELECT COUNT(*) AS n FROM (SELECT id, MAX(nights) AS most FROM visits GROUP BY id HAVING COUNT(*) > 3) WHERE most >= 4",
    "persons and wards": "SELECT ward, COUNT(*) AS n FROM (SELECT id, ward, COUNT(*) AS k FROM visits GROUP BY id, ward) WHERE k > 1 GROUP BY ward ORDER BY ward",
    "private join": "SELECT p.sex, v.ward, COUNT(*) AS n, SUM(v.cost) AS c FROM patients p JOIN visits v ON p.id = v.id GROUP BY p.sex, v.ward ORDER BY p.sex, v.ward",
    "left join": "SELECT sex, COUNT(*) AS n FROM patients p LEFT JOIN visits v ON v.id = p.id WHERE v.id IS NULL GROUP BY sex ORDER BY sex",
    "using": "SELECT sex, SUM(cost) AS c FROM patients JOIN visits USING (id) GROUP BY sex ORDER BY sex",
    "public join": "SELECT site, COUNT(*) AS n FROM visits JOIN wards USING (ward) GROUP BY site ORDER BY site",
    "public first": "SELECT w.site, COUNT(*) AS n FROM wards w JOIN visits v ON w.ward = v.ward GROUP BY w.site ORDER BY 1",
    "three tables": "SELECT sex, site, COUNT(*) AS n FROM patients JOIN visits USING (id) JOIN wards USING (ward) GROUP BY sex, site ORDER BY sex, site",
    "join of sub-queries": "SELECT COUNT(*) AS n FROM (SELECT id AS pid, age FROM patients WHERE sex = 'F') p JOIN (SELECT id, cost FROM visits WHERE cost > 5) v ON v.id = p.pid",
    "distinct persons": "SELECT COUNT(DISTINCT id) AS n FROM visits WHERE nights = 4",
    "moments": "SELECT VARIANCE(cost) AS v, STDDEV_POP(cost) AS s, COVAR_POP(cost, nights) AS c, CORR(cost, nights) AS r FROM visits",
    "conditions counted": "SELECT COUNT_IF(cost > 5) AS n FROM visits",
    "coalesce": "SELECT SUM(COALESCE(NULLIF(cost, 9), 1)) AS s FROM visits",
}  # fmt: skip


def _database():
    connection = duckdb.connect()
    connection.register("patients", patients())
    connection.register("visits", visits())
    connection.register("wards", registers()["wards"].rows)
    return connection


def _released(sql, ledger, tables=None):
    answer = pv.release(sql, pv.ApproxDP(60, 1e-3), tables=tables or registers(), ledger=ledger, why="test")
    columns = [*answer.keys.values(), *(one.values for one in answer.answers)]
    return [tuple(row) for row in zip(*columns, strict=True)]


@pytest.mark.parametrize("sql", SAME.values(), ids=SAME)
def test_what_a_database_answers_is_what_is_released(sql, ledger, no_noise):
    expected = _database().execute(sql).fetchall()
    found = _released(sql, ledger)
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected, strict=True):
        for one, other in zip(ours, theirs, strict=True):
            assert one == (pytest.approx(other, abs=2e-3, rel=1e-3) if isinstance(other, float) else other)


def test_windows_without_visits_are_shown_and_rows_outside_the_span_are_not(ledger, no_noise):
    tables = registers()
    sql = "SELECT DATE_TRUNC('month', day) AS m, COUNT(*) AS n FROM visits WHERE EXTRACT(month FROM day) <> 2 GROUP BY m"
    assert _released(sql, ledger, tables) == [
        (datetime.date(2026, month, 1), 0 if month == 2 else 75) for month in (1, 2, 3, 4)
    ]


def test_quantiles_and_tables_of_their_own(ledger):
    asked = {
        "SELECT ward, MEDIAN(cost) AS m, QUANTILE_CONT(cost, 0.9) AS q FROM visits GROUP BY ward": ["m", "q"],
        "SELECT PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY cost DESC) AS p FROM visits": ["p"],
        "SELECT COUNT(DISTINCT ward) AS w FROM visits": ["w"],
    }
    for sql, names in asked.items():
        answer = pv.release(sql, pv.PureDP(60), tables=registers(), ledger=ledger, why="test")
        assert [one.name for one in answer.answers] == names
    bins = pv.release(
        "SELECT HISTOGRAM(cost, 4) AS h FROM visits",
        pv.PureDP(60),
        tables=registers(),
        ledger=ledger,
        why="test",
    )
    assert list(bins.keys) == ["low", "high"]
    assert bins["h"] == pytest.approx((90, 60, 90, 60), abs=3)
    line = pv.release(
        "SELECT REGRESSION(cost, nights) AS r FROM visits",
        pv.PureDP(60),
        tables=registers(),
        ledger=ledger,
        why="t",
    )
    assert len(line) == 2
