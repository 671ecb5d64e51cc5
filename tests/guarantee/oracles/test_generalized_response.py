"""Generalised randomised response: its probabilities and the published variance."""

import math
from fractions import Fraction

import pytest

from privet.guarantee.oracles import GeneralizedResponse


def test_its_probabilities_are_those_of_the_formula() -> None:
    own, other = GeneralizedResponse(Fraction(2), 10).support()
    assert float(own) == pytest.approx(math.exp(2) / (math.exp(2) + 9), rel=1e-12)
    assert own + 9 * other == 1


@pytest.mark.parametrize(("epsilon", "golden"), [(1, 34.113), (4, 0.0531)])
def test_golden_variances(epsilon: int, golden: float) -> None:
    assert GeneralizedResponse(Fraction(epsilon), 100).variance(1, 0) == pytest.approx(golden, rel=1e-3)


def test_a_report_is_a_value() -> None:
    assert GeneralizedResponse(Fraction(1), 1024).columns() == {"value": ("uint32", 1024)}
    assert GeneralizedResponse(Fraction(1), 1024).report_bytes() == 1.25  # exact: ten bits
