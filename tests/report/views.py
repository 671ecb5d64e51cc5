"""Views in notebooks read as a browser would, and results to show in them; their texts are hostile."""

from html.parser import HTMLParser
from pathlib import Path

import privet as pv
from privet.artifact._risk_estimate import Adversary, AttackCost, IntervalEstimate, RiskEstimate
from privet.attacks._attack_report import AttackReport
from privet.dataset._declaration import Declaration
from privet.pipeline._pareto_frontier import Knee
from privet.pipeline._sweep_disclosure import SweepStanding
from privet.pipeline._sweep_point import SweepPoint

HOSTILE = '<script>alert("1")</script>'
VOID = {"br", "hr", "img", "meta", "link", "input"}


class Checked(HTMLParser):
    """Reads a view: which tags it has, that they close, and the text in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attributes}
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attributes}

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += f" {data}"


def declared_set() -> pv.DataSet:
    part = {
        "name": HOSTILE,
        "source": "stays.csv",
        "unit": {"column": "zip"},
        "budget": {"epsilon": 3},
        "ledger": "a.ledger",
    }
    purpose = {
        "use": HOSTILE,
        "basis": "consent",
        "columns": ["zip"],
        "outputs": ["answer"],
        "recipients": ["us"],
        "expires": "2099-01-01",
    }
    said = Declaration.model_validate(
        {"dataset": part, "columns": {"zip": {"role": "quasi"}}, "purposes": {"beds": purpose}}
    )
    return pv.DataSet(said, Path(), Path("privet.yaml"))


def report(measure: str = "AUC", value: float = 0.6) -> AttackReport:
    found = RiskEstimate(
        attack="membership-loss",
        measure=measure,
        success=IntervalEstimate(value, value - 0.05, value + 0.05),
        baseline=0.5,
        adversary=Adversary(HOSTILE, (HOSTILE,), "black box"),
        cost=AttackCost(1.0),
        control=IntervalEstimate(0.5, 0.45, 0.55),
        bound=0.73,
        promise=pv.PureDP(1),
        detectable=0.9,
        notes=(HOSTILE,),
    )
    return AttackReport((found,), HOSTILE, (HOSTILE,), 0.95)


def tradeoff(standing: SweepStanding = SweepStanding.OWNER_ONLY) -> pv.Tradeoff:
    def point(label: str, utility: float, risk: float) -> SweepPoint:
        return SweepPoint(
            technique="train",
            strength={"epsilon": "1"},
            label=label,
            utility=IntervalEstimate(utility, utility - 0.01, utility + 0.01),
            risk=IntervalEstimate(risk, risk - 0.01, risk + 0.01),
            attack="membership-loss",
            attacks={},
            allowed=0.5,
        )

    return pv.Tradeoff(
        target=HOSTILE,
        standing=standing,
        points=(point("epsilon 1", 0.7, 0.1), point(HOSTILE, 0.8, 0.3)),
        on_frontier=(0, 1),
        knee=Knee(0, False, (0, 1), ()),
        reason=HOSTILE,
        policy_lines="",
        utility_name="AUROC",
        guess=0.5,
        unit="row",
        people=(100, 100),
        spent={},
        confidence=0.95,
        notes=(HOSTILE,),
    )
