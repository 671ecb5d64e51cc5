"""The same table on another engine gives the same file."""

import pytest
from tests.protect.anonymize.people import ROLES, hierarchies, opened, people

import privet as pv


def test_equal_on_every_engine(engine, tmp_path):
    source = people()
    promise = pv.KAnonymity(5) & pv.LDiversity("diagnosis", 2)
    options = {"max_suppressed": "0.05", "hierarchies": hierarchies()}
    here = pv.anonymize(opened(source), promise, **options)
    there = pv.anonymize(
        pv.open_table(engine.load(source).table, roles=ROLES),
        promise,
        out=tmp_path / "safe.parquet",
        **options,
    )
    assert there.found.levels == here.found.levels
    assert there.loss == pytest.approx(here.loss)
    assert (there.before, there.after) == (here.before, here.after)
    order = [(name, "ascending") for name in here.to_arrow().column_names]
    assert there.to_arrow().sort_by(order).to_pylist() == here.to_arrow().sort_by(order).to_pylist()
