"""Each claim that a regulator would hold us to, in a case where it is false: there it must not be made."""

from typing import Any

import pyarrow as pa
import pytest
from tests.report.a_run import record

from privet.audits._safe_harbor_findings import identifiers_in
from privet.report import _regulator_checklists as checklists
from privet.report import _wp29_criteria as criteria
from privet.report._regulator_checklists import ItemStanding
from privet.report._run_page import run_page
from privet.report._run_report import run_report
from privet.source import open_table

ZIPS = ["02139", "10115", "94103", "60601", "73301", "98101", "30301", "33101"]


def file_with(**columns: list[Any]) -> list[dict[str, Any]]:
    return identifiers_in(open_table(pa.table({name: values * 5 for name, values in columns.items()})))


def by_letter(looked: list[dict[str, Any]] | None, published: Any = ()) -> dict[str, checklists.Item]:
    return {item.asks[1]: item for item in checklists.safe_harbor(published, looked) if item.asks[0] == "("}


# --- Safe Harbor: by what stands in the file -----------------------------------------------------


def test_five_digit_zip_codes_in_the_file_are_not_met_whatever_the_record_says() -> None:
    found = by_letter(file_with(zip=ZIPS), [{"column": "zip", "done": "first three digits", "letter": "B"}])
    assert found["B"].standing is ItemStanding.NOT_MET
    assert "zip" in found["B"].evidence


def test_three_digits_are_a_question_and_never_met() -> None:
    assert by_letter(file_with(zip=[one[:3] for one in ZIPS]))["B"].standing in (
        ItemStanding.OPEN,
        ItemStanding.NOT_RECOGNISED,
    )


def test_an_age_over_89_in_the_file_is_not_met() -> None:
    assert by_letter(file_with(age=[34, 56, 93, 71, 12, 45, 67, 88]))["C"].standing is ItemStanding.NOT_MET
    assert by_letter(file_with(age=[34, 56, 63, 71, 12, 45, 67, 88]))["C"].standing is ItemStanding.OPEN


def test_a_date_in_the_file_is_not_met_and_a_year_is_a_question() -> None:
    days = [f"19{50 + at}-03-{10 + at}" for at in range(8)]
    assert by_letter(file_with(born=days))["C"].standing is ItemStanding.NOT_MET
    assert by_letter(file_with(born=[day[:4] for day in days]))["C"].standing is not ItemStanding.NOT_MET


def test_a_number_of_persons_in_the_file_is_not_met() -> None:
    looked = identifiers_in(open_table(pa.table({"id": list(range(1, 41)), "sex": ["female", "male"] * 20})))
    assert by_letter(looked)["R"].standing is ItemStanding.NOT_MET


def test_nothing_is_met_because_nothing_was_recognised() -> None:
    for looked in (None, [], file_with(x1=["a", "b", "c", "d", "e", "f", "g", "h"])):
        assert ItemStanding.MET not in {item.standing for item in by_letter(looked).values()}
    page = run_page(run_report(record()))
    assert "none seen" not in page
    assert "sounds like it" not in page


# --- legal basis ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "basis", ["because", "x", "GDPR", "Art. 6(1)(z)", "Art. 6(1)(e)", "GDPR Art. 9(2)(j)", "consent"]
)
def test_no_text_makes_a_legal_basis_met(basis: str) -> None:
    purpose = {"use": "a look", "basis": basis, "special_basis": basis, "columns": ["diagnosis"]}
    lists = dict(checklists.dpia({"purposes": {"look": purpose}, "special": ["diagnosis"]}))
    assert ItemStanding.MET not in {item.standing for item in lists["Purposes and legal basis"]}


def test_special_categories_without_a_point_of_article_9_are_not_met() -> None:
    purpose = {"use": "a look", "basis": "GDPR Art. 6(1)(e)", "columns": ["diagnosis"]}
    lists = dict(checklists.dpia({"purposes": {"look": purpose}, "special": ["diagnosis"]}))
    _, special = lists["Purposes and legal basis"]
    assert (special.standing, "diagnosis" in special.asks) == (ItemStanding.NOT_MET, True)
    without = dict(checklists.dpia({"purposes": {"look": purpose}, "special": []}))
    assert len(without["Purposes and legal basis"]) == 1


# --- what only people know -----------------------------------------------------------------------

CAREFUL = {
    "private": True, "unit": "person", "unit_column": "id", "max_rows": 6, "epsilon": 1, "delta": 0, "people": 50,
    "bounds_public": True, "keys_public": True, "tuned": False, "pace": 2, "outside": [],
}  # fmt: skip


@pytest.mark.parametrize(
    "claim", ["unit of privacy", "counts everything", "tuned", "kept no longer", "access is guarded"]
)
def test_what_happened_elsewhere_is_asked_and_never_met(claim: str) -> None:
    (item,) = [one for one in checklists.hazards(CAREFUL) if claim in one.asks]
    assert item.standing is ItemStanding.OPEN


def test_what_was_not_attacked_is_not_tested() -> None:
    assert {item.standing for item in criteria.wp29(())} == {ItemStanding.NOT_TESTED}
    quiet = record(findings=[])
    quiet["steps"] = [{**step, "risks": [], "facts": {}} for step in quiet["steps"]]
    page = run_page(run_report(quiet))
    criteria_part = page[page.index("Three criteria, by the attacks") :][:3000]
    assert criteria_part.count("not tested") >= 3
    assert "nothing beyond was found" not in criteria_part


def test_a_headline_says_one_thing_and_the_worst() -> None:
    said = run_report(record(findings=[]))["summary"]["verdict"]
    assert said.count(".") == 1
    assert "limit" not in said
