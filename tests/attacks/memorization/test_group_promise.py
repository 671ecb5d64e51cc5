"""Group privacy: what is left of a promise for something that stands in several units."""

import math

from privet.attacks.memorization._group_promise import group_promise
from privet.guarantee import ApproxDP, KAnonymity, PureDP, ZeroConcentratedDP


def test_one_copy_changes_nothing() -> None:
    promise = ApproxDP(2, 1e-6)
    assert group_promise(promise, 1) is promise
    assert group_promise(None, 5) is None


def test_several_copies_by_the_formulas() -> None:
    assert group_promise(PureDP("0.5"), 4) == PureDP(2)
    assert group_promise(ZeroConcentratedDP("0.1"), 3) == ZeroConcentratedDP("0.9")
    found = group_promise(ApproxDP(1, 1e-6), 3)
    assert isinstance(found, ApproxDP)
    assert found.epsilon == 3
    right = 1e-6 * (math.exp(3) - 1) / (math.e - 1)
    assert right <= float(found.delta) < right * 1.001


def test_where_nothing_is_left_nothing_is_said() -> None:
    assert group_promise(ApproxDP(8, 1e-5), 32) is None
    assert group_promise(ApproxDP(2, 1e-5), 8) is None
    assert group_promise(KAnonymity(5), 2) is None
    joined = group_promise(PureDP(1) & KAnonymity(5), 2)
    assert joined == PureDP(2)
