"""The picture of a trade-off: every point in shape, colour and words, and one of them proposed."""

import copy
import re
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from privet.report._tradeoff_figure import tradeoff_figure


def point(technique: str, label: str, utility: float, risk: float, **more: Any) -> dict[str, Any]:
    return {
        "technique": technique,
        "strength": {},
        "label": label,
        "utility": {"value": utility, "low": utility - 0.02, "high": utility + 0.02},
        "utility_name": "AUROC",
        "risk": {"value": risk, "low": max(0.0, risk - 0.03), "high": risk + 0.03},
        "risk_name": "worst attack's advantage",
        "on_frontier": False,
        **more,
    }


def record() -> dict[str, Any]:
    return {
        "schema": 1,
        "artifact": "tradeoff",
        "standing_words": "For the owner only.",
        "points": [
            point("reference", "raw table", 0.75, 0.99, on_frontier=True),
            point("anonymize", "k = 5", 0.70, 0.2),
            point("train", "epsilon = 1", 0.72, 0.05, on_frontier=True),
            point("train", "epsilon = 100", 0.73, 0.06, on_frontier=True, meaningless=True),
        ],
        "knee": {"index": 2, "reason": "", "policy_lines": ""},
    }


def tree(svg: str) -> ET.Element:
    return ET.fromstring(svg)


def named(root: ET.Element, tag: str) -> list[ET.Element]:
    return [part for part in root.iter() if part.tag.endswith("}" + tag)]


def test_every_point_is_said_in_words_with_its_intervals() -> None:
    told = named(tree(tradeoff_figure(record())), "desc")[0].text or ""
    assert "anonymize, k = 5: utility 0.7 (0.68 to 0.72), risk 0.2 (0.17 to 0.23)" in told
    assert "train, epsilon = 1: utility 0.72 (0.7 to 0.74), risk 0.05 (0.02 to 0.08), on the frontier" in told
    assert "proposed: train, epsilon = 1. For the owner only." in told


def test_points_lie_where_their_numbers_say() -> None:
    root = tree(tradeoff_figure(record()))
    circles = {
        title[0].text.partition(":")[0]: (float(part.attrib["cx"]), float(part.attrib["cy"]))
        for part in named(root, "circle")
        if (title := named(part, "title")) and title[0].text
    }
    one, hundred, ring = circles["train, epsilon = 1"], circles["train, epsilon = 100"], circles["proposed"]
    assert ring == one
    assert hundred[0] > one[0]  # more risk lies to the right
    assert hundred[1] < one[1]  # more utility lies higher


def test_techniques_differ_in_shape_and_colour() -> None:
    svg = tradeoff_figure(record())
    marks = re.findall(
        r"<(circle|path) [^>]*?(?:d=\"M[\d. ]+([^\"]*)\")?[^>]*style=\"fill:([^;]+);[^>]*><title>(\w+), ", svg
    )
    shapes = {technique: (tag, outline, fill) for tag, outline, fill, technique in reversed(marks)}
    assert len({shape[:2] for shape in shapes.values()}) == 3
    assert len({shape[2] for shape in shapes.values()}) == 3


def test_a_parameter_that_says_nothing_is_hollow_and_in_the_legend() -> None:
    svg = tradeoff_figure(record())
    assert "epsilon too high to mean anything" in svg
    assert re.search(r"fill:var\(--card,#fff\);[^>]*><title>train, epsilon = 100", svg)
    plain = copy.deepcopy(record())
    plain["points"][3]["meaningless"] = False
    assert "epsilon too high" not in tradeoff_figure(plain)


def test_the_frontier_is_a_staircase_of_its_points_only() -> None:
    svg = tradeoff_figure(record())
    (path,) = re.findall(r'<path d="(M[^"]*)"[^>]*><title>frontier', svg)
    assert path.count("V") == 2
    without = record() | {"points": [one | {"on_frontier": False} for one in record()["points"]]}
    assert "<title>frontier" not in tradeoff_figure(without)


def test_names_are_escaped_and_it_is_the_same_each_time() -> None:
    odd = record()
    odd["points"][1]["label"] = "<script>&"
    odd["points"][1]["technique"] = 'a"<b>'
    svg = tradeoff_figure(odd)
    tree(svg)
    assert "<script" not in svg
    assert svg == tradeoff_figure(odd)


@pytest.mark.parametrize("many", [0, 1, 2, 60])
def test_none_one_equal_and_crowded_points_are_drawn(many: int) -> None:
    some = record() | {
        "points": [point("train", f"epsilon = {at}", 0.5, 0.0) for at in range(many)],
        "knee": None,
    }
    root = tree(tradeoff_figure(some))
    texts = [part for part in named(root, "text") if (part.text or "").startswith("epsilon = ")]
    assert len(texts) <= many
    assert len(texts) == many or many > 2
    boxes = [(float(part.attrib["x"]), float(part.attrib["y"])) for part in texts]
    assert len(set(boxes)) == len(boxes)


def test_nothing_lies_outside_the_picture() -> None:
    wild = record()
    wild["points"][0]["utility"] = {"value": -3.0, "low": -9.0, "high": 0.9}
    root = tree(tradeoff_figure(wild))
    for part in named(root, "circle"):
        assert 0 <= float(part.attrib["cx"]) <= 720
        assert 0 <= float(part.attrib["cy"]) <= 480
