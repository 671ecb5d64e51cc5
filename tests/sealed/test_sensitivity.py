"""A sensitivity says how many entries move, how far, and how far altogether; the three must fit together."""

import pytest

from privet.errors import BadSensitivity
from privet.sealed import Sensitivity


@pytest.mark.parametrize(
    "numbers",
    [(1, 1, 1), (3, 2, 2), (3, 2, 6), (6, 1, 6, 3), (6, 1, 6, 6)],
)
def test_what_fits_together(numbers):
    Sensitivity(*numbers)


@pytest.mark.parametrize(
    "numbers",
    [
        (0, 1, 1),
        (1, 0, 1),
        (1, 1, 0),
        (1, 1, 1, 0),
        (3, 2, 1),  # less altogether than one entry
        (3, 2, 7),  # more than three entries of two
        (6, 1, 6, 4),  # no whole blocks
    ],
)
def test_what_does_not(numbers):
    with pytest.raises(BadSensitivity):
        Sensitivity(*numbers)


def test_short_ways_to_write_one():
    assert Sensitivity.per_coordinate(3, 2) == Sensitivity(3, 2, 6)
    assert Sensitivity.per_block(2, 5, 3) == Sensitivity(10, 3, 30, 5)
    assert Sensitivity.per_block(2, 5, 3).blocks == 2
    assert Sensitivity(6, 1, 6).blocks == 6
    assert Sensitivity(6, 2, 7, 3).scaled(10) == Sensitivity(6, 20, 70, 3)


def test_squares_are_bounded_by_whichever_bound_says_most() -> None:
    assert Sensitivity(4, 3, 12).squares == 36
    assert Sensitivity(4, 3, 6).squares == 18  # two entries by three each
    assert Sensitivity(4, 3, 12, norm=4).squares == 16
    assert Sensitivity.within_norm(7, 5).squares == 25
    assert Sensitivity.within_norm(7, 5).scaled(2).squares == 100


@pytest.mark.parametrize("norm", [0, -1])
def test_a_norm_is_at_least_one_step(norm: int) -> None:
    with pytest.raises(BadSensitivity):
        Sensitivity(4, 3, 12, norm=norm)
