"""E-mail addresses, telephone numbers and streets, beside dates and numbers that look like them."""

import pytest
from tests.audits.columns.forms import matched

from privet.audits.columns._contact import is_bare_phone, is_email, is_phone, is_street


@pytest.mark.parametrize(
    ("test", "yes", "no"),
    [
        (is_email, "a.b+c@example.co.uk|x_1@sub.example.org|mailto:a@example.org", "a@b|@example.org|a b@example.org|a@example..org"),
        (is_phone, "(212) 555-0123|+44 20 7946 0958|212-555-0123|+4915112345678|030/1234567|+1 212 555 0123 x12|tel:+49 30 1234567",
         "2125550123|12.05.1990|2024-01-05|555|1234567|10.0.0.1"),
        (is_bare_phone, "2125550123|12125550123", "1125550123|2120550123|212555012|22125550123"),
        (is_street, "12 Main Street|221B Baker St|Hauptstraße 5|10 rue de la Paix|Calle Mayor 3|P.O. Box 12",
         "Main|12 apples|street|the weather was nice"),
    ],
    ids=lambda thing: getattr(thing, "__name__", ""),
)  # fmt: skip
def test_forms(test, yes, no):
    assert matched(test, yes) == yes.split("|")
    assert matched(test, no) == []


def test_a_telephone_number_has_seven_to_fifteen_digits():
    """E.164: at most fifteen with the country's."""
    assert is_phone("+49 1234567890123")
    assert not is_phone("+49 12345678901234")
    assert is_phone("+49 12345")
    assert not is_phone("+49 1234")


def test_an_address_has_at_most_254_characters():
    longest = "a@" + "b" * 60 + "." + "c" * 60 + "." + "d" * 60 + "." + "e" * 60 + ".example"
    assert len(longest) == 253
    assert is_email(longest)
    assert not is_email("aa" + longest)


def test_a_long_text_is_no_street():
    assert is_street("12 Main Street, " + "x" * 144)
    assert not is_street("12 Main Street, " + "x" * 145)
