"""Pictures of an audit: bars, curves and squares, by their numbers."""

from xml.etree import ElementTree

import pytest

from privet.report import _audit_figures as figures

ODD = 'a<b>&"c"'


def shapes(svg: str, tag: str) -> list:
    return ElementTree.fromstring(svg).findall(f".//{{http://www.w3.org/2000/svg}}{tag}")


def test_a_histogram_has_a_bar_for_each_size() -> None:
    svg = figures.histogram([("1", 10, 10), ("2", 5, 2), ("3+", 0, 0)], title="t")
    heights = [float(bar.get("height")) for bar in shapes(svg, "rect")]
    assert len(heights) == 3
    assert heights[0] == pytest.approx(2 * heights[1], abs=0.2)
    assert heights[2] == 0


def test_a_curve_shows_both_lines_or_one() -> None:
    both = figures.curve([(1, 0.1, 0.1, 0.1, 0.5), (2, 0.4, 0.3, 0.5, 0.9)], title="t")
    one = figures.curve([(1, 0.1, 0.1, 0.1, None), (2, 0.4, 0.3, 0.5, None)], title="t")
    assert len(shapes(both, "circle")) == 4
    assert len(shapes(one, "circle")) == 2
    assert shapes(figures.curve([(1, 0.0, 0.0, 0.0, 0.0)], title="t"), "circle")


def test_bars_and_heat_map_escape_names() -> None:
    assert len(shapes(figures.bars([(ODD, 0.5)], title=ODD), "rect")) == 2
    svg = figures.heat_map([ODD, "b"], [[0.1, 0.2], [None, 1.0]], title="t")
    assert len(shapes(svg, "rect")) == 3


def test_labels_of_sizes() -> None:
    assert figures.ladder([(1, 1), (3, 4), (1000, None)]) == ["1", "3-4", "1000+"]


def test_shades_grow_with_the_share_and_most_of_all_near_one() -> None:
    marks = [figures._contrast(share) for share in (0, 0.5, 0.9, 0.99, 1)]
    assert marks == pytest.approx([0, 0.15, 0.45, 0.75, 1])
    assert figures._contrast(0.95) == pytest.approx(0.45 + 0.3 * 5 / 9)


def test_large_numbers_are_short_and_shares_are_not_rounded_to_all() -> None:
    assert [figures._number(value) for value in (999, 9_999, 12_345, 2_500_000)] == [
        "999",
        "9,999",
        "12.3k",
        "2.5M",
    ]
    assert [figures._percent(share) for share in (0.5, 0.9949, 0.9996, 1)] == [
        "50.0%",
        "99.5%",
        "99.96%",
        "100.0%",
    ]
