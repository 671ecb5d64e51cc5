"""Unary encodings: the published variances, and where generalised response is better."""

from fractions import Fraction

import pytest

from privet.guarantee.oracles import GeneralizedResponse, OptimizedUnary, SymmetricUnary
from privet.guarantee.oracles._unary_encoding import chance_of


@pytest.mark.parametrize(
    ("cls", "epsilon", "golden"),
    [
        (SymmetricUnary, 1, 3.918), (SymmetricUnary, 4, 0.181), (OptimizedUnary, 1, 3.683), (OptimizedUnary, 4, 0.0760),
    ],
)  # fmt: skip
def test_golden_variances(cls, epsilon, golden) -> None:
    assert cls(Fraction(epsilon), 100).variance(1, 0) == pytest.approx(golden, rel=1e-3)


@pytest.mark.parametrize(("epsilon", "size"), [(1, 10), (4, 165)])
def test_generalised_response_is_better_below_three_e_to_epsilon_plus_two(epsilon: int, size: int) -> None:
    def gain(size: int) -> float:
        return OptimizedUnary(Fraction(epsilon), size).variance(1, 0) - GeneralizedResponse(
            Fraction(epsilon), size
        ).variance(1, 0)

    assert gain(size) > 0 > gain(size + 1)


def test_each_bit_of_the_optimised_one_is_within_epsilon() -> None:
    own, other = OptimizedUnary(Fraction(12), 4).support()
    assert own == Fraction(1, 2)
    assert 0 < other < Fraction(1, 10**5)
    assert OptimizedUnary(Fraction(4), 1024).expected_ones() == pytest.approx(0.5 + 1023 / 55.598, rel=1e-4)


def test_the_chance_of_a_vector_is_the_product() -> None:
    assert chance_of([Fraction(1, 4), Fraction(1, 3)], [1, 0]) == Fraction(1, 6)
