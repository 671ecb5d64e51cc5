"""People of a region: distinct numbers, ages within a lifetime, and draws in proportion."""

import numpy as np
import pyarrow.compute as pc
import pytest

from privet.examples._hospital_vocabulary import MEN, WOMEN
from privet.examples._made_up_people import LAST_DAY, population, weighted, zip_codes


@pytest.fixture(scope="module")
def people():
    return population(20_000, np.random.default_rng(5))


def test_numbers_are_distinct_and_never_issued(people):
    numbers = people.ssn.to_pylist()
    assert len(set(numbers)) == 20_000
    assert all(one[0] == "9" and one[4:6] != "00" and one[7:] != "0000" for one in numbers)


def test_the_walk_over_numbers_meets_each_once():
    """Its stride shares no factor with the space, 100 · 99 · 9,999."""
    assert np.gcd(61_803_403, 100 * 99 * 9_999) == 1


def test_ages_are_within_a_lifetime(people):
    ages = (LAST_DAY - people.born) / 365.25
    assert 0 < ages.min() < 1
    assert 95 < ages.max() < 103


def test_the_youngest_are_cut_off_from_below():
    grown = population(2_000, np.random.default_rng(5), youngest=18)
    assert ((LAST_DAY - grown.born) / 365.25).min() >= 18


def test_first_names_go_with_sex(people):
    first = np.array([name.split()[0] for name in people.name.to_pylist()])
    assert set(first[people.sex == 0]) <= set(WOMEN)
    assert set(first[people.sex == 1]) <= set(MEN)
    assert {0, 1, 2} == set(people.sex.tolist())


def test_women_outnumber_men_in_old_age(people):
    """63 % of those over ninety by the rule; six standard errors below it are still above half."""
    old = people.sex[(LAST_DAY - people.born) / 365.25 > 85]
    assert len(old) > 500
    assert np.mean(old == 0) > 0.5


def test_people_live_in_the_region(people):
    assert set(map(int, pc.unique(people.zip).to_pylist())) <= set(zip_codes().tolist())


def test_draws_are_in_proportion():
    """One in four to three in four, and never what has no weight; six standard errors."""
    drawn = np.bincount(weighted((1, 0, 3), 40_000, np.random.default_rng(1)), minlength=3) / 40_000
    assert drawn[1] == 0
    assert abs(drawn[0] - 0.25) < 6 * (0.25 * 0.75 / 40_000) ** 0.5


def test_the_same_source_gives_the_same_people():
    once, again = (population(50, np.random.default_rng(9)) for _ in range(2))
    assert once.name.equals(again.name)
    assert (once.born == again.born).all()
