"""The picture of epsilon against delta."""

import itertools
import math
import re
import xml.etree.ElementTree as ET

import pytest

from privet.errors import BadAmount
from privet.report._loss_curve import LossCurve, loss_curve

SVG = "{http://www.w3.org/2000/svg}"
CLAIM = LossCurve("privacy-loss distribution", tuple((10.0**-p, 0.25 * p) for p in range(12, 1, -1)))
LOOSE = LossCurve("zero-concentrated", tuple((10.0**-p, 50.0 * p) for p in range(12, 1, -1)))


def drawn(**kwargs):
    curves = kwargs.pop("curves", [CLAIM])
    return loss_curve(curves, title=kwargs.pop("title", "Loss"), **kwargs)


def points_of(svg, index):
    (path,) = [
        p
        for p in ET.fromstring(svg).iter(f"{SVG}path")
        if p.get("class") == f"c c{index}" and "L" in p.get("d")
    ]
    numbers = [float(n) for n in re.findall(r"-?[\d.]+", path.get("d"))]
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def test_title_description_and_role_speak_for_the_picture():
    root = ET.fromstring(drawn(title="Loss of <b>this</b> & that", mark=(1e-6, 1.5), note="Grid 1e-4."))
    assert root[0].tag == f"{SVG}title"
    assert root[0].text == "Loss of <b>this</b> & that"
    assert root[1].tag == f"{SVG}desc"
    assert "Epsilon is 1.5 at delta 1e-06." in root[1].text
    assert "epsilon 3 at 1e-12" in root[1].text
    assert root[1].text.endswith("Grid 1e-4.")
    assert root.get("role") == "img"


def test_it_holds_no_script_and_nothing_from_outside():
    svg = drawn(title='"><script>alert(1)</script>', curves=[CLAIM, LOOSE], mark=(1e-6, 1.5))
    tags = {element.tag.removeprefix(SVG) for element in ET.fromstring(svg).iter()}
    assert tags <= {"svg", "title", "desc", "style", "clipPath", "rect", "text", "path", "circle", "g"}
    assert not re.search(r"\son\w+=|href|@import|url\((?!#)", svg)


def test_the_same_input_gives_the_same_bytes():
    assert drawn(mark=(1e-6, 1.5)) == drawn(mark=(1e-6, 1.5))
    assert "e-1" not in re.sub(r"<(title|desc|text).*?>.*?</\1>", "", drawn())


def test_points_land_where_the_axes_say():
    svg = drawn(mark=(1e-7, 1.75))
    line = points_of(svg, 0)
    assert line[0][0] == pytest.approx(72)
    assert line[-1][0] == pytest.approx(720 - 24)
    steps = {round(b[0] - a[0], 1) for a, b in itertools.pairwise(line)}
    assert len(steps) == 1, "powers of ten stand at equal distances"
    heights = [y for _, y in line]
    assert heights == sorted(heights), "epsilon falls as delta rises"
    dot = ET.fromstring(svg).find(f"{SVG}circle")
    assert (float(dot.get("cx")), float(dot.get("cy"))) == pytest.approx(line[5], abs=0.02)
    assert line[0][1] == pytest.approx(76), "epsilon 3 is the top tick"


def test_a_loose_bound_does_not_squeeze_the_claim_flat():
    alone, beside = points_of(drawn(), 0), points_of(drawn(curves=[CLAIM, LOOSE]), 0)
    height = 440 - 76 - 60
    assert alone[-1][1] - alone[0][1] > 0.8 * height
    assert beside[-1][1] - beside[0][1] > 0.4 * height
    svg = drawn(curves=[CLAIM, LOOSE])
    assert min(y for _, y in points_of(svg, 1)) < 0, "drawn beyond the frame"
    assert svg.count('clip-path="url(#plot)"') == 2


def test_every_curve_is_told_apart_without_colour():
    svg = drawn(curves=[CLAIM, LOOSE, CLAIM, LOOSE])
    style = ET.fromstring(svg).find(f"{SVG}style").text
    dashes = re.findall(r"\.c[123]\{stroke:#\w+;stroke-dasharray:([\d ]+)\}", style)
    assert len(set(dashes)) == 3


@pytest.mark.parametrize("top", [1e-9, 0.003, 0.7, 1.0, 9.99, 1234.5, 1e8])
def test_ticks_are_few_and_round_at_any_size(top):
    svg = drawn(curves=[LossCurve("a", ((1e-9, top), (1e-3, top / 2)))])
    labels = [t.text for t in ET.fromstring(svg).iter(f"{SVG}text") if t.get("text-anchor") == "end"]
    assert 4 <= len(labels) <= 10
    assert len(set(labels)) == len(labels)
    assert float(labels[-1]) >= top * (1 - 1e-6)


def test_flat_zero_and_single_decade_curves_can_be_drawn():
    ET.fromstring(drawn(curves=[LossCurve("a", ((1e-9, 1.0), (1e-3, 1.0)))]))
    ET.fromstring(drawn(curves=[LossCurve("a", ((1e-9, 0.0), (1e-3, 0.0)))]))
    ET.fromstring(drawn(curves=[LossCurve("a", ((2e-6, 2.0), (3e-6, 1.9)))], mark=(2.5e-6, 1.95)))


def test_long_and_unprintable_titles_do_not_break_the_document():
    ET.fromstring(drawn(title="x\x00\x0by" * 100))


@pytest.mark.parametrize(
    "points",
    [(), ((0.1, 1.0),), ((0.1, 1.0), (0.1, 2.0)), ((0.2, 1.0), (0.1, 2.0)), ((0.0, 1.0), (0.1, 1.0)),
     ((0.1, math.inf), (0.2, 1.0)), ((0.1, math.nan), (0.2, 1.0)), ((0.1, -1.0), (0.2, 1.0)), ((0.1, 1.0), (1.0, 1.0))],
)  # fmt: skip
def test_points_that_are_no_curve_are_refused(points):
    with pytest.raises(BadAmount):
        LossCurve("a", points)


@pytest.mark.parametrize("curves", [[], [CLAIM] * 5])
def test_none_and_too_many_curves_are_refused(curves):
    with pytest.raises(BadAmount):
        drawn(curves=curves)


def test_four_labels_have_room():
    labels = ["loss distribution", "Rényi", "zero-concentrated", "basic"]
    svg = drawn(curves=[LossCurve(label, CLAIM.points) for label in labels])
    shown = [text.text for text in ET.fromstring(svg).iter(f"{SVG}text") if text.get("class") == "s"]
    assert shown == labels
