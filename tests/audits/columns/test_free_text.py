"""Personal data inside texts, and what makes values sentences."""

import pytest
from tests.audits.columns.forms import matched, sampled

from privet.audits.columns._free_text import (
    has_card,
    has_iban,
    has_person,
    has_phone,
    has_ssn,
    inside,
    is_prose,
)
from privet.engine import ColumnKind


@pytest.mark.parametrize(
    ("test", "yes", "no"),
    [
        (has_person, "Spoke with John Smith today|see Mr Vexhollow", "Good recovery, mobilised early|New York Times"),
        (has_phone, "call 212-555-0123 now", "order 12 of 2024-01-05"),
        (has_ssn, "number 917-42-8861 given", "number 000-42-8861 given|917428861"),
        (has_card, "card 4111 1111 1111 1111 used", "card 4111 1111 1111 1112 used"),
        (has_iban, "pay to DE89 3704 0044 0532 0130 00 today", "DE89 is short|pay to DE88 3704 0044 0532 0130 00 today"),
    ],
    ids=lambda thing: getattr(thing, "__name__", ""),
)  # fmt: skip
def test_forms(test, yes, no):
    assert matched(test, yes) == yes.split("|")
    assert matched(test, no) == []


def test_shares_are_of_all_texts_and_name_no_value():
    found = {
        one.category: one for one in inside(["mail to bob@example.org", "from 10.0.0.1", "nothing", "x@y"])
    }
    assert set(found) == {"user.contact.email", "user.device.ip_address"}
    email = found["user.contact.email"]
    assert (email.share, email.tested, email.source) == (pytest.approx(0.25), 4, "inside")
    assert email.says == "1 of 4 distinct values hold e-mail addresses inside"
    assert inside(["nothing", "here"]) == []


def test_sentences_have_four_words_and_differ():
    assert is_prose(sampled([f"it went rather well {n}" for n in range(60)]))
    assert not is_prose(sampled([f"went well so {n}" for n in range(60)])), "19 characters at most"
    assert not is_prose(sampled([f"extraordinarily wellbehaved {n}" for n in range(60)])), "three words"
    assert not is_prose(sampled([f"it went rather well {n}" for n in range(50)], rows=100)), (
        "a list of labels"
    )
    assert is_prose(sampled([f"it went rather well {n}" for n in range(51)], rows=1000))


def test_a_long_value_is_text_whatever_it_holds():
    assert is_prose(sampled(["x" * 151]))
    assert not is_prose(sampled(["x" * 150]))
    assert not is_prose(sampled(["1" * 151], ColumnKind.INTEGER))
