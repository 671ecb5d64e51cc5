"""Styles of views: they reach nothing else, and read in light and dark."""

import re

import numpy as np
import pytest

from privet.report._notebook_style import PICTURE_IN_VIEW_STYLE, PICTURE_STYLE


def test_styles_reach_only_into_views_and_read_in_light_and_dark() -> None:
    rules = re.findall(r"([^{}]+)\{", PICTURE_IN_VIEW_STYLE)
    parts = [part.strip() for rule in rules for part in rule.split(",")]
    assert parts
    assert [part for part in parts if not part.startswith(".privet-view")] == []
    assert "prefers-color-scheme: dark" in PICTURE_STYLE
    # Every class that a figure may use has a rule in both.
    for name in (
        "reached",
        "interval",
        "allowed",
        "guess",
        "risky",
        "calm",
        "grid",
        "was",
        "is.low",
        "is.high",
        "reached.high",
        "strong",
    ):
        assert f"svg .{name} " in PICTURE_STYLE
        assert f".privet-view svg .{name} " in PICTURE_IN_VIEW_STYLE


@pytest.mark.parametrize("ground", [(255, 255, 255), (17, 17, 17)])
def test_colours_stand_out_on_white_and_on_black(ground: tuple[int, int, int]) -> None:
    """WCAG 2.2 asks for 3:1 between a mark and what is behind it."""
    view = re.search(r"\.privet-view \{([^}]*)\}", PICTURE_IN_VIEW_STYLE)
    assert view
    marks = dict(re.findall(r"--(leaf|risk|direct|quasi|sensitive|free|open): #([0-9a-f]{6})", view[1]))
    assert len(marks) == 7
    for name, colour in marks.items():
        mark = tuple(int(colour[at : at + 2], 16) for at in (0, 2, 4))
        bright, dark = sorted((luminance(mark), luminance(ground)), reverse=True)
        assert (bright + 0.05) / (dark + 0.05) >= 3, name


def luminance(colour: tuple[int, ...]) -> float:
    parts = np.array(colour) / 255
    linear = np.where(parts <= 0.03928, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])
