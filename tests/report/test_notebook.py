"""What notebooks show: escaped, without scripts, marked where it is the owner's, and never a row of a private table."""

import xml.dom.minidom
from pathlib import Path
from typing import Any

import pytest
from tests.report.views import HOSTILE, Checked, declared_set, report, tradeoff

import privet as pv
from privet import examples
from privet.artifact._notebook_display import Displayed, Pictured
from privet.artifact._receipt import FORGETS
from privet.errors import NothingToDraw
from privet.report import _notebook as notebook
from privet.report._notebook_html import OWNER


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
        "stability": pv.stability(patients.apply(pv.PacFunction.means(), ["days"]), worlds=8),
        "tradeoff": tradeoff(),
        "ledger": ledger,
        "data set": declared_set(),
        "bare data set": pv.DataSet.bare(stays),
    }


KINDS = (
    "table", "view", "public table", "explanation", "spine explanation", "answer", "hierarchy", "released table",
    "published table", "model", "audit", "public audit", "attacks", "risk", "stability", "tradeoff", "ledger", "data set",
    "bare data set",
)  # fmt: skip
PICTURES = ("answer", "attacks", "audit", "ledger", "released table", "stability", "tradeoff")


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
    owner = kind in {"audit", "attacks", "risk", "stability", "tradeoff", "released table"}
    assert (OWNER in Checked(shown[kind]._repr_html_()).text) is owner


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
    page = Checked((picture.save(tmp_path / "a.html")).read_text(encoding="utf-8"))
    assert page.tags == found.tags | {"html", "head", "meta", "title", "body"}


@pytest.mark.parametrize("kind", ["attacks", "audit", "released table", "stability", "tradeoff"])
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
