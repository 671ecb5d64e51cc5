"""Where trees split: quantiles of noisy counts, columns that say something alone, pairs that only say it together."""

import numpy as np

from privet.artifact import CategoryColumn, Features, NumberColumn
from privet.protect.train._split_proposals import (
    QUANTILES,
    Levels,
    Proposals,
    said_alone,
    said_together,
)

FEATURES = Features((NumberColumn("x", 0, 1, 8), CategoryColumn("c", ("a", "b", "d"))))


def levels(number=(10,) * 8, category=(50, 20, 5), other=0.0):
    return Levels.of(FEATURES, np.array([*number, 3.0, *category, other]))


def numbers(*given):
    return iter(given).__next__


def test_numbers_split_at_quantiles_and_categories_at_each_level():
    even = levels()
    assert even.splits(0) == [(0, cut, 9) for cut in range(1, 8)], "what is missing goes right"
    assert even.splits(1) == [(1, level, level + 1) for level in range(4)]
    heaped = levels(number=(0, 0, 100, 0, 0, 0, 0, 0))
    assert heaped.splits(0) == [(0, 3, 9)], "all quantiles of one heap are its end"
    assert len(even.splits(0)) < QUANTILES


def test_nothing_known_still_gives_a_split():
    empty = levels(number=(-5,) * 8, category=(-1, -1, -1))
    assert all(0 < low < 8 for _, low, _ in empty.splits(0))
    assert empty.middle(0)[1] in range(1, 8)
    assert not said_alone(empty, np.zeros(13), 1.0, 0.5).any()


def test_the_middle_halves_the_units():
    assert levels(number=(10, 10, 10, 10, 40, 0, 0, 0)).middle(0) == (0, 4, 9)
    assert levels(category=(50, 20, 5)).middle(1) == (1, 0, 1)
    assert levels(category=(90, 45, 5)).middle(1) == (1, 0, 1)


def test_a_column_counts_by_what_it_says_beyond_chance():
    sums = np.zeros(13)
    sums[:8] = np.linspace(-8, 8, 8)
    found = said_alone(levels(), sums, 0.1, 0.5)
    assert found[0] > 0
    assert not found[1]
    assert not said_alone(levels(), sums, 100.0, 0.5)[0], "noise could have said so"
    level = np.zeros(13)
    level[9] = 20.0
    assert said_alone(levels(), level, 0.1, 0.5)[1] > 0


def test_a_pair_counts_beyond_what_the_largest_of_so_many_would_come_to():
    moments = np.array([0.0, 500.0, 60.0])
    found = said_together(moments, 50.0, 0.5, 4000)
    assert found[1] > 0
    assert not found[[0, 2]].any()
    assert not len(said_together(np.zeros(0), 1.0, 0.5, 10))


def test_trees_ask_for_what_was_found():
    found = Proposals.of(levels(), np.array([0.0, 0.0]), np.array([9.0]))
    assert found.pairs == ((0, 1),)
    splits = found.tree(3, numbers(0.99, 0.9, 0.0, 0.0, 0.5))
    assert [column for column, _, _ in splits] == [0, 1, 1]
    alone = Proposals.of(levels(), np.array([4.0, 0.0]), np.array([0.0]))
    assert not alone.pairs
    splits = alone.tree(3, numbers(0.5, 0.5, 0.0, 0.9, 0.5))
    assert [column for column, _, _ in splits] == [0, 0, 0]
    blind = Proposals.of(levels(), np.zeros(2), np.zeros(1))
    assert [column for column, _, _ in blind.tree(3, numbers(0.9, 0.9, 0.0, 0.0, 0.0))] == [1, 1, 1]
