"""The terms of a ledger, and the unit it binds."""

import pytest

from privet.errors import BadBooking
from privet.guarantee._privacy_units import Change, Person, Row
from privet.ledger._ledger_terms import bound, unit_words


def test_a_unit_is_bound_without_its_caps_and_said_in_words():
    capped = Person("id", max_rows=3, max_groups=2)
    assert bound(capped) == {"unit": "person", "column": "id", "change": "add-or-remove"}
    assert unit_words(bound(capped)) == "one person (id), add-or-remove"
    assert unit_words(bound(Row(Change.REPLACE))) == "one row, replace"


@pytest.mark.parametrize("wrong", [None, "id", {"unit": "row"}])
def test_what_is_no_unit_is_not_bound(wrong):
    with pytest.raises(BadBooking, match="unit must be a privacy unit"):
        bound(wrong)
