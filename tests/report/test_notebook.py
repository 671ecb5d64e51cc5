"""What notebooks show: escaped, without scripts, marked where it is the owner's, and never a row of a private table."""

import re
import xml.dom.minidom
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import privet as pv
from privet import examples
from privet.artifact._notebook_display import Displayed, Pictured
from privet.artifact._receipt import FORGETS
from privet.artifact._risk_estimate import Adversary, AttackCost, IntervalEstimate, RiskEstimate
from privet.attacks._attack_report import AttackReport
from privet.dataset._declaration import Declaration
from privet.errors import NothingToDraw
from privet.pipeline._pareto_frontier import Knee
from privet.pipeline._sweep import SweepPoint
from privet.pipeline._sweep_disclosure import SweepStanding
from privet.report import _notebook as notebook
from privet.report._notebook_html import MOST_ROWS, OWNER, table
from privet.report._notebook_style import PICTURE_IN_VIEW_STYLE, PICTURE_STYLE

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


@pytest.fixture(scope="module")
def shown() -> dict[str, Any]:
    """One of everything that is shown."""
    stays = examples.hospital(300)
    patients = pv.open_table(
        stays,
        name=HOSTILE,
        unit=pv.Person("patient_id", max_rows=10, max_groups=3),
        bounds={"days": (0, 60)},
        keys={"ward": ["ICU", HOSTILE], "sex": ["F", "M", "X"], "readmitted": [True, False]},
        roles={"name": "direct", "zip": "quasi", "sex": "quasi", "diagnosis": "sensitive"},
    )
    ledger = pv.Ledger.in_memory(limit=pv.ApproxDP(8, 1e-4))
    question = patients.group_by("ward").agg(n=pv.count())
    answer = pv.release(question, pv.PureDP(1), ledger=ledger, why=HOSTILE)
    audit = pv.audit(patients)
    rows = pv.open_table(stays, unit=pv.Row(), roles={"zip": "quasi", "sex": "quasi"})
    anonymized = pv.anonymize(rows, pv.KAnonymity(3), max_suppressed=0.2)
    spine = pv.spine(patients, ["ward"], ["sex"])
    public = pv.open_public(stays.select(["ward"]).slice(0, 3), name=HOSTILE)
    return {
        "table": patients,
        "view": patients.join(pv.open_public(stays.select(["ward"]).slice(0, 1), name="wards"), "ward"),
        "public table": public,
        "explanation": pv.explain(question, pv.PureDP(1), ledger=ledger),
        "spine explanation": pv.explain(spine, pv.ApproxDP(1, 1e-6)),
        "answer": answer,
        "hierarchy": pv.release(spine, pv.ApproxDP(1, 1e-6), ledger=ledger, why="all"),
        "released table": anonymized,
        "published table": anonymized.published(),
        "model": pv.train(
            patients,
            pv.ApproxDP(1, 1e-6),
            target="readmitted",
            columns=["sex", "days"],
            records=300,
            ledger=ledger,
        ),
        "audit": audit,
        "public audit": audit.publishable(),
        "attacks": report(),
        "risk": report()[0],
        "tradeoff": tradeoff(),
        "ledger": ledger,
        "data set": declared_set(),
        "bare data set": pv.DataSet.bare(stays),
    }


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


KINDS = (
    "table", "view", "public table", "explanation", "spine explanation", "answer", "hierarchy", "released table",
    "published table", "model", "audit", "public audit", "attacks", "risk", "tradeoff", "ledger", "data set",
    "bare data set",
)  # fmt: skip
PICTURES = ("answer", "attacks", "audit", "ledger", "released table", "tradeoff")


@pytest.mark.parametrize("kind", KINDS)
def test_a_view_is_escaped_whole_and_without_scripts(kind: str, shown: dict[str, Any]) -> None:
    text = shown[kind]._repr_html_()
    found = Checked(text)
    assert not found.tags & {"script", "iframe", "link", "img", "object", "form", "b"}
    assert not [name for name in found.attributes if name.startswith("on") or name in {"src", "href"}]
    assert HOSTILE not in text
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    assert len(found.text.strip()) > 20


@pytest.mark.parametrize("kind", ["table", "answer", "attacks", "tradeoff", "public table"])
def test_what_is_hostile_is_shown_as_it_is_written(kind: str, shown: dict[str, Any]) -> None:
    assert HOSTILE in Checked(shown[kind]._repr_html_()).text


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_the_owner_s_says_so_and_nothing_else_does(kind: str, shown: dict[str, Any]) -> None:
    owner = kind in {"audit", "attacks", "risk", "tradeoff", "released table"}
    assert (OWNER in Checked(shown[kind]._repr_html_()).text) is owner


def test_a_trade_off_on_public_data_is_not_the_owner_s() -> None:
    assert OWNER not in Checked(tradeoff(SweepStanding.PUBLIC)._repr_html_()).text
    assert OWNER not in tradeoff(SweepStanding.PUBLIC).plot().audience


def test_a_private_table_shows_what_was_said_about_it_and_no_row(shown: dict[str, Any]) -> None:
    for kind in ("table", "view", "explanation"):
        text = Checked(shown[kind]._repr_html_()).text
        private = examples.hospital(300).select(["name", "ssn", "email", "zip"]).to_pydict()
        held = {value for values in private.values() for value in values}
        assert not [value for value in held if value in text]
    text = Checked(shown["table"]._repr_html_()).text
    for said in (
        "quasi",
        "sensitive",
        "in [0, 60]",
        "stated by the caller",
        "everything one person contributes",
    ):
        assert said in text
    assert "300" not in text


def test_every_kind_of_result_has_a_view_and_every_picture_a_drawer() -> None:
    kinds = {cls._drawn_as: cls for cls in every(Displayed) if "_drawn_as" in vars(cls)}
    assert set(kinds) == set(notebook.PAGES)
    assert {name for name, cls in kinds.items() if issubclass(cls, Pictured)} == set(notebook.PICTURES)
    for place in (*notebook.PAGES.values(), *notebook.PICTURES.values()):
        assert callable(notebook._drawer(place))


def every(cls: type) -> set[type]:
    for name in pv.__all__:
        getattr(pv, name)
    return {one for child in cls.__subclasses__() for one in (child, *every(child))}


@pytest.mark.parametrize("kind", PICTURES)
def test_a_picture_is_whole_in_a_file_and_in_a_notebook(
    kind: str, shown: dict[str, Any], tmp_path: Path
) -> None:
    picture = shown[kind].plot()
    drawn = xml.dom.minidom.parse(str(picture.save(tmp_path / "a.svg")))
    assert drawn.documentElement.tagName == "svg"
    assert drawn.getElementsByTagName("title")
    assert not drawn.getElementsByTagName("script")
    assert picture._repr_svg_() == (tmp_path / "a.svg").read_text(encoding="utf-8")
    found = Checked(picture._repr_html_())
    assert {"svg", "style"} <= found.tags
    assert not found.tags & {"script", "b"}
    assert Checked((picture.save(tmp_path / "a.html")).read_text(encoding="utf-8")).tags == found.tags


@pytest.mark.parametrize("kind", ["attacks", "audit", "released table", "tradeoff"])
def test_a_picture_of_the_owner_s_says_so_in_the_notebook_and_in_the_file(
    kind: str, shown: dict[str, Any], tmp_path: Path
) -> None:
    picture = shown[kind].plot()
    assert OWNER in Checked(picture._repr_html_()).text
    file = xml.dom.minidom.parse(str(picture.save(tmp_path / "a.svg")))
    assert OWNER in file.getElementsByTagName("metadata")[0].firstChild.data


def test_bars_stand_for_the_numbers_and_their_intervals(shown: dict[str, Any]) -> None:
    answer = shown["answer"]
    svg = answer.plot().svg
    assert svg.count("<rect") == len(answer)
    assert svg.count('stroke="currentColor"') == len(answer)
    for value in answer["n"]:
        assert f">{value:,}<" in svg


def test_the_burn_down_has_a_point_for_each_spend(shown: dict[str, Any]) -> None:
    ledger = shown["ledger"]
    assert ledger.balance().spends
    svg = ledger.plot().svg
    assert f"after spend {ledger.balance().spends}" in svg
    assert FORGETS in Checked(ledger._repr_html_()).text


def test_what_cannot_be_drawn_is_refused(shown: dict[str, Any]) -> None:
    with pytest.raises(NothingToDraw):
        report("epsilon", 3.0).plot()
    with pytest.raises(NothingToDraw):
        shown["published table"].plot()


def test_of_many_rows_the_first_are_shown_and_the_rest_is_said() -> None:
    text = table(["n"], [[str(at)] for at in range(MOST_ROWS + 5)], more="to_pandas() has them all.")
    assert text.count("<td>") == MOST_ROWS
    assert "and 5 more. to_pandas() has them all." in text


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


def test_a_plan_of_a_training_and_what_was_trained_show_what_is_promised() -> None:
    torch = pytest.importorskip("torch")
    model = torch.nn.Linear(2, 2)
    plan = pv.train.plan(model, pv.ApproxDP(5, 1e-5), records=40, batch=20, steps=2)
    ledger = pv.Ledger.in_memory(limit=pv.ApproxDP(8, 1e-4), unit=pv.Row())
    rows = (torch.zeros(40, 2), torch.zeros(40, dtype=torch.long))
    trained = pv.train_model(model, rows, plan, ledger=ledger, why="to try")
    for shown in (plan, trained):
        read = Checked(shown._repr_html_())
        assert plan.promise.sentence() in read.text
        assert "script" not in read.tags
    assert FORGETS in Checked(trained._repr_html_()).text


def test_every_result_of_the_library_shows_itself() -> None:
    results = """Audit PublicAudit AttackReport RiskEstimate ReleasedAnswer ReleasedHierarchy ReleasedModel ReleasedTable
    Tradeoff TrainedModel Table View PublicTable Ledger DataSet"""
    assert [name for name in results.split() if not issubclass(getattr(pv, name), Displayed)] == []
