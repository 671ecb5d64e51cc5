"""Whoever knows shares of the noise is protected against by the others alone."""

from fractions import Fraction

import pytest

from privet.guarantee import Row, ZeroConcentratedDP
from privet.protect.federate._adversaries import exposures

DELTA = Fraction(1, 10**5)


def test_known_shares_raise_epsilon_as_tabulated() -> None:
    """Four hospitals, z = 25.59, 40 steps, delta 1e-5, by Gaussian loss: 0.9148, 1.0713, 1.3394 with 4, 3, 2 unknown shares.

    Zero-concentrated accounting of the same is above these, and below the golden values of Rényi accounting at whole orders.
    """
    rho = Fraction(40) / (2 * Fraction("25.59") ** 2) * 2
    found = {one.adversary: one for one in exposures(ZeroConcentratedDP(rho), 4, 2, Row(), DELTA)}
    golden = {
        "an outsider": (0.9148, 0.9998),
        "the coordinator": (0.9148, 0.9998),
        "one other site": (1.0713, 1.1697),
        "the coordinator with 2 site(s)": (1.3394, 1.4597),
    }
    for name, (least, most) in golden.items():
        assert least < found[name].epsilon < most * 1.0015, name


def test_the_promise_is_for_the_coalition_and_less_is_learnt_by_all_others() -> None:
    found = exposures(ZeroConcentratedDP("0.1"), 5, 2, Row(), DELTA)
    assert [one.unknown_shares for one in found] == [5, 5, 4, 3]
    assert found[-1].rho == Fraction(1, 10)
    assert all(one.rho < found[-1].rho for one in found[:-1])


def test_without_colluders_another_site_learns_more_than_is_promised_and_it_is_said() -> None:
    found = exposures(ZeroConcentratedDP("0.1"), 3, 0, Row(), DELTA)
    assert [one.adversary for one in found] == ["an outsider", "the coordinator", "one other site"]
    assert found[2].rho == Fraction(3, 20)
    assert str(found[2]).startswith("one other site: epsilon ")
    assert found[0].epsilon == pytest.approx(found[1].epsilon)
