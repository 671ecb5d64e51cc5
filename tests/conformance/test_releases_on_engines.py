"""The same release on every engine: with the noise off, the same answer, keys and stages."""

import numpy as np
import pytest
from tests.protect.hospital import stays

import privet as pv
from privet.mechanism import sampling

QUESTIONS = {
    "known keys": lambda t: t.group_by("ward", keys={"ward": ["A", "B", "Z"]}).agg(
        n=pv.count(), who=pv.persons(), days=pv.mean("days"), cost=pv.sum("cost")
    ),
    "unknown keys": lambda t: t.group_by("ward").agg(n=pv.count(), days=pv.mean("days")),
    "everything": lambda t: t.where(pv.col("days") > 2).agg(n=pv.count(), cost=pv.sum("cost")),
}


@pytest.fixture
def no_noise(monkeypatch):
    monkeypatch.setattr(sampling, "draw_discrete_laplace", lambda n, scale: np.zeros(n, np.int64))


def _answer(relation, question, tmp_path, name):
    table = pv.open_table(
        relation.table,
        unit=pv.Person("id", max_rows=4, max_groups=2),
        bounds={"days": (0, 10), "cost": (0, 400)},
        name="stays",
        version="1",
    )
    with pv.Ledger(tmp_path / f"{name}.ledger", limit=pv.ApproxDP(50, 1e-3)) as ledger:
        answer = pv.release(question(table), pv.ApproxDP(40, 1e-3), ledger=ledger, why="test")
    return answer.keys, answer.answers, answer.provenance.stages


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
def test_every_engine_gives_the_same_release(engine, question, no_noise, tmp_path):
    from tests.conftest import Engine

    here = _answer(engine.load(stays()), question, tmp_path, "here")
    there = _answer(Engine("duckdb", None).load(stays()), question, tmp_path, "there")
    assert here == there
