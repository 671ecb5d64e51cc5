"""What survives: drawn in proportion above a threshold, ranked, and whole numbers from shares."""

import numpy as np
import pytest

from privet.mechanism import fresh_generator
from privet.protect.synthesize.evolution._vote_selection import apportioned, drawn, ranked


def test_drawing_is_in_proportion_to_what_lies_above_the_threshold() -> None:
    votes = np.array([-5.0, 1.0, 3.0, 7.0])
    found = drawn(votes, 20_000, 1.0, fresh_generator())
    counts = np.bincount(found, minlength=4)
    assert counts[0] == counts[1] == 0
    # Two thirds and three quarters of 20,000, within eight standard deviations.
    assert counts[2] == pytest.approx(5_000, abs=500)
    assert counts[3] == pytest.approx(15_000, abs=500)


def test_where_nothing_lies_above_all_are_alike() -> None:
    assert set(drawn(np.array([-1.0, -2.0]), 100, 5.0, fresh_generator())) == {0, 1}


def test_ranking_keeps_the_most_voted_and_starts_over_where_there_are_too_few() -> None:
    assert ranked(np.array([1.0, 9.0, 5.0]), 2).tolist() == [1, 2]
    assert ranked(np.array([1.0, 9.0]), 5).tolist() == [1, 0, 1, 0, 1]
    assert ranked(np.array([4.0, 4.0]), 1).tolist() == [0]


@pytest.mark.parametrize("count", [3, 7, 100, 1_001])
@pytest.mark.parametrize("shares", [[1.0], [0.5, 0.5], [0.98, 0.01, 0.01], [0.0, 1.0], [0.2, 0.3, 0.5]])
def test_parts_add_up_and_every_class_lives(count: int, shares: list[float]) -> None:
    parts = apportioned(count, np.array(shares))
    assert parts.sum() == max(count, len(shares))
    assert parts.min() >= 1
    assert np.abs(parts - np.array(shares) * count).max() <= len(shares)
