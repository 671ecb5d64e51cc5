"""Summaries of columns: what they compute, and that the stable variants are stabler."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from privet.engine import ColumnKind
from privet.protect.pac._design_matrix import DesignMatrix, Feature, binned_feature
from privet.protect.pac._summary_functions import (
    Bins,
    Covariances,
    Means,
    Quantiles,
    Shares,
    covariance_matrix_of,
    triangle_labels,
)
from privet.source import ColumnFacts

DESIGN = DesignMatrix((Feature("x", 0, 10), Feature("y", 0, 100)))
DRAW = np.random.default_rng(8)
ROWS = pa.table({"x": DRAW.random(400) * 10, "y": DRAW.random(400) * 100})


def test_means_leave_out_what_is_missing_and_that_of_nothing_is_zero() -> None:
    rows = pa.table({"x": [1.0, None, 30.0], "y": pa.array([None, None, None], pa.float64())})
    assert Means(DESIGN)(rows).tolist() == [5.5, 0]  # exact: halves


def test_covariances_are_those_of_the_columns_in_their_units() -> None:
    wanted = np.cov(ROWS["x"].to_numpy(), ROWS["y"].to_numpy(), ddof=0)
    found = Covariances(DESIGN)(ROWS)
    assert covariance_matrix_of(found, 2) == pytest.approx(wanted)
    assert triangle_labels(["x", "y"]) == ("variance of x", "covariance of x and y", "variance of y")


def test_quantiles_are_near_the_usual_ones_and_vary_less_between_halves() -> None:
    """Of a table with gaps, the middle order statistic jumps; the weighted mean of all of them does not."""
    assert Quantiles(DESIGN, (0.5,))(ROWS)[:, 0] == pytest.approx([5, 50], rel=0.15)
    values = np.repeat([0.0, 10.0], 200)
    stable, usual = [], []
    for _ in range(60):
        half = pa.table({"x": DRAW.permutation(values)[:199], "y": np.ones(199)})
        stable.append(Quantiles(DESIGN, (0.5,))(half)[0, 0])
        usual.append(float(np.median(half["x"].to_numpy())))
    assert np.var(stable) < np.var(usual) / 2


def test_quantiles_of_nothing_lie_in_the_middle_of_the_bounds() -> None:
    rows = pa.table({"x": pa.array([None], pa.float64()), "y": [7.0]})
    assert Quantiles(DESIGN, (0.2, 0.8))(rows).tolist() == [[5, 5], [7, 7]]


def test_shares_of_bins_and_of_values() -> None:
    rows = pa.table({"x": [0.0, 1.0, 9.0, 10.0, None], "ill": [True, False, True, True, None]})
    bins = (
        Bins.of(Feature("x", 0, 10), 2),
        Bins.of(binned_feature(ColumnFacts("ill", ColumnKind.BOOLEAN)), 2),
    )
    assert Shares(bins)(rows).tolist() == [0.5, 0.5, 0.25, 0.75]  # exact: quarters
    assert bins[0].labels == ("x from 0 to 5", "x from 5 to 10")
    assert bins[1].labels == ("ill=False", "ill=True")
    nothing = pa.table({"x": pa.array([], pa.float64()), "ill": pa.array([], pa.bool_())})
    assert Shares(bins)(nothing).tolist() == [0, 0, 0, 0]
