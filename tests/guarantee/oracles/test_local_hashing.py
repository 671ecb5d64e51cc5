"""Local hashing: the published variance, and what a pool adds to it."""

from fractions import Fraction

import pytest

from privet.errors import BadAmount
from privet.guarantee.oracles import FastLocalHashing, LocalHashing


@pytest.mark.parametrize(("epsilon", "range_", "golden"), [(1, 4, 3.692), (4, 56, 0.0760)])
def test_golden_variances(epsilon: int, range_: int, golden: float) -> None:
    oracle = LocalHashing.made(Fraction(epsilon), 100, {})
    assert oracle.range == range_
    assert oracle.variance(1, 0) == pytest.approx(golden, rel=1e-3)


def test_a_small_pool_costs_what_its_own_formula_says() -> None:
    """The formula of the hashes alone understates it many times over where few values are frequent."""
    fast = FastLocalHashing.made(Fraction(4), 100, {"pool": 64})
    plain = LocalHashing.made(Fraction(4), 100, {})
    squares = 0.2 * 100_000**2
    more = squares / (64 * (fast.range - 1))
    assert fast.variance(100_000, 0, squares) == pytest.approx(plain.variance(100_000, 0) + more)
    assert fast.variance(100_000, 0, squares) > 7 * plain.variance(100_000, 0)


def test_a_server_could_not_hold_every_pool() -> None:
    assert FastLocalHashing.made(Fraction(16), 100, {}).range == 2**13
    with pytest.raises(BadAmount, match="counters"):
        FastLocalHashing.made(Fraction(1), 100, {"pool": 2**20, "range": 2**10})
