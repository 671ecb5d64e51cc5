"""Pictures and pages of an audit: valid, complete, the same each time, and without values."""

from xml.etree import ElementTree

import pyarrow as pa
import pytest

from privet.audits import audit
from privet.report import _audit_figures as figures
from privet.report._audit_page import audit_page, public_page, save_audit_page

ODD = 'a<b>&"c"'


@pytest.fixture(scope="module")
def found():
    table = pa.table({ODD: [1, 1, 2, 3], "zip": ["1", "2", None, "2"], "s": ["x", "y", "x", "y"]})
    return audit(table, quasi=[ODD, "zip"], sensitive=["s"], unit="row")


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


def test_pages_are_the_same_each_time_and_escape_names(found) -> None:
    page = audit_page(found)
    assert page == audit_page(found)
    assert ODD not in page
    assert "a&lt;b&gt;&amp;" in page
    assert "What missing values change" in page
    assert ODD not in public_page(found.publishable())


def test_the_page_follows_the_type(found, tmp_path) -> None:
    owner = save_audit_page(found, tmp_path / "a.html").read_text(encoding="utf-8")
    others = save_audit_page(found.publishable(), tmp_path / "p.html").read_text(encoding="utf-8")
    assert "For the owner of the table only" in owner
    assert "For others than the owner" in others


def test_a_page_is_small(found) -> None:
    assert len(audit_page(found).encode()) < 150_000
