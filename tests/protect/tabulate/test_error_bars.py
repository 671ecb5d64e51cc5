"""Error bars of estimates: a single measurement's own, narrower where several are combined."""

from fractions import Fraction
from statistics import NormalDist

import numpy as np
import pytest
from tests.protect.tabulate.people import spine_of

import privet as pv
from privet.guarantee import spread
from privet.protect.tabulate._error_bars import widths
from privet.protect.tabulate._spine_plan import make_spine_plan


def plan_of(confidence=0.95, rho="0.5", **options):
    return make_spine_plan(
        spine_of(**options), pv.ZeroConcentratedDP(rho), accounting="zcdp", confidence=confidence
    )


def test_one_measurement_alone_has_its_exact_half_width():
    plan = plan_of(shares={"county": 1}, queries={"detailed": 1})
    (event,) = plan.noise.values()
    assert event.sigma**2 == pytest.approx(1)  # rho = 1/2 for one unit: sigma² = 1 / (2 rho)
    found = widths(plan, 2)[0, 1]
    assert found.tolist() == [spread(event).half_width(0.95)] * 4  # exact: the very same number
    assert found[0] == 2, (
        "a whole number: of the discrete Gaussian of variance 1, 94.2 % lie within 1, 99.5 % within 2"
    )


def test_a_sum_of_independent_measurements_has_the_normal_quantile():
    plan = plan_of(shares={"county": 1}, queries={"detailed": 1})
    quantile = NormalDist().inv_cdf(0.975)
    deviation = spread(plan.noise[2, (0, 1)]).standard_deviation
    # A county's total is six cells, a state's twelve, everybody twenty-four.
    assert widths(plan, 2)[()] == pytest.approx([quantile * deviation * 6**0.5] * 4)
    assert widths(plan, 1)[()] == pytest.approx([quantile * deviation * 12**0.5] * 2)
    assert widths(plan, 0)[()] == pytest.approx([quantile * deviation * 24**0.5])


def test_more_confidence_and_less_budget_are_wider():
    narrow, sure, poor = plan_of(), plan_of(confidence=0.999), plan_of(rho=Fraction(1, 200))
    for depth in range(3):
        for group, width in widths(narrow, depth).items():
            assert np.all(widths(sure, depth)[group] > width)
            assert np.all(widths(poor, depth)[group] > 5 * width)


def test_combining_levels_narrows_what_one_level_says():
    plan = plan_of()
    for (depth, group), event in plan.noise.items():
        alone = spread(event).half_width(plan.confidence)
        assert np.all(widths(plan, depth)[group] <= alone)
    assert widths(plan, 2)[()][0] < 0.9 * spread(plan.noise[2, ()]).half_width(0.95)
