"""Curves on log axes: rates by hand, colours by danger."""

import pytest

from privet.report._attack_figures import _at, log_curves
from privet.report._danger import LOW, danger_of_curve, level


def test_curves_are_sorted_and_coloured_by_danger() -> None:
    svg = log_curves([("quiet", [0, 0.5, 1], [0, 0.5, 1]), ("loud", [0, 0.001, 1], [0, 0.9, 1])])
    assert svg.index(">loud</text>") < svg.index(">quiet</text>")
    assert "stroke:var(--direct)" in svg
    assert danger_of_curve([0, 0.001, 1], [0, 0.9, 1]) > 0.5
    assert level(danger_of_curve([0, 0.5, 1], [0, 0.5, 1])) == LOW


def test_the_members_found_at_a_rate_by_hand() -> None:
    false, true = [0.0, 0.005, 0.01, 0.5, 1.0], [0.0, 0.1, 0.2, 0.7, 1.0]
    assert _at(false, true, 0.01) == pytest.approx(0.2)
    assert _at(false, true, 0.009) == pytest.approx(0.1)
    assert _at([0.5], [0.9], 0.01) == 0


def test_the_promise_is_drawn_where_there_is_one_and_names_are_escaped() -> None:
    curve = ("<b>", [0.0, 1.0], [0.0, 1.0])
    assert "the promise allows" not in log_curves([curve])
    svg = log_curves([curve], ("bound", [0.0, 1.0], [0.1, 1.0]))
    assert "the promise allows" in svg
    assert "<b>" not in svg
