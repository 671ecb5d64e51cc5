"""MDAV: groups of the paper, means kept, k kept."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privet as pv
from privet.errors import BadTransform
from privet.protect.transform import (
    mdav,
    microaggregate,
)


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 6), st.integers(0, 40), st.integers(1, 3), st.integers(0, 2**32 - 1))
def test_groups_have_k_to_2k_less_one_rows(k: int, more: int, width: int, seed: int) -> None:
    values = np.random.default_rng(seed).integers(0, 9, (k + more, width)).astype(float)
    sizes = np.bincount(mdav(values, k))
    assert sizes.min() >= k
    assert sizes.max() <= 2 * k - 1
    assert sizes.sum() == k + more


def test_far_clusters_are_found() -> None:
    values = np.array([[0.0], [100.0], [1.0], [101.0], [2.0], [102.0], [50.0], [51.0], [52.0]])
    groups = mdav(values, 3)
    assert sorted(sorted(values[groups == at, 0]) for at in range(3)) == [
        [0, 1, 2],
        [50, 51, 52],
        [100, 101, 102],
    ]


def literal_mdav(values: np.ndarray, k: int) -> set[frozenset[int]]:
    """The algorithm as its paper words it, row by row."""
    points = (values - values.mean(axis=0)) / values.std(axis=0)
    left, groups = list(range(len(points))), []

    def farthest(centre: np.ndarray) -> int:
        return max(left, key=lambda row: float(np.sum((points[row] - centre) ** 2)))

    def group(row: int) -> None:
        near = sorted(left, key=lambda other: float(np.sum((points[other] - points[row]) ** 2)))[:k]
        groups.append(frozenset(near))
        left[:] = [other for other in left if other not in near]

    while len(left) >= 3 * k:
        first = farthest(points[left].mean(axis=0))
        group(first)
        group(farthest(points[first]))
    if len(left) >= 2 * k:
        group(farthest(points[left].mean(axis=0)))
    return {*groups, frozenset(left)}


@pytest.mark.parametrize(("rows", "k", "seed"), [(9, 3, 0), (40, 4, 1), (61, 3, 2), (83, 7, 3), (200, 5, 4)])
def test_groups_are_those_of_the_paper(rows: int, k: int, seed: int) -> None:
    values = np.random.default_rng(seed).normal(size=(rows, 3))
    groups = mdav(values, k)
    assert {
        frozenset(np.flatnonzero(groups == at).tolist()) for at in range(groups.max() + 1)
    } == literal_mdav(values, k)


def test_units_do_not_matter() -> None:
    values = np.random.default_rng(3).normal(size=(40, 2))
    assert (mdav(values, 3) == mdav(values * [1e6, 1e-3], 3)).all()


def test_means_and_k_hold_in_the_table() -> None:
    rng = np.random.default_rng(5)
    arrow = pa.table(
        {"x": rng.normal(size=101), "n": rng.integers(0, 50, 101), "t": [str(at) for at in range(101)]}
    )
    result = microaggregate(pv.open_table(arrow), ["x", "n"], 4)
    found = result.to_arrow()
    assert found["t"].equals(arrow["t"])
    assert np.isclose(found["x"].to_numpy().mean(), arrow["x"].to_numpy().mean())
    assert found["n"].type == pa.int64()
    counts = found.group_by(["x", "n"]).aggregate([([], "count_all")])["count_all"].to_numpy()
    assert counts.min() >= 4
    assert result.figures["groups"] == 25
    spread = found["x"].to_numpy().std() / arrow["x"].to_numpy().std()
    assert 0.5 < spread < 1, "near rows were averaged, not any rows"


@pytest.mark.parametrize(
    ("columns", "k"), [(["x"], 1), (["x"], 4), (["gap"], 2), (["t"], 2), (["inf"], 2), ([], 2)]
)
def test_microaggregation_refuses(columns: list[str], k: int) -> None:
    arrow = pa.table(
        {"x": [1.0, 2.0, 3.0], "gap": [1, None, 3], "t": ["a", "b", "c"], "inf": [1.0, float("inf"), 2.0]}
    )
    with pytest.raises(BadTransform):
        microaggregate(pv.open_table(arrow), columns, k)
