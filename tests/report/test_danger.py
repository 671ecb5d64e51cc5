"""A dangerous result is first and not green, and kinds of measures do not share an axis."""

import re

import pytest

from privet.report._danger import HIGH, LOW, RAISED, danger, danger_of_curve, level
from privet.report._risk_figure import before_and_after_figure, evidence_figure


def result(attack, measure, value, *, baseline=0.5, bound=None, control=None):
    interval = {"value": value, "low": value - 0.01, "high": value + 0.01}
    held = None if control is None else {"value": control, "low": control, "high": control}
    return {
        "attack": attack,
        "measure": measure,
        "success": interval,
        "baseline": baseline,
        "bound": bound,
        "control": held,
    }


@pytest.mark.parametrize(
    ("value", "bound", "expected"),
    [
        (0.95, None, HIGH),
        (0.95, 0.99, HIGH),
        (0.65, None, RAISED),
        (0.51, None, LOW),
        (0.4, None, LOW),
        (0.53, 0.51, HIGH),
    ],
)
def test_an_auc_is_coloured_by_what_it_reached_and_not_by_what_is_allowed(value, bound, expected) -> None:
    one = result("membership-lira", "AUC", value, bound=bound)
    assert level(danger(one)) == expected
    svg = evidence_figure("model", [one])
    (mark,) = re.findall(r'<path[^>]*class="interval (\w+)"', svg)
    assert mark == expected


def test_what_others_reach_too_is_not_counted() -> None:
    assert level(danger(result("inference", "share told", 0.9, baseline=0.3, control=0.9))) == LOW
    assert level(danger(result("inference", "share told", 0.9, baseline=0.3, control=0.4))) == HIGH


def test_each_kind_of_measure_has_its_axis_and_the_worst_is_first() -> None:
    rows = [
        result("calm", "AUC", 0.52),
        result("linkage", "share found", 0.3, baseline=0.0),
        result("worst", "AUC", 0.97),
    ]
    svg = evidence_figure("model", rows)
    places = [svg.index(f">{word}<") for word in ("AUC", "worst", "calm", "share found", "linkage")]
    assert places == sorted(places)
    assert svg.count(">0.5<") == 2  # one axis for each measure
    assert ">0.97<" in svg


def test_a_few_people_found_for_certain_are_danger_though_the_area_is_a_half() -> None:
    assert level(danger_of_curve([0, 0.001, 0.2, 1], [0, 0.15, 0.2, 1])) == RAISED


def test_a_risk_that_is_left_is_not_green() -> None:
    rows = [
        {"measure": "mean", "before": 0.9, "after": 0.05, "allowed": 0.2},
        {"measure": "highest", "before": 1.0, "after": 0.95, "allowed": None},
        {"measure": "broken", "before": 0.4, "after": 0.3, "allowed": 0.2},
    ]
    svg = before_and_after_figure("table", rows)
    bars = re.findall(r'class="is (\w+)"', svg)
    assert bars[:3] == [HIGH, HIGH, LOW]
    assert svg.index(">highest<") < svg.index(">broken<") < svg.index(">mean<")
