"""The same SQL on every engine: with the noise off, the same answer."""

import numpy as np
import pytest
from tests.protect.query.sql.registers import registers

import privet as pv
from privet.mechanism import _opendp_samplers as sampling

QUESTIONS = {
    "join": "SELECT sex, site, COUNT(*) AS n, SUM(cost) AS c FROM patients JOIN visits USING (id) JOIN wards USING (ward) GROUP BY sex, site",
    "persons": "SELECT COUNT(*) AS n, AVG(CLAMP(total, 0, 30)) AS t FROM (SELECT id, SUM(cost) AS total, MAX(day) AS last FROM visits WHERE nights > 0 GROUP BY id HAVING COUNT(*) > 1) WHERE last >= '2026-02-01'",
    "windows": "SELECT DATE_TRUNC('month', day) AS m, EXTRACT(dow FROM day) AS d, COUNT(*) FILTER (WHERE cost > 4) AS n FROM visits GROUP BY m, d",
    "case": "SELECT CASE WHEN cost / NULLIF(nights, 0) > 2 THEN 'dear' ELSE 'cheap' END AS k, SUM(COALESCE(nights, 1) * cost) AS s FROM visits GROUP BY k",
}  # fmt: skip


@pytest.mark.parametrize("sql", QUESTIONS.values(), ids=QUESTIONS)
def test_sql_is_answered_alike(engine, sql, tmp_path, monkeypatch):
    monkeypatch.setattr(sampling, "draw_discrete_laplace", lambda n, scale: np.zeros(n, np.int64))
    monkeypatch.setattr(sampling, "draw_discrete_gaussian", lambda n, scale: np.zeros(n, np.int64))
    answers = []
    for name, tables in (("here", registers(engine)), ("there", registers())):
        with pv.Ledger(tmp_path / f"{name}.ledger", limit=pv.PureDP(90)) as ledger:
            answer = pv.release(sql, pv.PureDP(80), tables=tables, ledger=ledger, why="test")
        answers.append((answer.keys, [(one.name, one.values) for one in answer.answers]))
    assert answers[0] == answers[1]
