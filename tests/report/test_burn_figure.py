"""A budget as bars: widths in proportion, and the same in words."""

import re

import pytest

from privet.report._burn_figure import burn_figure, burn_words

COIN = {"coin": "epsilon", "cap": "4", "before": "1", "this_run": "0.5", "planned": "0.5", "left": "2"}


def widths(svg: str, kind: str) -> list[float]:
    return [
        float(one)
        for rect in re.findall(rf'<rect[^>]*class="{kind}"[^>]*>', svg)
        for one in re.findall(r' width="([0-9.]+)"', rect)
    ]


def test_bars_are_in_proportion() -> None:
    svg = burn_figure("data set", [COIN], key="a")
    bar, legend = widths(svg, "spent")
    assert bar == pytest.approx(358 / 4, abs=0.1)
    assert legend == 12
    assert widths(svg, "fresh")[0] == pytest.approx(358 / 8, abs=0.1)


def test_what_was_overspent_stays_inside_the_bar() -> None:
    svg = burn_figure("data set", [{**COIN, "before": "5", "left": "-2"}], key="a")
    assert widths(svg, "spent")[0] <= 358
    assert len(widths(svg, "fresh")) == 1, "only that of the legend"


def test_a_budget_of_nought_is_drawn() -> None:
    nothing = {"coin": "delta", "cap": "0", "before": "0", "this_run": "0", "planned": "0", "left": "0"}
    assert burn_figure("data set", [nothing], key="a").count("<rect") == 1 + 4


def test_words_name_what_is_planned_only_if_something_is() -> None:
    assert burn_words(COIN) == "epsilon: 1 spent before, 0.5 in this run, 0.5 planned, 2 left of 4"
    assert "planned" not in burn_words({**COIN, "planned": "0"})


def test_patterns_of_several_pictures_are_kept_apart_and_names_escaped() -> None:
    svg = burn_figure("<b>", [COIN], key="care")
    assert 'id="hatch-care"' in svg
    assert "url(#hatch-care)" in svg
    assert "<b>" not in svg
