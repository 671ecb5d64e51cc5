"""RAPPOR: the published parameters have the published epsilons."""

import math
from fractions import Fraction

import pytest

from privet.errors import BadAmount
from privet.guarantee.oracles import BloomResponse, largest_log_ratio


def published() -> BloomResponse:
    """f = 1/2, p = 1/2, q = 3/4, two hashes: flipping a bit for ever with probability 1/4 is odds of 3."""
    return BloomResponse(Fraction(str(round(4 * math.log(3), 12))), 2, 4, 2, 1, 128, 192)


def test_golden_epsilons() -> None:
    oracle = published()
    assert float(oracle.epsilon) == pytest.approx(4.3944, abs=1e-4)
    assert oracle.report_epsilon() == pytest.approx(1.0743, abs=1e-4)


def test_the_matrix_of_a_report_has_the_smaller_epsilon() -> None:
    oracle = published()
    assert largest_log_ratio(oracle.report_matrix()) == pytest.approx(oracle.report_epsilon(), abs=1e-9)
    assert oracle.exact_epsilon() == pytest.approx(float(oracle.epsilon), abs=1e-9)


def test_all_hashes_share_the_epsilon() -> None:
    """A published implementation ignores them, and promises half of what it gives away."""
    two, four = (BloomResponse(Fraction(3), 2, 16, hashes, 4, 128, 192).odds()[0] for hashes in (2, 4))
    assert two / 2**64 == pytest.approx(1 / (math.exp(3 / 4) + 1))
    assert four > two


def test_at_epsilon_12_there_is_noise() -> None:
    assert BloomResponse(Fraction(12), 2, 16, 2, 4, 128, 192).odds()[0] > 2**57


def test_parameters_that_say_nothing_are_refused() -> None:
    for quiet, loud, hashes in ((192, 128, 2), (128, 128, 2), (128, 192, 9)):
        with pytest.raises(BadAmount):
            BloomResponse(Fraction(1), 2, 16, hashes, 4, quiet, loud)
