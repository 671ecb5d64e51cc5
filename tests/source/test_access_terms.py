"""Terms are asked before anything is read or spent, and refuse each thing that they do not allow."""

from __future__ import annotations

import datetime
from dataclasses import replace

import pytest

from privet.errors import PolicyBreach, SecondLedger
from privet.source._access_terms import AccessTerms

TODAY = datetime.date(2026, 11, 16)
BEDS = AccessTerms("stays", "beds", ("answer",), ("internal",), TODAY, "stays.ledger")


def admit(terms: AccessTerms, makes: str = "answer", **said: object) -> str | None:
    asked = {"ledger": "stays.ledger", "purpose": None, "today": TODAY, **said}
    return terms.admit(makes, **asked)  # type: ignore[arg-type]


def test_what_is_allowed_names_the_purpose_to_charge() -> None:
    assert admit(BEDS) == "beds"
    assert admit(BEDS, purpose="beds") == "beds"


@pytest.mark.parametrize(
    ("changed", "makes", "said"),
    [
        ({}, "table", "allows answer"),
        ({"expires": TODAY - datetime.timedelta(days=1)}, "answer", "ended on"),
        ({"recipients": ("ministry",)}, "answer", "is for ministry"),
    ],
)
def test_what_is_not_allowed_is_a_breach(changed: dict[str, object], makes: str, said: str) -> None:
    with pytest.raises(PolicyBreach, match=said):
        admit(replace(BEDS, **changed), makes)  # type: ignore[arg-type]


def test_rows_of_one_purpose_are_not_used_for_another() -> None:
    with pytest.raises(PolicyBreach, match="not for 'research'"):
        admit(BEDS, purpose="research")


def test_a_second_ledger_is_a_second_budget() -> None:
    with pytest.raises(SecondLedger):
        admit(BEDS, ledger="other.ledger")
    assert admit(BEDS, ledger="./stays.ledger") == "beds"


def test_a_refusal_does_not_repeat_a_password() -> None:
    kept = replace(BEDS, ledger="postgresql://me:secret@host/db#clinic")
    with pytest.raises(SecondLedger) as caught:
        admit(kept)
    assert "secret" not in str(caught.value) + caught.value.hint
    assert admit(kept, ledger="postgresql://me@host/db#clinic") == "beds"


def test_a_table_without_a_declaration_leaves_everything_open() -> None:
    assert admit(AccessTerms("t"), "table", ledger=None) is None
    assert admit(AccessTerms("t"), purpose="mine") == "mine"
