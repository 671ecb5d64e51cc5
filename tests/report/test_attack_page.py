"""The page of attacks: verdicts with their power, curves with a text beside them, nothing unescaped."""

import re
from dataclasses import replace
from xml.etree import ElementTree as ET

import numpy as np

from privet.artifact._risk_estimate import Adversary, AttackCost, IntervalEstimate, RiskEstimate
from privet.attacks import AttackReport
from privet.attacks._attack_scores import area, curve
from privet.attacks._membership_scores import told_apart
from privet.guarantee._promise_registry import KAnonymity, PureDP
from privet.report._attack_figures import log_curves
from privet.report._attack_page import attack_page, save_attack_page


def estimate() -> RiskEstimate:
    draw = np.random.default_rng(1)
    members, others = draw.normal(1, 1, 500), draw.normal(0, 1, 500)
    row = {"group": "<i>most", "members": 5, "separation": 2.0}
    return RiskEstimate(
        attack="membership-<b>",
        measure="AUC",
        success=area(members, others),
        baseline=0.5,
        adversary=Adversary("somebody", ("<u>things",), "black box"),
        cost=AttackCost(1.5, records=1000, models=4),
        control=IntervalEstimate(0.5, 0.4, 0.6),
        bound=0.73,
        promise=PureDP(1),
        detectable=0.99,
        notes=("<script>",),
        details={"curve": curve(members, others).thinned(), "vulnerability": {"ranks": [row], "groups": []}},
    )


def test_a_page_shows_verdict_power_curve_and_tail() -> None:
    page = attack_page(AttackReport((estimate(),), "model <x>", ("lira needs <y>",)))
    assert "Contradicts the promise." in page or "At the edge" in page
    for said in (
        "0.99",
        "0.73",
        "Who carries the risk",
        "Skipped (reasons below)",
        "The same as a table",
        "log axes",
    ):
        assert said in page
    assert not re.search(r"<(b|i|u|x|y)>(?!\d|member|attack)", page.replace("<b>membership-&lt;b&gt;", ""))
    assert "<script" not in page
    assert "http-equiv" in page


def test_figures_are_well_formed_and_say_their_numbers() -> None:
    svg = log_curves([("a & b", [0, 0.001, 1], [0, 0.5, 1])], ("the promise", [0.001, 1], [0.1, 1]))
    tree = ET.fromstring(svg)
    told = next(part for part in tree if part.tag.endswith("desc")).text
    assert told == "a & b: 50.0% of members at 1 % false positives"
    assert tree.attrib["role"] == "img"


def test_pages_without_curves_or_promises(tmp_path) -> None:
    bare = replace(estimate(), details={}, promise=KAnonymity(3), control=None, bound=None)
    page = attack_page(AttackReport((bare,), "table"))
    assert "<svg" not in page
    assert "Who carries the risk" not in page
    with_curve = replace(estimate(), promise=KAnonymity(3))
    assert "the promise allows</text>" not in attack_page(AttackReport((with_curve,), "table"))
    assert save_attack_page(AttackReport((bare,), "table"), tmp_path / "a.html").read_text() == page


def test_a_page_has_the_low_rates_with_intervals_and_says_how_sure_all_is() -> None:
    draw = np.random.default_rng(2)
    members, others = draw.normal(1, 1, 500), draw.normal(0, 1, 500)
    one = replace(
        estimate(),
        details=told_apart(members, others, PureDP(1), 0.95),
        unfair="Members and control are told apart.",
    )
    page = attack_page(AttackReport((one,), "model", (), 0.95))
    rates = one.details["true positives"]
    for said in ("0.1 %", "1 %"):
        rate = rates[said]
        assert f"{rate['value']:.4g} [{rate['low']:.4g}, {rate['high']:.4g}]" in page
        assert f"at {said} false positives" in page
    assert "hold together with 0.95 confidence" in page
    assert "Members and control are told apart." in page
    assert "Inconclusive." in page
