"""Hadamard response: the published variance of one block, and what more blocks gain at a large epsilon."""

from fractions import Fraction

import pytest

from privet.guarantee.oracles import HadamardResponse


@pytest.mark.parametrize(("epsilon", "golden"), [(1, 4.683), (4, 1.0760)])
def test_golden_variances_of_one_block(epsilon: int, golden: float) -> None:
    oracle = HadamardResponse(Fraction(epsilon), 100, 1)
    assert oracle.width == 128
    assert oracle.variance(1, 0) == pytest.approx(golden, rel=1e-3)


def test_blocks_are_many_for_a_large_epsilon() -> None:
    assert HadamardResponse.made(Fraction(1), 100, {}).blocks == 2
    many = HadamardResponse.made(Fraction(4), 100, {})
    assert many.blocks == 32
    assert many.variance(1, 0) < 0.16 < HadamardResponse(Fraction(4), 100, 1).variance(1, 0)


def test_values_have_places_of_their_own_and_no_first_row() -> None:
    oracle = HadamardResponse(Fraction(1), 100, 8)
    places = [oracle.place(value) for value in range(100)]
    assert len(set(places)) == 100
    assert all(0 <= block < 8 and 0 < row < oracle.width for block, row in places)
