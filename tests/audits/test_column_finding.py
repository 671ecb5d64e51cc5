"""One column as it was found: what follows from its category and evidence."""

import pytest

from privet.audits._column_finding import ColumnFinding
from privet.audits.columns import Evidence


def found(role: str = "quasi", category: str = "user.demographic.age", *evidence: Evidence) -> ColumnFinding:
    return ColumnFinding(
        "age",
        role,
        category,
        evidence,
        0.876,
        "C",
        special=False,
        distinct=80,
        missing_share=1 / 3,
        kind="integer",
    )


def test_the_owner_s_word_is_told_from_a_proposal() -> None:
    assert not found().stated
    stated = found(
        "quasi", "other", Evidence("name", "its name", "other"), Evidence("stated", "as stated", "other")
    )
    assert stated.stated
    assert stated.to_json()["confirmed"]


def test_the_reason_is_the_first_two_observations_without_repetition() -> None:
    said = [Evidence("values", text, "other") for text in ("one", "one", "two")]
    assert found("quasi", "other", *said).reason == "one"
    assert found("quasi", "other", *said[1:]).reason == "one; two"
    assert found().reason == ""


def test_articles_come_from_the_category() -> None:
    assert found(category="user.criminal_history").article == 10
    assert found(category="user.demographic.marital_status").reveals == "sexual orientation"
    assert found().article is None


def test_unknown_is_a_role_of_its_own() -> None:
    assert found("unknown").unknown
    assert not found("insensitive").unknown


def test_figures_are_rounded_for_json() -> None:
    shown = found().to_json()
    assert shown["confidence"] == pytest.approx(0.88)
    assert shown["missing_share"] == pytest.approx(0.3333)
    assert shown["label"] == "ages"
