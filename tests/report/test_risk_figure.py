"""What attacks reached, and risks before and after: order, words and what can be drawn."""

import pytest

from privet.report._risk_figure import (
    before_and_after_figure,
    change_words,
    drawable,
    evidence_figure,
    evidence_words,
    interval,
)


def result(value: float = 0.6, low: float = 0.5, high: float = 0.7, **more) -> dict:
    return {
        "attack": "x", "measure": "AUC", "success": {"value": value, "low": low, "high": high},
        "baseline": 0.5, "bound": None, "control": None, **more,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("one", "can"),
    [
        (result(), True), (result(high=1.01), False), (result(low=-0.01), False), (result(baseline=1.2), False),
        (result(bound=2.0), False), (result(control={"value": 0.9, "low": 0.5, "high": 1.1}), False), (result(high=1.0, bound=1.0), True),
    ],
)  # fmt: skip
def test_only_what_lies_between_nought_and_one_is_drawn(one: dict, can: bool) -> None:
    assert drawable(one) is can


def test_words_have_the_interval_where_there_is_one() -> None:
    assert interval({"value": 0.5, "low": 0.5, "high": 0.5}) == "0.5"
    assert evidence_words(result(bound=0.73)) == "x, AUC: 0.6 (0.5 to 0.7), guessing 0.5, allowed 0.73"


def test_names_are_escaped_and_the_description_has_the_numbers() -> None:
    svg = evidence_figure("<b>", [result(attack="<i>")])
    assert "<b>" not in svg
    assert "<i>" not in svg
    assert "0.6 (0.5 to 0.7), guessing 0.5" in svg


def change(measure: str, before: float, after: float, allowed: float | None = None) -> dict:
    return {"measure": measure, "before": before, "after": after, "allowed": allowed}


def test_the_largest_risk_that_is_left_comes_first() -> None:
    svg = before_and_after_figure("t", [change("small", 1.0, 0.1), change("large", 0.5, 0.4)])
    assert svg.index("large") < svg.index("small")
    assert change_words(change("m", 1.0, 0.2, 0.25)) == "m: 100 % before, 20 % after, allowed 25 %"


def test_a_risk_beyond_what_is_allowed_is_marked_as_high() -> None:
    assert 'class="is high"' in before_and_after_figure("t", [change("m", 0.3, 0.11, 0.1)])
    assert 'class="is high"' not in before_and_after_figure("t", [change("m", 0.3, 0.09, 0.1)])
