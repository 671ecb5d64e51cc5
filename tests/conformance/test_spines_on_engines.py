"""The same hierarchy on every engine: with the noise off, the same tables, estimates and stages."""

import numpy as np
import pyarrow as pa
import pytest
from tests.conftest import Engine
from tests.protect.tabulate.people import opened, people, spine_of

import privet as pv
from privet.mechanism import _opendp_samplers as sampling


@pytest.fixture
def no_noise(monkeypatch):
    monkeypatch.setattr(sampling, "draw_discrete_gaussian", lambda n, scale: np.zeros(n, np.int64))


def _released(relation, unit, tmp_path, name):
    spine = spine_of(opened(relation.table, unit), zeros=[{"county": "Bay", "age": "old"}])
    with pv.Ledger(tmp_path / f"{name}.ledger", limit=pv.ZeroConcentratedDP(1)) as ledger:
        released = pv.release(spine, pv.ZeroConcentratedDP("0.5"), ledger=ledger, why="test")
    return released.to_json()["levels"], released.provenance.stages


UNITS = {
    "persons": pv.Person("id", max_rows=1),
    "several rows": pv.Person("id", max_rows=4, max_groups=2),
    "rows": pv.Row(pv.Change.REPLACE),
}


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_every_engine_gives_the_same_hierarchy(engine, unit, no_noise, tmp_path):
    rows = pa.concat_tables([people(80), people(80, seed=8)])
    here = _released(engine.load(rows), unit, tmp_path, "here")
    there = _released(Engine("duckdb", None).load(rows), unit, tmp_path, "there")
    assert here == there
