"""What a data set does not allow is refused before anything is read or spent."""

import datetime
from types import SimpleNamespace

import pytest

import privet as pv
from privet.errors import PolicyBreach, SecondLedger
from privet.ledger import clock, throwaway
from privet.protect._admission import admitted
from privet.source import AccessTerms


def given_out(*terms: AccessTerms) -> SimpleNamespace:
    return SimpleNamespace(terms=terms)


def test_rows_without_terms_are_charged_as_the_caller_says() -> None:
    assert admitted([given_out(), given_out()], "answer", ledger=None) is None
    assert admitted([given_out()], "answer", ledger=None, purpose="care") == "care"


def test_the_purpose_of_the_terms_is_charged_also_where_none_is_said() -> None:
    assert admitted([given_out(AccessTerms("d", purpose="care"))], "answer", ledger=None) == "care"


def test_two_tables_of_two_purposes_cannot_be_asked_together() -> None:
    tables = [given_out(AccessTerms("a", purpose="care")), given_out(AccessTerms("b", purpose="study"))]
    with pytest.raises(PolicyBreach, match="given out for 'study', not for 'care'"):
        admitted(tables, "answer", ledger=None)


@pytest.mark.parametrize(
    ("terms", "asked"),
    [
        ({"outputs": ("answer",)}, {"makes": "model"}),
        ({"outputs": ()}, {}),
        ({"recipients": ("internal",)}, {"recipient": "partner"}),
        ({}, {"purpose": "marketing"}),
    ],
)
def test_what_the_terms_do_not_allow_is_refused(terms: dict, asked: dict) -> None:
    tables = [given_out(AccessTerms("d", purpose="care", **terms))]
    with pytest.raises(PolicyBreach) as refused:
        admitted(tables, asked.pop("makes", "answer"), ledger=None, **asked)
    assert "Nothing was read or spent" in refused.value.hint


def test_a_purpose_lasts_to_the_end_of_its_day(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = [given_out(AccessTerms("d", purpose="care", expires=datetime.date(2026, 5, 1)))]
    for day, holds in ((1, True), (2, False)):
        now = datetime.datetime(2026, 5, day, 23, tzinfo=datetime.UTC)
        monkeypatch.setattr(clock, "now", lambda now=now: now)
        if holds:
            assert admitted(tables, "answer", ledger=None) == "care"
        else:
            with pytest.raises(PolicyBreach, match="ended on 2026-05-01"):
                admitted(tables, "answer", ledger=None)


def test_the_ledger_is_the_data_sets_own_and_a_throwaway_is_nobodys(ledger: pv.Ledger) -> None:
    own, other = AccessTerms("d", ledger=ledger.place), AccessTerms("d", ledger="elsewhere.ledger")
    admitted([given_out(own)], "answer", ledger=ledger)
    with pytest.raises(SecondLedger):
        admitted([given_out(own), given_out(other)], "answer", ledger=ledger)
    admitted([given_out(other)], "answer", ledger=throwaway(pv.PureDP(1)))
