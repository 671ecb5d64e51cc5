"""The figures that the U.S. Census Bureau signed, from events and from a plan with its shares."""

import math
from fractions import Fraction

import pytest
from tests.protect.tabulate.people import KEYS, opened

import privet as pv
from privet.guarantee._calibration import gaussian_sigma
from privet.guarantee._composition import epsilon_for
from privet.guarantee._events import Composed, DiscreteGaussian, ZeroConcentrated
from privet.guarantee._expected_error import spread
from privet.guarantee._zero_concentrated import zcdp_cost

PERSONS, UNITS = Fraction(293764, 114921), Fraction(11417641, 152349649)
SHARES = (104, 1440, 447, 687, 1256, 165)


def test_the_published_rho_gives_the_published_epsilon():
    levels = Composed([ZeroConcentrated(PERSONS * Fraction(n, sum(SHARES))) for n in SHARES])
    assert sum(SHARES) == 4099
    assert zcdp_cost(levels).rho == PERSONS
    assert epsilon_for(levels, "1e-10", accountant="zcdp").epsilon == pytest.approx(17.14355074, abs=5e-9)
    assert epsilon_for(ZeroConcentrated(UNITS), "1e-10", accountant="zcdp").epsilon == pytest.approx(
        2.47, abs=5e-3
    )


def test_a_spine_with_its_shares_costs_what_was_published():
    """A replaced person moves two entries by one each, so rho is 1 / sigma²; a single total has one entry to move."""
    unit = pv.Person("id", max_rows=1, change=pv.Change.REPLACE)
    spine = pv.spine(
        opened(unit=unit),
        ["state", "county"],
        ["sex", "age"],
        leaves=[("N", "Hill"), ("N", "Lake"), ("S", "Bay")],
        keys=KEYS,
        shares={"all": 104, "state": 1440, "county": 447 + 687 + 1256 + 165},
    )
    plan = pv.explain(spine, pv.ZeroConcentratedDP(PERSONS)).plan
    assert epsilon_for(plan.event, "1e-10", accountant="zcdp").epsilon == pytest.approx(17.14355074, abs=1e-6)
    for (depth, group), share in spine.strategy.shares:
        event = plan.noise[depth, group]
        moved = 1 if (depth, group) == (0, ()) else 2
        assert (event.sensitivity, event.coordinates) == (1, moved)
        assert float(moved / (2 * event.sigma**2)) == pytest.approx(float(PERSONS * share), rel=1e-9)


def test_the_published_error_of_a_county_follows():
    """76 % of the county's share went to its total: off by 1.73 persons on average, before fitting, in the normal limit."""
    rho = PERSONS * Fraction(447, 4099) * Fraction(76, 100)
    event = DiscreteGaussian(gaussian_sigma(rho, 1, coordinates=2), 1, coordinates=2)
    assert spread(event).standard_deviation == pytest.approx(2.17, abs=0.005)
    assert spread(event).standard_deviation * math.sqrt(2 / math.pi) == pytest.approx(1.73, abs=0.005)
