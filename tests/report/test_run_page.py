"""The report of a run: everything it must say is there, nothing is claimed that cannot be, and nothing is made up."""

import itertools
import json
import re
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from tests.report.a_run import record, tradeoff

from privet.report._run_page import run_page
from privet.report._run_report import run_report

# What the EDPS and the AEPD say that nobody can say of anonymisation, and the like.
CLAIMS = re.compile(
    r"zero[ -]risk|\bno risk\b|risk[ -]free|without risk|for ?ever|permanently|fully anonym|completely anonym|"
    r"truly anonym|(is|are|be) (now )?anonymous|anonymous data|guaranteed? anonym|100 ?% (safe|anonym|private)|"
    r"cannot be (re-?)?identified|impossible to (re-?)?identif|pseudonym\w* (is|are|means|=) anonym|"
    r"\b(is|are) (gdpr|hipaa|ccpa)[ -]compliant|no longer personal|not personal data",
    re.IGNORECASE,
)


def words(page: str) -> str:
    """What people read: without tags, styles, and the breaks between lines."""
    text = re.sub(r"<style>.*?</style>", " ", page, flags=re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", text)).replace("&#8288;", "")


@pytest.mark.parametrize("public", [False, True])
def test_it_never_claims_what_nobody_can_claim(public: bool) -> None:
    report = run_report(record(), public=public, tradeoff=tradeoff("public"))
    for text in (words(run_page(report)), json.dumps(report)):
        assert CLAIMS.findall(text) == []
    assert CLAIMS.search("the data are anonymous")
    assert CLAIMS.search("there is no risk")


@pytest.mark.parametrize("public", [False, True])
def test_it_stands_alone(public: bool) -> None:
    page = run_page(run_report(record(), public=public, tradeoff=tradeoff("public")))
    assert len(page.encode()) < 1_000_000
    assert "<script" not in page.lower()
    assert not re.search(r"\son\w+=", page)
    assert not re.search(r"""(src|href)=["'](?!#)""", page)
    assert "url(" not in re.sub(r"url\(#hatch-\d+\)", "", page)
    assert "default-src 'none'" in page


@pytest.mark.parametrize("public", [False, True])
def test_headings_are_in_order_and_tables_have_headers(public: bool) -> None:
    page = run_page(run_report(record(), public=public, tradeoff=tradeoff("public")))
    levels = [int(level) for level in re.findall(r"<h([1-6])", page)]
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    tables = page.count("<table")
    assert tables == page.count("<caption") == page.count("</table>")
    assert re.findall(r"<th(?![^>]*scope=)[ >]", page) == []
    named = re.findall(r' id="([^"]+)"', page)
    assert len(named) == len(set(named))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(named)


def test_every_figure_says_its_numbers() -> None:
    page = run_page(run_report(record(), tradeoff=tradeoff()))
    drawn = re.findall(r"<svg.*?</svg>", page, flags=re.DOTALL)
    assert len(drawn) == page.count("<figure") == 6
    for svg in drawn:
        tree = ET.fromstring(svg)
        told = {part.tag.split("}")[1]: part.text for part in tree}
        assert tree.attrib["role"] == "img"
        assert told["title"]
        assert told["desc"]
    assert "epsilon: 0.25 spent before, 2.5 in this run, 1.25 left of 4" in page
    assert "mean chance to point at a record: 73.9 % before, 6.4 % after" in page


def test_what_went_wrong_comes_first() -> None:
    report = run_report(record())
    assert report["summary"]["verdict"] == "One limit of the policy was not kept."
    assert report["summary"]["findings"] == record()["findings"]
    page = run_page(report)
    assert page.index("One limit of the policy") < page.index("Promise beside evidence</h2>")
    contradicted = record()
    contradicted["steps"][1]["risks"][0]["verdict"] = "contradicts the promise"
    assert run_report(contradicted)["summary"]["verdict"] == "One attack contradicted what was promised."
    fine = run_report(record(findings=[]))["summary"]
    assert (fine["calm"], fine["findings"]) == (False, [])  # its table gives diagnoses away
    assert fine["verdict"] == "Not met of the three criteria below: inference."
    assert fine["said"][0].startswith("Every limit")
    quiet = record(findings=[])
    quiet["steps"] = [{**step, "risks": [], "facts": {}} for step in quiet["steps"]]
    assert run_report(quiet)["summary"]["calm"] is True


def test_the_promise_stands_beside_the_evidence() -> None:
    safe = next(one for one in run_report(record())["artifacts"] if one["step"] == "safe")
    assert "at least 4 other people" in safe["sentence"]
    assert [one["verdict"] for one in safe["evidence"]] == [
        "within the promise", "inconclusive", "not covered by the promise",
    ]  # fmt: skip
    first = safe["evidence"][0]
    assert (first["success"]["value"], first["baseline"], first["bound"]) == pytest.approx(
        (0.0739, 0.0229, 0.2)
    )
    assert safe["evidence"][2]["control"]["value"] == pytest.approx(0.2913)
    assert safe["not_protected"]
    assert safe["unit"].startswith("everything one person contributes")
    assert safe["change"] is None  # its promise is not about two data sets
    page = words(run_page(run_report(record())))
    assert "0.0739 (0.0626–0.0856)" in page
    assert "Nothing above 0.103 could have been shown." in page


def test_budgets_add_up_and_what_is_planned_is_hatched() -> None:
    coming = {
        "steps": [
            {"name": "more", "purpose": "care", "cost": {"epsilon": "0.2", "delta": "0"}},
            {"name": "else", "purpose": "other", "cost": {"epsilon": "0.3", "delta": "0"}},
        ]
    }
    report = run_report(record(), coming=coming)
    found = {(one["scope"], one["coin"]): one for one in report["budgets"]}
    whole, care = found["data set", "epsilon"], found["purpose care", "epsilon"]
    assert [whole[name] for name in ("before", "this_run", "planned", "left")] == [
        "0.25",
        "2.5",
        "0.5",
        "0.75",
    ]
    assert [care[name] for name in ("before", "this_run", "planned", "left")] == [
        "0.25",
        "2.5",
        "0.2",
        "0.05",
    ]
    page = run_page(report)
    assert page.count('class="ahead"') - run_page(run_report(record())).count('class="ahead"') == 2


def test_risks_before_and_after_are_of_the_same_measure() -> None:
    lines = {one["measure"]: one for one in run_report(record())["before_and_after"]}
    mean = lines["mean chance to point at a record"]
    assert (mean["before"], mean["after"], mean["allowed"]) == pytest.approx((0.7391, 0.0637, 0.2))
    assert lines["records that are alone with their values"]["before"] == pytest.approx(617283 / 918273)


def test_checklists_say_what_the_run_shows() -> None:
    lists = run_report(record())["checklists"]
    wp29 = {item["asks"].split(":")[0]: item for item in lists["wp29"]}
    assert wp29["Linkability"]["standing"] == "not tested"  # linkage is another attack
    assert wp29["Inference"]["standing"] == "not met"
    assert "share their diagnosis in 3.3 % of records" in wp29["Inference"]["evidence"]
    hazards = {item["asks"]: item["standing"] for item in lists["hazards"]}
    assert hazards["The unit of privacy is the person, not one of their rows"].startswith("open")
    assert (
        hazards["Delta is far below one over the number of people"] == "not met"
    )  # 81,726 people, delta 2.1e-6
    assert hazards["Noise is free of floating-point flaws"].startswith("open")
    harbor = {item["asks"][:3]: item["standing"] for item in lists["safe_harbor"][0]["items"]}
    assert (harbor["(B)"], harbor["(H)"]) == ("not met", "not tested")
    assert harbor["(C)"].startswith("open")
    assert {item["standing"][:4] for item in lists["ccpa"]} == {"open"}


@pytest.mark.parametrize("public", [False, True])
def test_a_sweep_over_the_data_for_free_is_a_hazard(public: bool) -> None:
    def tuned(given: dict[str, Any], standing: str) -> str:
        lists = run_report(given, public=public, tradeoff=tradeoff(standing))["checklists"]
        return next(item["standing"] for item in lists["hazards"] if "tuned" in item["asks"])

    assert [tuned(record(), standing) for standing in ("owner-only", "booked", "surrogate")] == [
        "not met",
        "met",
        "open: for human review",
    ]
    swept = record()
    swept["steps"][0]["kind"] = "tradeoff"
    assert tuned(swept, "surrogate") == "not met"


def test_attacks_of_a_step_stand_beside_what_they_attacked() -> None:
    given = record()
    audit, safe = given["steps"][:2]
    audit["options"] = {"auxiliary": "voters.csv"}
    attempt = {"method": "exact join", "share": 0.5, "score": {"recall": 0.9}}
    audit["facts"]["linkage"] = {"auxiliary": "voters", "attempts": [attempt]}
    risk = {**safe["risks"][0], "attack": "linkage-exact", "details": {"recall": 0.01}}
    options = {"of": "safe", "auxiliary": "voters.csv"}
    given["steps"].append(
        {**safe, "name": "linked", "kind": "attack", "options": options, "risks": [risk], "facts": {}}
    )
    report = run_report(given)
    assert [one["step"] for one in report["artifacts"]] == ["before", "safe", "beds", "risk"]
    assert [one["step"] for one in report["artifacts"][1]["evidence"]] == ["safe", "safe", "safe", "linked"]
    line = report["before_and_after"][0]
    assert line["measure"] == "people in voters and here who are found (exact join)"
    assert (line["before"], line["after"]) == pytest.approx((0.9, 0.01))
    assert report["as_it_stands"][-1]["value"] == pytest.approx(0.5)
    assert "linkage-exact (step linked)" in run_page(report)


def test_what_only_a_person_can_say_is_left_open() -> None:
    report = run_report(record())
    parts = {part["title"]: part["items"] for part in report["checklists"]["dpia"]}
    open_ones = [
        item["asks"] for items in parts.values() for item in items if item["standing"].startswith("open")
    ]
    for asked in ("Why each remaining column is needed", "Signature", "Whether and how they were asked"):
        assert asked in open_ones
    assert all(
        item["evidence"] == "" or item["evidence"].endswith("does it apply?")
        for items in parts.values()
        for item in items
        if item["asks"] in open_ones
    )
    controller = report["checklists"]["article_30"][0]
    assert (controller["standing"][:4], controller["evidence"]) == ("open", "")
    page = run_page(report)
    assert page.count("To be written by a person") >= 12


def test_a_run_without_ledger_attacks_or_reviews_has_a_report() -> None:
    bare = record(ledger=None, findings=[], versions={})
    bare["steps"] = [bare["steps"][0]]
    bare["policy"]["purposes"]["care"]["review"] = None
    bare["policy"]["limits"] = {}
    for public in (False, True):
        report = run_report(bare, public=public)
        assert report["budgets"] == []
        assert "<main" in run_page(report)
    said = run_report(bare)["summary"]
    assert said["verdict"] == "The policy sets no limit, and nothing was attacked."
    assert any("No date is set" in line for line in said["said"])


def test_names_are_escaped() -> None:
    given = json.loads(
        json.dumps(record()).replace("better care", "<b onclick=x>").replace("linkage-exact", "<i>&")
    )
    page = run_page(run_report(given))
    assert "<b onclick" not in page
    assert "<i>&" not in page
    assert "&lt;b onclick=x&gt;" in page


def test_lists_are_shown_as_people_write_them() -> None:
    told = record()
    told["steps"][1]["options"] = {"columns": ["sex", "ward"], "l": {"diagnosis": 3}, "search": "optimal"}
    page = run_page(run_report(told))
    assert "columns: sex, ward; " in page
    assert "search: optimal" in page
