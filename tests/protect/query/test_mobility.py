"""Mobility reports: the paper's budget, what is withheld, and changes that are there."""

import datetime
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import privet as pv
from privet import examples
from privet.errors import BadQuery, BudgetExceeded, PromiseUnmeetable
from privet.protect.query._mobility import Mobility, mobility, release_mobility

FIRST = datetime.date(2020, 1, 6)
DAYS = [FIRST + datetime.timedelta(days=i) for i in range(42)]


def report(people: int = 3000) -> Mobility:
    places = examples.regions().to_pydict()
    table = pv.open_table(examples.visits(people), unit=pv.Person("user_day"), name="visits")
    areas = {
        "country": {"Example": 1e6},
        "state": dict.fromkeys(places["state"], 1e4),
        "county": dict(zip(places["county"], places["area"], strict=True)),
    }
    return mobility(
        table,
        levels=("country", "state", "county"),
        regions=areas,
        categories=("grocery", "parks", "retail", "transit"),
        days=DAYS,
        baseline=DAYS[:35],
    )


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory):
    ledger = pv.Ledger(tmp_path_factory.mktemp("mobility") / "l", limit=pv.PureDP("2.64"))
    with ledger:
        return pv.release(report(), pv.PureDP("2.64"), ledger=ledger, why="a report"), ledger.balance()


def test_a_persons_day_costs_what_the_paper_says(released) -> None:
    """4 (0.11 + 0.11 + 0.22) + 0.44 + 0.44 = 2.64 (Aktay et al. 2020)."""
    assert report(people=1).epsilon == Fraction("2.64")
    assert released[1].remaining == {"epsilon": 0}
    shares = sorted({name[0] + str(a.promise.epsilon) for name, a in released[0].answers.items()})
    assert shares == ["home11/100", "home11/50", "visits11/25", "visits22/25", "work11/100", "work11/50"]


def test_regions_below_three_square_kilometres_are_never_asked_about(released) -> None:
    tiny = "County 2.4"
    assert all(tiny not in answer.keys.get("county", ()) for answer in released[0].answers.values())
    assert any("smaller than 3 km²" in note for note in released[0].notes)


def test_what_is_shown_is_reliable(released) -> None:
    found = released[0]
    assert found.shown()
    for one in found.shown():
        assert one.low <= one.change <= one.high
        assert max(one.high - one.change, one.change - one.low) <= 0.10
    reasons = {one.withheld for one in found.changes}
    assert "fewer than 100 noisy users" in reasons


def test_the_changes_are_those_that_were_made(released) -> None:
    """People stay at home in the last week: retail 0.45 of before, work half, hours at home 16 after 13."""
    country = [one for one in released[0].shown() if one.level == "country"]
    made = {"retail": -0.55, "residential": 3 / 13, "workplaces": -0.5}
    for title, truth in made.items():
        changes = [one.change for one in country if one.category == title and one.day.weekday() < 5]
        assert changes
        assert np.median(changes) == pytest.approx(truth, abs=0.06)


def test_too_little_budget_or_the_wrong_promise_spends_nothing(tmp_path) -> None:
    with pv.Ledger(tmp_path / "l", limit=pv.PureDP(2)) as ledger:
        with pytest.raises(BudgetExceeded):
            release_mobility(report(50), pv.PureDP(3), ledger=ledger, why="x")
        for promise in (pv.PureDP(2), pv.ApproxDP(3, 1e-6)):
            with pytest.raises(PromiseUnmeetable, match=r"2\.64"):
                release_mobility(report(50), promise, ledger=ledger, why="x")
        assert ledger.balance().remaining == {"epsilon": 2}


def test_faults_are_found_before_anything_is_read() -> None:
    whole = report(10)
    with pytest.raises(BadQuery, match="weekday"):
        mobility(
            whole.visits,
            levels=("country",),
            regions={"country": {"Example": 9.0}},
            categories=("parks",),
            days=DAYS,
            baseline=DAYS[:3],
        )
    with pytest.raises(BadQuery, match="hides one person's day"):
        list(replace(whole, visits=replace(whole.visits, unit=pv.Row())).questions())


def test_the_record_holds_everything_that_was_released(released) -> None:
    record = released[0].to_json()
    assert record["unit"] == "one person's day"
    assert len(record["answers"]) == 9
    assert len(record["changes"]) == len(released[0].changes)
