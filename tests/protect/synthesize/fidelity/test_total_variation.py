"""Distances of shares by hand: equal tables, disjoint ones, and sets of columns that only differ together."""

import numpy as np
import pytest

from privet.protect.synthesize.fidelity import _total_variation as variation
from privet.protect.synthesize.fidelity._total_variation import distances, total_variation


def codes(*rows):
    return np.array(rows, np.int64)


def test_half_the_sum_of_differences() -> None:
    first, second = codes([0], [0], [1], [2]), codes([0], [1], [1], [1])
    assert total_variation(first, second, [3]) == pytest.approx((0.25 + 0.5 + 0.25) / 2)
    assert total_variation(first, first[::-1], [3]) == pytest.approx(0)
    assert total_variation(codes([0]), codes([2]), [3]) == pytest.approx(1)
    assert total_variation(codes([0])[:0], codes([2]), [3]) == pytest.approx(1)


def test_many_cells_are_counted_where_there_are_rows(monkeypatch) -> None:
    draws = np.random.default_rng(0)
    first, second = draws.integers(0, 5, (2, 200, 3))
    dense = total_variation(first, second, [5, 5, 5])
    monkeypatch.setattr(variation, "_DENSE", 10)
    assert total_variation(first, second, [5, 5, 5]) == pytest.approx(dense)


def test_columns_that_differ_only_together_show_in_pairs() -> None:
    """Two fair coins, equal in one table and unequal in the other."""
    coins = np.tile([0, 1], 100)
    same, other = np.column_stack([coins, coins]), np.column_stack([coins, 1 - coins])
    one, two = distances(same, other, [2, 2], ["a", "b"], others=(same, same[::-1]))
    assert (one.ways, one.mean, one.sets) == pytest.approx((1, 0, 2))
    assert (two.ways, two.mean, two.worst_columns, two.by_chance) == (
        2,
        pytest.approx(1),
        ("a", "b"),
        pytest.approx(0),
    )


def test_many_sets_are_thinned_and_it_is_said() -> None:
    rows = np.zeros((3, 30), np.int64)
    found = distances(rows, rows, [2] * 30, [f"c{at}" for at in range(30)], others=(rows, rows))
    assert [(one.of, one.sets <= variation.MOST_SETS) for one in found] == [
        (30, True),
        (435, True),
        (4060, True),
    ]
