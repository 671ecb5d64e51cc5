"""Evolution: an exclusive or comes out of it, within the booking, and nothing without votes."""

import numpy as np
import pyarrow as pa
import pytest

import privet as pv
from privet.protect.synthesize import _tabular_evolution as evolution
from privet.protect.synthesize._tabular_evolution import Population, rows_of


def exclusive_or(many=4000, seed=0):
    draws = np.random.default_rng(seed)
    points = draws.random((many, 2))
    label = (points > 0.5).sum(axis=1) % 2
    return pv.open_table(
        pa.table({"a": points[:, 0], "b": points[:, 1], "y": label}),
        unit=pv.Row(),
        bounds={"a": (0, 1), "b": (0, 1)},
        keys={"y": [0, 1]},
    )


def agreement(twin):
    """The share of rows whose label is what the exclusive or says."""
    rows = [row for row in twin.to_arrow().to_pylist() if None not in row.values()]
    return np.mean([((row["a"] > 0.5) + (row["b"] > 0.5)) % 2 == row["y"] for row in rows])


@pytest.mark.parametrize(
    ("method", "least", "most"), [("evolve", 0.9, 1.0), ("auto", 0.85, 1.0), ("mst", 0.3, 0.7)]
)
def test_an_exclusive_or_is_kept_by_evolution_and_noticed_by_auto(ledger, method, least, most) -> None:
    twin = pv.synthesize(
        exclusive_or(),
        pv.ApproxDP(4, 1e-6),
        rows=1500,
        ledger=ledger,
        why="a twin",
        method=method,
        workload="y",
    )
    assert least <= agreement(twin) <= most
    plan = pv.protect.synthesize.planned_twin(
        exclusive_or(), pv.ApproxDP(4, 1e-6), accounting="basic", method=method, workload="y"
    )
    assert float(plan.rho) * 0.999 < twin.rho <= float(plan.rho)
    if method != "mst":
        assert twin.method == "evolution"
        assert sum(one.what == "votes" for one in twin.measured) == evolution.ROUNDS


def test_rows_follow_votes() -> None:
    population = Population(np.array([[0], [1], [2]]), np.array([3.0, 1.0, 0.0]))
    rows = rows_of(population, 400, np.random.default_rng(0))
    assert np.bincount(rows[:, 0], minlength=3).tolist() == pytest.approx([300, 100, 0], abs=1)
    nothing = Population(population.codes, np.zeros(3))
    assert len(rows_of(nothing, 7, np.random.default_rng(0))) == 7
