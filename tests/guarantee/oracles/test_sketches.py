"""Apple's sketches: exact variances, and why the Hadamard one is poor at the epsilons in use."""

from fractions import Fraction

import pytest

from privet.errors import BadAmount
from privet.guarantee.oracles import CountMeanSketch, HadamardSketch, LocalHashing, SymmetricUnary


def test_the_noise_of_a_wide_sketch_is_that_of_symmetric_unary_encoding() -> None:
    wide = CountMeanSketch(Fraction(4), 100, 128, 2**20)
    assert wide.variance(1000, 0) == pytest.approx(
        SymmetricUnary(Fraction(4), 100).variance(1000, 0), rel=1e-4
    )


@pytest.mark.parametrize(("epsilon", "worse"), [(4, 14), (8, 740)])
def test_one_bit_cannot_use_a_large_epsilon(epsilon: int, worse: int) -> None:
    one = HadamardSketch(Fraction(epsilon), 100, 64, 2**20).variance(1, 0)
    assert one >= 1
    assert one > worse * LocalHashing.made(Fraction(epsilon), 100, {}).variance(1, 0)


def test_values_that_share_places_add_variance() -> None:
    sketch = CountMeanSketch(Fraction(4), 100, 16, 64)
    assert sketch.variance(1000, 0, 1000**2) > sketch.variance(1000, 0, 0)


def test_a_transform_needs_a_power_of_two() -> None:
    with pytest.raises(BadAmount, match="power of two"):
        HadamardSketch(Fraction(4), 100, 16, 100)
