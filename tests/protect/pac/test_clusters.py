"""K-means from a public start and components that fit public ones: halves agree on order, signs and turns."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from privet.protect.pac import PacClusters, PacComponents
from privet.protect.pac._clusters import Centres, Components, spread_start
from privet.protect.pac._design_matrix import DesignMatrix, Feature
from privet.protect.pac._summary_functions import Covariances

DESIGN = DesignMatrix((Feature("x", 0, 10), Feature("y", 0, 10)))
DRAW = np.random.default_rng(5)


def blobs(*centres: tuple[float, float], each: int = 60) -> pa.Table:
    points = np.vstack([DRAW.normal(centre, 0.4, (each, 2)) for centre in centres])
    return pa.table({"x": points[:, 0], "y": points[:, 1]})


def test_centres_come_in_the_order_of_the_start_whatever_the_order_of_rows() -> None:
    rows = blobs((8, 8), (2, 2), (5, 5))
    made = Centres(DESIGN, spread_start(3, 2), 0.001)
    assert made(rows) == pytest.approx(np.array([[2, 2], [5, 5], [8, 8]]), abs=0.3)
    assert made(rows.take(np.arange(180)[::-1])) == pytest.approx(made(rows))


def test_a_cluster_of_few_is_drawn_to_where_it_began() -> None:
    """One stray point makes a cluster of its own; with the pull it hardly moves the centre."""
    rows = pa.concat_tables([blobs((2, 2)), pa.table({"x": [10.0], "y": [10.0]})])
    start = spread_start(2, 2)
    free, pulled = Centres(DESIGN, start, 0.001)(rows)[1], Centres(DESIGN, start, 9)(rows)[1]
    assert free == pytest.approx([10, 10], abs=0.1)
    assert pulled == pytest.approx([7.75, 7.75], abs=0.1)


def test_released_centres_say_to_which_a_point_belongs() -> None:
    found = PacClusters(DESIGN, np.array([[2.0, 2.0], [8.0, 8.0]]))
    assert found.predict([[1, 1], [9, 7]]) == [0, 1]


def test_components_are_turned_among_themselves_alone() -> None:
    """Signs and turns are settled by the reference; the plane or line that they span is the rows' own."""
    long = DRAW.normal(0, 2, 500)
    rows = pa.table({"x": 5 + long, "y": 5 + long + DRAW.normal(0, 0.1, 500)})
    (found,) = Components(DESIGN, np.array([[1.0, 0.0]]))(rows)
    assert found == pytest.approx([0.7071, 0.7071], abs=0.02)
    (other,) = Components(DESIGN, np.array([[-1.0, 0.0]]))(rows)
    assert other == pytest.approx(-found)


def test_components_are_read_off_a_covariance() -> None:
    long = DRAW.normal(0, 2, 500)
    rows = pa.table({"x": 5 + long, "y": 5 - long + DRAW.normal(0, 0.1, 500)})
    read = PacComponents.read(Covariances(DESIGN)(rows), DESIGN, 2)
    assert np.abs(read.components[0]) == pytest.approx([0.7071, 0.7071], abs=0.02)
    assert read.variances[0] > 50 * read.variances[1] >= 0
    assert PacComponents.read(np.array([-1.0, 0, -1.0]), DESIGN, 1).variances.tolist() == [0]
