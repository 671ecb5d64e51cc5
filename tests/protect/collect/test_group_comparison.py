"""Two sets of reports, and days in a row: differences and slopes with intervals that cover."""

import datetime

import numpy as np
import pytest
from tests.protect.collect.specifications import VALUES, collection

import privet as pv
from privet.errors import ForeignReports, PrivetError
from privet.mechanism import WordStream

DAYS = [datetime.date(2026, 3, day) for day in (1, 2, 4, 7)]


@pytest.mark.parametrize("kind", ["grr", "olh", "hadamard"])
def test_a_change_has_no_bias_and_its_interval_covers(kind: str) -> None:
    """60 pairs: mean scores within 5.5 / √60; 720 intervals at 95 %, within 5 standard errors and some dependence."""
    made, stream = collection(kind, 3), WordStream.seeded(19)
    before, after = ["v0"] * 300 + ["v1"] * 300, ["v0"] * 600 + ["v1"] * 200 + ["v2"] * 100
    truth = np.array([600 / 900 - 0.5, 200 / 900 - 0.5, 100 / 900, *[0] * 9])
    scores, covered = [], []
    for _ in range(60):
        found = pv.estimate_change(made.reports_from(before, stream), made.reports_from(after, stream), made)
        change = found.answers[2]
        low, middle, high = (np.array(one) for one in (change.low, change.values, change.high))
        covered.append((low <= truth) & (truth <= high))
        scores.append((middle - truth) / ((high - low) / 2 / 1.96))
    assert [answer.name for answer in found.answers] == ["before", "after", "change"]
    assert np.abs(np.mean(scores, axis=0)).max() < 5.5 / 60**0.5
    assert 0.9 < np.mean(covered) < 0.99


def test_a_trend_is_found_and_drawn() -> None:
    made, stream = collection("grr", 5), WordStream.seeded(3)
    reports = {
        day: made.reports_from(["v0"] * (1000 + 500 * place) + ["v1"] * (3000 - 500 * place), stream)
        for day, place in zip(DAYS, (0, 1, 3, 6), strict=True)
    }
    found = pv.estimate_trend(reports, made, values=["v0", "v5"])
    slope = found["day"].index(None)
    low, high = found.error("share")[slope]
    assert low < 500 / 4000 < high
    assert found["value"] == ("v0",) * 5 + ("v5",) * 5
    low, high = found.error("share")[-1]
    assert low < 0 < high
    assert "2026-03-07" in found.plot().svg
    assert pv.ReleasedAnswer.from_json(found.to_json()).answers == found.answers


def test_what_cannot_be_compared_is_refused() -> None:
    made, other = collection("grr"), collection("grr", 3)
    good, foreign = made.randomize(VALUES), other.randomize(VALUES)
    with pytest.raises(ForeignReports):
        pv.estimate_change(good, foreign, made)
    for wrong in (
        lambda: pv.estimate_change(good, good, collection("hybrid")),
        lambda: pv.estimate_trend({DAYS[0]: good}, made),
        lambda: pv.estimate_trend({DAYS[0]: good, DAYS[1]: good}, made, values=["nobody"]),
        lambda: pv.estimate_trend({DAYS[0]: good, DAYS[1]: good}, made, confidence=2.0),
    ):
        with pytest.raises(PrivetError):
            wrong()
