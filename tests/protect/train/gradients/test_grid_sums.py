"""Sums as whole numbers of a grid: exact in any order, fine enough, and with room for every batch."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from privet.errors import InternalError
from privet.protect.train.gradients._grid_sums import grid_of, length, most_of, parted, whole
from privet.protect.train.gradients._training_run import ROUNDING


@given(st.floats(1e-6, 1e6), st.integers(1, 2**40))
def test_the_grid_is_a_power_of_two_below_the_bound_with_room_for_twice_the_records(bound, records):
    grid = grid_of(bound, records)
    assert math.frexp(grid)[0] == 0.5  # exact: a power of two
    assert 0 < grid < bound
    assert most_of(records) >= 2 * records
    assert most_of(records) * bound * (1 + ROUNDING) / grid < 2**63


def test_rounding_all_pieces_moves_a_sum_by_far_less_than_noise_is_added_for():
    """A million weights, and a thousand pieces that all round the same way."""
    for bound in (1e-3, 1.0, 1.999):
        moved = 1000 * math.sqrt(1e6) * grid_of(bound, 10**6) / 2
        assert moved < 0.01 * ROUNDING * bound


def test_the_grid_does_not_depend_on_how_many_records_there_are_but_on_how_many_were_planned():
    assert grid_of(1.0, 60_000) == grid_of(1.0, 60_001) == 2.0**-40  # exact: powers of two
    assert grid_of(1.0, 10**7) == 2.0**-36  # exact: powers of two


def test_whole_numbers_are_sums_again_by_name_and_in_the_order_of_the_names():
    like = {"b": torch.zeros(2, 2), "a": torch.zeros(3)}
    sums = {"a": torch.tensor([1.0, -2.5, 0.1]), "b": torch.tensor([[4.0, 5.0], [6.0, 7.0]])}
    grid = grid_of(1.0, 100)
    total = whole(sums, grid, like)
    found = parted(total, grid, like)
    assert list(found) == ["b", "a"]
    for name, value in sums.items():
        torch.testing.assert_close(found[name], value.double(), rtol=0, atol=grid)
    assert length(total, grid) == pytest.approx(
        float(torch.cat([v.double().reshape(-1) for v in sums.values()]).norm())
    )


def test_the_order_of_pieces_does_not_matter():
    generator = torch.Generator().manual_seed(0)
    pieces = [{"w": torch.randn(50, generator=generator) * 10.0**k} for k in range(-3, 3)]
    grid = grid_of(1.0, 1000)
    numbers = [whole(piece, grid, ["w"]) for piece in pieces]
    assert np.array_equal(sum(numbers), sum(numbers[::-1]))


def test_what_is_no_number_is_not_made_one():
    with pytest.raises(InternalError):
        whole({"w": torch.tensor([1.0, float("nan")])}, 2.0**-40, ["w"])
