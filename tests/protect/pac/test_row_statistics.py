"""Worlds added up from the rows themselves equal the engine's one pass, with keys, missing values and many rows of a person."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import privet as pv
from privet.guarantee import PacRelease, Row
from privet.ledger import throwaway
from privet.mechanism import SecretWorld, pac_gaussian
from privet.mechanism import _opendp_samplers as sampling
from privet.protect.pac._query_plan import make_query_plan
from privet.protect.pac._row_statistics import query_outputs, query_rows

WORLDS = 16
KEYS = ["a", "b", "empty"]


def table(unit) -> pv.Table:
    draw = np.random.default_rng(7)
    values = draw.normal(50, 40, 600)
    rows = pa.table(
        {
            "who": [f"p{one}" for one in draw.integers(0, 150, 600)],
            "v": pa.array(values, mask=draw.random(600) < 0.1),
            "ward": draw.choice(["a", "b", "c"], 600),
        }
    )
    return pv.open_table(rows, unit=unit, bounds={"v": (0, 100)})


@pytest.mark.parametrize("unit", [pv.Person("who", max_rows=600), pv.Row()], ids=["person", "row"])
@pytest.mark.parametrize("grouped", [False, True])
def test_they_equal_the_pass_of_the_engine(unit, grouped, monkeypatch) -> None:
    monkeypatch.setattr(sampling, "draw_discrete_gaussian", lambda n, sigma: np.zeros(n, np.int64))
    asked = {"n": pv.count(), "s": pv.sum("v"), "m": pv.mean("v"), "there": pv.count("v")}
    query = table(unit).group_by("ward", keys=KEYS).agg(**asked) if grouped else table(unit).agg(**asked)
    plan = make_query_plan(query, pv.PacPrivacy("1/16"), worlds=WORLDS, basis="diagonal")
    secret = SecretWorld.fresh(WORLDS)
    plain = query_outputs(plan, query_rows(plan, secret.seed))
    permit = throwaway(plan.promise).charge(
        PacRelease(plan.promise.mutual_information), why="a test", unit=Row()
    )
    shown, _ = pac_gaussian(plan.sealed(secret, pytest.fail, None), secret, permit, "diagonal")
    decoded = plan.grid.decode(shown)
    assert decoded == pytest.approx(plain[secret._index], rel=1e-6, abs=0.1)
    assert plain.shape == (WORLDS, len(plan.grid))
    if grouped:
        assert not plain[:, 8:].any()  # a public group that nobody is in
