"""What promises about sensitive values allow, by the formulas of their papers."""

import math

import numpy as np
import pytest

from privet.attacks.tables._diversity_bounds import most_certain, most_gain
from privet.guarantee import AlphaK, BetaLikeness, DeltaDisclosure, KAnonymity, LDiversity, TCloseness

SHARES = np.array([0.5, 0.3, 0.2])


@pytest.mark.parametrize(
    ("l", "excluded", "bound"), [(2, 0, 0.0), (1, 0, None), (3, 1, 0.0), (2, 1, None), (3, 2, None)]
)
def test_two_values_are_left_after_ruling_out(l, excluded, bound):  # noqa: E741
    assert most_certain(LDiversity("ill", l) if l > 1 else KAnonymity(2), "ill", excluded, SHARES)[0] == bound


def test_a_class_of_one_value_is_too_far_for_a_small_t():
    """It lies at least 1 - 0.5 from the table."""
    assert most_certain(TCloseness("ill", 0.49), "ill", 0, SHARES)[0] == 0
    assert most_certain(TCloseness("ill", 0.5), "ill", 0, SHARES)[0] is None
    assert most_certain(TCloseness("ill", 0.1), "ill", 1, SHARES)[0] is None


def test_no_value_fills_a_class_below_alpha_one():
    assert most_certain(AlphaK("ill", 0.9, 2), "ill", 0, SHARES)[0] == 0
    assert most_certain(AlphaK("ill", 0.9, 2), "ill", 1, SHARES)[0] is None


def test_promises_about_other_columns_say_nothing():
    for promise in (LDiversity("age", 5), TCloseness("age", 0.1), AlphaK("age", 0.5, 2), KAnonymity(5), None):
        assert most_certain(promise, "ill", 0, SHARES) == (None, "")
        assert most_gain(promise, "ill", SHARES) == (None, "")


@pytest.mark.parametrize(
    ("promise", "gain"),
    [
        (TCloseness("ill", 0.15), 0.15),
        (TCloseness("ill", 0.15, distance="ordered"), 0.3),
        (BetaLikeness("ill", 0.5), 0.25),
        (BetaLikeness("ill", 4), 0.8),
        (DeltaDisclosure("ill", math.log(1.5)), 0.25),
        (AlphaK("ill", 0.6, 2), 0.4),
    ],
)
def test_the_largest_gain(promise, gain):
    """Ordered over three values: t times two. Beta 4 times 0.2 is what is left above it, 0.8."""
    assert most_gain(promise, "ill", SHARES)[0] == pytest.approx(gain)


def test_of_several_promises_the_strictest_holds():
    both = TCloseness("ill", 0.4) & AlphaK("ill", 0.5, 2)
    assert most_gain(both, "ill", SHARES)[0] == pytest.approx(0.3)
