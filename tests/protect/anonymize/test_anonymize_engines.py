"""The same table on another engine gives the same file."""

import importlib.util
from pathlib import Path

import pytest

import privet as pv

_SPEC = importlib.util.spec_from_file_location(
    "anonymize_cases", Path(__file__).with_name("test_anonymize.py")
)
assert _SPEC is not None
assert _SPEC.loader is not None
cases = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(cases)


def test_equal_on_every_engine(engine, tmp_path):
    source = cases.people()
    promise = pv.KAnonymity(5) & pv.LDiversity("diagnosis", 2)
    options = {"max_suppressed": "0.05", "hierarchies": cases.hierarchies()}
    here = pv.anonymize(cases.opened(source), promise, **options)
    there = pv.anonymize(
        pv.open_table(engine.load(source).table, roles=cases.ROLES),
        promise,
        out=tmp_path / "safe.parquet",
        **options,
    )
    assert there.found.levels == here.found.levels
    assert there.loss == pytest.approx(here.loss)
    assert (there.before, there.after) == (here.before, here.after)
    order = [(name, "ascending") for name in here.to_arrow().column_names]
    assert there.to_arrow().sort_by(order).to_pylist() == here.to_arrow().sort_by(order).to_pylist()
