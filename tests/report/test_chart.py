"""The parts that every figure is drawn with: places, text that stays text, round ticks, and one opening of a picture."""

from __future__ import annotations

import ast
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import privet.report
from privet.report._chart import (
    Plot,
    Scale,
    cut,
    legend,
    line,
    mark,
    path,
    picture,
    round_step,
    short,
    text,
    ticks,
)

ODD = '</text><script>alert("x")</script>\x00'
ROOM = Path(privet.report.__file__).parent


def test_a_scale_puts_ends_at_ends_and_keeps_values_inside() -> None:
    scale = Scale(10, 20, 100, 300)
    assert [scale(value) for value in (10, 15, 20, 5, 99)] == [100, 200, 300, 100, 300]
    assert Scale(10, 20, 100, 300, clamped=False)(25) == 400
    assert Scale(7, 7, 100, 300)(7) == 100, "nothing to tell apart"


def test_a_log_scale_gives_every_decade_the_same_room() -> None:
    scale = Scale(1e-4, 1, 0, 400, log=True)
    assert [scale(10.0**power) for power in (-4, -3, -2, -1, 0)] == pytest.approx([0, 100, 200, 300, 400])
    assert scale(0) == 0, "what no logarithm has stays at the end"


def test_a_plot_counts_upwards() -> None:
    plot = Plot(200, 100, left=20, right=10, top=5, bottom=15)
    assert (plot.x(0, 1)(0), plot.x(0, 1)(1)) == (20, 190)
    assert (plot.y(0, 1)(0), plot.y(0, 1)(1)) == (85, 5)


def test_no_text_becomes_markup() -> None:
    plot = Plot(200, 100, left=20, right=10, top=5, bottom=15)
    parts = [
        text(0, 0, ODD, kind=ODD),
        mark("rect", ODD, fill=ODD),
        legend([(path("M0 0"), ODD)], [(0, 0)], gap=4),
        plot.axis_names(ODD, ODD),
        plot.x_ticks(plot.x(0, 1), [(0, ODD)]),
        plot.y_ticks(plot.y(0, 1), [(0, ODD)]),
    ]
    drawn = picture(200, 100, ODD, ODD, parts)
    tree = ET.fromstring(drawn)
    assert {one.tag.rpartition("}")[2] for one in tree.iter()} == {
        "svg",
        "title",
        "desc",
        "text",
        "rect",
        "g",
        "path",
    }
    assert drawn.count("&lt;script&gt;") == 11
    assert drawn == picture(200, 100, ODD, ODD, parts), "the same to the byte"


def test_a_picture_says_itself_in_words_first() -> None:
    tree = ET.fromstring(picture(10, 5, "T", "D", [line([(0, 0), (1, 2)])]))
    assert [one.tag.rpartition("}")[2] for one in tree] == ["title", "desc", "path"]
    assert tree.get("role") == "img"
    assert tree.get("viewBox") == "0 0 10 5"


def test_ticks_are_round_and_reach_the_ends() -> None:
    assert ticks(0, 1) == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1])
    assert ticks(-0.05, 0.33) == pytest.approx([-0.05, 0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3])
    for span in (1e-7, 0.03, 1, 7.7, 12345):
        assert 4 <= span / round_step(span) <= 8


def test_nothing_to_draw_is_nothing() -> None:
    assert line([]) == ""
    assert mark("rect", kind="", x=0, fill=None) == '<rect x="0"/>'
    assert (short(1.0), short(2.345), short(-0.5)) == ("1", "2.35", "-0.5")
    assert (cut("abcdef", 4), cut("abcd", 4)) == ("abc…", "abcd")


def test_pictures_are_opened_in_one_place() -> None:
    """A second drawer would have its own escaping and its own faults."""
    strings = {
        module.name: [
            node.value
            for node in ast.walk(ast.parse(module.read_text(encoding="utf-8")))
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]
        for module in ROOM.glob("*.py")
    }
    assert [name for name, found in strings.items() if any("<svg" in one for one in found)] == ["_chart.py"]
