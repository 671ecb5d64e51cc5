"""Made-up visits: the last weeks are spent at home, and nothing links the days of a person."""

import datetime

import pyarrow.compute as pc
import pytest

from privet.errors import BadExample
from privet.examples._mobility_visits import BASELINE_WEEKS, FIRST_DAY, PLACES, regions, visits


@pytest.fixture(scope="module")
def table():
    return visits(people=300)


def test_the_list_of_regions():
    found = regions(3, 2)
    assert found["county"].to_pylist()[:3] == ["County 1.1", "County 1.2", "County 2.1"]
    assert found["area"].to_pylist()[-1] == pytest.approx(2.1), "too small to be shown"
    assert min(found["area"].to_pylist()[:-1]) >= 300


def test_everybody_is_at_home_on_each_day(table):
    home = table.filter(pc.equal(table["category"], "residential"))
    assert home.num_rows == 300 * 42
    assert len(pc.unique(table["user_day"])) == 300 * 42
    counted = table.group_by(["user_day", "category"]).aggregate([([], "count_all")])
    assert pc.max(counted["count_all"]).as_py() == 1, "each place once on a day"


def test_nobody_works_on_weekends(table):
    assert FIRST_DAY.weekday() == 0
    worked = pc.unique(table.filter(pc.equal(table["category"], "workplaces"))["day"]).to_pylist()
    assert {day.weekday() for day in worked} == {0, 1, 2, 3, 4}


def test_people_stay_at_home_after_the_baseline(table):
    """Retail falls to 45 in 100: of 300 people, 120 on an ordinary day and 54 later."""
    turn = FIRST_DAY + datetime.timedelta(weeks=BASELINE_WEEKS)
    retail = table.filter(pc.equal(table["category"], "retail"))
    later = pc.sum(pc.greater_equal(retail["day"], turn)).as_py() / 7
    before = (retail.num_rows - 7 * later) / 35
    assert 110 < before < 130
    assert 40 < later < 68
    assert set(PLACES) < set(pc.unique(table["category"]).to_pylist())


def test_a_person_stays_in_one_county(table):
    homes = table.select(["user_day", "county"]).group_by(["user_day", "county"]).aggregate([])
    assert homes.num_rows == 300 * 42


def test_hours_fit_into_a_day(table):
    assert pc.min(table["hours"]).as_py() >= 0
    assert pc.max(table["hours"]).as_py() <= 24


def test_the_same_seed_gives_the_same_visits_and_another_does_not():
    assert visits(20, 3).equals(visits(20, 3))
    assert not visits(20, 3).equals(visits(20, 3, seed=8))


@pytest.mark.parametrize("asked", [{"people": 0}, {"days": 0}])
def test_visits_of_nobody_are_refused(asked):
    with pytest.raises(BadExample, match="E-EXAMPLE-001"):
        visits(**asked)
