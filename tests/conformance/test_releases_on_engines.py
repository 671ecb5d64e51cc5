"""The same release on every engine: with the noise off, the same answer, keys and stages."""

import numpy as np
import pytest
from tests.protect.hospital import stays

import privet as pv
from privet.mechanism import _opendp_samplers as sampling

QUESTIONS = {
    "known keys": lambda t: t.group_by("ward", keys={"ward": ["A", "B", "Z"]}).agg(
        n=pv.count(), who=pv.persons(), days=pv.mean("days"), cost=pv.sum("cost")
    ),
    "unknown keys": lambda t: t.group_by("ward").agg(n=pv.count(), days=pv.mean("days")),
    "moments": lambda t: t.group_by("ward", keys={"ward": ["A", "B", "Z"]}).agg(
        spread=pv.variance("days"), together=pv.covariance("days", "cost"), r=pv.correlation("cost", "days")
    ),
    "regression": lambda t: t.group_by("ward").agg(line=pv.regression("cost", on=["days"])),
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


def _collated(engine, name):
    """An Ibis table whose column ignores case, with the rows ICU, icu, icu."""
    import ibis

    if engine.name == "pyspark":
        session = engine.backend.raw_sql("SELECT 1").sparkSession
        rows = session.sql(
            "SELECT w COLLATE UTF8_LCASE AS ward FROM VALUES ('ICU'), ('icu'), ('icu') AS t(w)"
        )
        rows.createOrReplaceTempView(name)
        return engine.backend.table(name)
    if engine.name == "duckdb":
        backend = ibis.duckdb.connect()
        backend.con.execute(f"CREATE TABLE {name} (ward VARCHAR COLLATE NOCASE)")
        backend.con.execute(f"INSERT INTO {name} VALUES ('ICU'), ('icu'), ('icu')")
        return backend.table(name)
    collation = "(provider = icu, locale = 'und-u-ks-level2', deterministic = false)"
    try:
        with engine.backend.con.cursor() as cursor:
            cursor.execute(f"CREATE COLLATION {name}_case {collation}")
            cursor.execute(f"CREATE TABLE {name} (ward text COLLATE {name}_case)")
            cursor.execute(f"INSERT INTO {name} VALUES ('ICU'), ('icu'), ('icu')")
        engine.backend.con.commit()
    except Exception as problem:  # noqa: BLE001  a server built without ICU
        engine.backend.con.rollback()
        pytest.skip(f"no collation that ignores case: {type(problem).__name__}")
    return engine.backend.table(name)


@pytest.mark.parametrize("keys", [{"ward": ["ICU", "icu"]}, None], ids=["known keys", "unknown keys"])
def test_one_row_is_in_one_group_whatever_the_columns_collation(engine, keys, no_noise, tmp_path):
    name = "collated_" + ("known" if keys else "unknown")
    table = pv.open_table(_collated(engine, name), unit=pv.Row(), version="1")
    with pv.Ledger(tmp_path / "x.ledger", limit=pv.ApproxDP(500, "0.9")) as ledger:
        answer = pv.release(
            table.group_by("ward", keys=keys).agg(n=pv.count()),
            pv.ApproxDP(400, "0.5"),
            ledger=ledger,
            why="test",
        )
    assert dict(zip(answer["ward"], answer["n"], strict=True)) in ({"ICU": 1, "icu": 2}, {"icu": 2}, {})
