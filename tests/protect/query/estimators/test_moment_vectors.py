"""Sums of products: shared where they mean the same, of complete rows, and none starved of budget."""

import math

import numpy as np
import pyarrow as pa
import pytest
from tests.protect.query.estimators.measurements import asked_of, open_numbers

import privet as pv
from privet.protect.query.noise_plan import make_plan


def test_only_rows_with_both_values_count_and_values_outside_are_clamped(no_noise, ledger):
    awkward = {
        "id": list(range(8)),
        "x": [1.0, math.nan, 3.0, math.inf, -5.0, None, 10.0, 0.0],
        "y": [5.0, 1.0, None, 30.0, -math.inf, 2.0, math.nan, 20.0],
    }
    table = pa.table(
        {
            "id": awkward["id"],
            "x": pa.array(awkward["x"], pa.float64()),
            "y": pa.array(awkward["y"], pa.float64()),
        }
    )
    opened = pv.open_table(
        table, unit=pv.Person("id", max_rows=1), bounds={"x": (0, 10), "y": (-20, 20)}, name="t"
    )
    answer = asked_of(opened.agg(c=pv.covariance("x", "y"), v=pv.variance("x")), ledger)
    both = np.array([[1, 5], [10, 20], [0, -20], [0, 20]], float)
    assert answer["c"][0] == pytest.approx(np.cov(both.T)[0, 1], rel=1e-3)
    assert answer["v"][0] == pytest.approx(np.var([1, 3, 10, 0, 10, 0], ddof=1), rel=1e-3)


def test_vectors_are_shared_where_they_mean_the_same():
    def vectors(**aggregates):
        return len(make_plan(open_numbers().agg(**aggregates), pv.PureDP(1), accounting="basic").noise)

    assert vectors(v=pv.variance("x")) == 3
    assert vectors(v=pv.variance("x"), s=pv.deviation("x"), m=pv.mean("x"), t=pv.sum("x")) == 3
    assert vectors(c=pv.covariance("x", "y"), d=pv.covariance("y", "x", sample=False)) == 4
    assert vectors(c=pv.covariance("x", "y"), r=pv.correlation("y", "x")) == 6
    assert vectors(v=pv.variance("x"), w=pv.variance("x", bounds=(0, 20))) == 5
    assert vectors(b=pv.regression("y", on=["x", "z"])) == 1 + 3 + 5


@pytest.mark.parametrize(
    "asked",
    [
        pv.variance("x"),
        pv.covariance("x", "y"),
        pv.correlation("x", "y"),
        pv.covariance_matrix(["x", "y", "z"]),
        pv.regression("y", on="x"),
        pv.regression("y", on=["x", "z"]),
    ],
    ids=lambda asked: f"{type(asked).__name__} of {len(asked.columns)}",
)
def test_no_vector_is_starved_of_budget(asked):
    """Whatever is supposed about the data may be wrong: every sum keeps a fair share."""
    plan = make_plan(open_numbers().agg(a=asked), pv.PureDP(1), accounting="basic")
    scales = [float(event.scale / event.sensitivity) for event in plan.noise.values()]
    assert max(scales) < 4 * min(scales)
