"""Subset selection: no oracle has less variance."""

from fractions import Fraction

import pytest

from privet.guarantee.oracles import SubsetSelection, oracle_class


def test_golden_variance() -> None:
    oracle = SubsetSelection.made(Fraction(1), 100, {})
    assert oracle.chosen == 27
    assert oracle.variance(1, 0) == pytest.approx(3.590, rel=1e-3)


@pytest.mark.parametrize("epsilon", [1, 2, 4])
@pytest.mark.parametrize("size", [8, 100, 1000])
def test_the_others_are_no_better(epsilon: int, size: int) -> None:
    least = SubsetSelection.made(Fraction(epsilon), size, {}).variance(1, 0)
    for kind in ("grr", "sue", "oue", "olh", "hadamard"):
        assert least <= oracle_class(kind).made(Fraction(epsilon), size, {}).variance(1, 0) * (1 + 1e-3)
