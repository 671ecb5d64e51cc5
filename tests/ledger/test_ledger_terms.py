"""The terms of a ledger, and the unit it binds."""

import datetime

import pytest

from privet.errors import BadBooking, LedgerMismatch
from privet.guarantee import ApproxDP, PureDP
from privet.guarantee._privacy_units import Change, Person, Row
from privet.ledger._ledger_terms import LedgerTerms, bound, last_day, unit_words


def test_a_unit_is_bound_without_its_caps_and_said_in_words():
    capped = Person("id", max_rows=3, max_groups=2)
    assert bound(capped) == {"unit": "person", "column": "id", "change": "add-or-remove"}
    assert unit_words(bound(capped)) == "one person (id), add-or-remove"
    assert unit_words(bound(Row(Change.REPLACE))) == "one row, replace"


@pytest.mark.parametrize("wrong", [None, "id", {"unit": "row"}])
def test_what_is_no_unit_is_not_bound(wrong):
    with pytest.raises(BadBooking, match="unit must be a privacy unit"):
        bound(wrong)


LAST = datetime.date(2030, 12, 31)


@pytest.mark.parametrize("expires", [None, LAST])
def test_terms_are_read_back_as_they_were_written(expires):
    terms = LedgerTerms.of(ApproxDP(1, "1e-6"), "zcdp", expires)
    record = terms.to_json()
    assert record["expires"] == (None if expires is None else "2030-12-31")
    assert record["accounting"] == "zcdp"
    assert record["theorem"] == terms.filter.theorem
    assert LedgerTerms.from_json(record) == terms


def test_a_ledger_opens_under_its_own_terms_and_under_no_others():
    terms = LedgerTerms.of(ApproxDP(1, "1e-6"), "zcdp", LAST)
    terms.require(None, None, None)
    terms.require(ApproxDP(1, "1e-6"), "zcdp", LAST)
    for other, name in [
        ((PureDP(1), None, None), "limit"),
        ((None, "basic", None), "accounting"),
        ((None, None, datetime.date(2031, 1, 1)), "expires"),
    ]:
        with pytest.raises(LedgerMismatch, match=f"another {name}"):
            terms.require(*other)


@pytest.mark.parametrize("wrong", ["2030-12-31", 2030, datetime.datetime(2030, 12, 31, tzinfo=datetime.UTC)])
def test_an_end_is_a_day_and_no_moment(wrong):
    with pytest.raises(BadBooking, match="must be a date"):
        last_day(wrong)
    with pytest.raises(BadBooking, match="must be a date"):
        LedgerTerms.of(PureDP(1), None, wrong)
    assert last_day(LAST) == LAST
    assert last_day(None) is None
