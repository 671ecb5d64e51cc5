"""Checklists: what can be derived is, what cannot is left open, and nothing is claimed that nobody may claim."""

import re

import pytest

from privet.report import _regulator_checklists as checklists
from privet.report import _wp29_criteria as criteria
from privet.report._regulator_checklists import ItemStanding

GOOD = {
    "private": True, "unit": "person", "max_rows": 6, "epsilon": 1, "delta": 1e-7, "people": 5_000,
    "bounds_public": True, "keys_public": True, "tuned": False, "pace": 2,
}  # fmt: skip


def standing(items: tuple[checklists.Item, ...], words: str) -> ItemStanding:
    return next(item.standing for item in items if words in item.asks)


def test_a_careful_release_meets_what_can_be_derived() -> None:
    found = checklists.hazards(GOOD)
    assert {item.standing for item in found} == {ItemStanding.MET, ItemStanding.OPEN}
    assert standing(found, "raw data") is ItemStanding.OPEN


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"max_rows": None}, "Contributions"),
        ({"epsilon": 20}, "Epsilon"),
        ({"delta": 1e-3}, "Delta"),
        ({"bounds_public": False}, "Bounds"),
        ({"keys_public": False}, "Bounds"),
        ({"tuned": True, "tuning_booked": False}, "tuned"),
        ({"outside": ["safe"]}, "Epsilon counts everything"),
    ],
)
def test_each_hazard_is_seen(change: dict, words: str) -> None:
    assert standing(checklists.hazards({**GOOD, **change}), words) is ItemStanding.NOT_MET


def test_without_a_private_release_the_list_does_not_apply() -> None:
    assert checklists.hazards({})[0].standing is ItemStanding.NOT_APPLICABLE


def test_an_epsilon_too_high_to_mean_anything_is_said_so() -> None:
    assert "next to no protection" in checklists.odds(8)
    assert "73.1 times in 100" in checklists.odds(1)


@pytest.mark.parametrize("basis", [None, "", "none claimed: a trial for internal use"])
def test_a_basis_that_nobody_claims_is_not_met(basis: str | None) -> None:
    sections = dict(checklists.dpia({"purposes": {"trial": {"use": "a look", "basis": basis}}}))
    assert [item.standing for item in sections["Purposes and legal basis"]] == [ItemStanding.NOT_MET]


def test_the_draft_invents_nothing() -> None:
    empty = checklists.dpia({})
    assert all(
        item.standing is ItemStanding.OPEN
        for _, items in empty
        for item in items
        if item.evidence not in ("none",)
    )
    full = checklists.dpia(
        {
            "columns": ["ward"], "dropped": ["name"], "artifacts": ["a table"], "reviews": ["2027-01-01"],
            "purposes": {"planning": {"use": "statistics", "basis": "Art. 6(1)(e)"}},
            "risks": [{"attack": "linkage", "sentence": "linkage said"}], "measures": ["5-anonymity"],
        }
    )  # fmt: skip
    items = [item for _, group in full for item in group]
    assert any("Art. 6(1)(e)" in item.evidence for item in items)
    assert standing(tuple(items), "acceptable") is ItemStanding.OPEN
    assert standing(tuple(items), "Signature") is ItemStanding.OPEN


def test_safe_harbor_looks_at_what_was_published() -> None:
    found = checklists.safe_harbor(
        [
            {"column": "name", "done": "kept as it was"},
            {"column": "zip", "done": "first three digits"},
            {"column": "ward", "done": "kept as it was"},
        ]
    )
    assert len(found) == 20
    assert standing(found, "(A)") is ItemStanding.NOT_MET
    assert standing(found, "(B)") is ItemStanding.OPEN
    assert standing(found, "(G)") is ItemStanding.NOT_TESTED  # nobody looked into the file
    assert standing(found, "actual knowledge") is ItemStanding.OPEN


def test_no_wording_claims_what_regulators_say_cannot_be_claimed() -> None:
    texts = [
        f"{item.asks} {item.evidence}"
        for items in (
            checklists.hazards(GOOD),
            criteria.wp29([]),
            checklists.deidentified_in_california(),
            checklists.safe_harbor([]),
            tuple(item for _, group in checklists.dpia({}) for item in group),
        )
        for item in items
    ]
    for text in texts:
        assert not re.search(
            r"zero risk|no risk|fully anonym|for ever|guaranteed anonym", text, re.IGNORECASE
        )
