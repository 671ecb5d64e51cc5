"""Cards and accounts on numbers that networks and standards print, and on what only looks alike."""

import random

import pytest
from tests.audits.columns.forms import ODD, matched, share_refused

from privet.audits.columns._payment import DETECTORS, is_card, is_iban

# Examples that issuers, standards and encyclopedias print; none belongs to a person.
CARDS = "4111111111111111 5555555555554444 378282246310005 6011111111111117 3530111333300000"
IBANS = "DE89370400440532013000 GB82WEST12345698765432 FR1420041010050500013M02606 NL91ABNA0417164300"


@pytest.mark.parametrize(("test", "examples"), [(is_card, CARDS), (is_iban, IBANS)], ids=["card", "iban"])
def test_published_numbers_pass_and_changed_ones_fail(test, examples):
    for number in examples.split():
        assert test(number), number
        assert share_refused(test, number) == pytest.approx(1), number


@pytest.mark.parametrize("test", [is_card, is_iban])
def test_odd_text_is_nothing(test):
    assert [text for text in ODD if test(text)] == []


def test_cards_are_read_in_their_usual_groups_only():
    assert is_card("4111 1111 1111 1111")
    assert is_card("3782-822463-10005")
    assert matched(is_card, "4111 1111-1111 1111|41 11111111111111|4111  1111 1111 1111") == []


def test_a_number_of_no_network_is_no_card():
    """Each passes the Luhn test; no network issues numbers that begin or end so."""
    assert matched(is_card, "79927398713|1111111111111117|41111111111111113") == []


def test_an_account_has_the_length_of_its_country():
    """ISO 7064 holds for each; a German account has 22 characters, a Norwegian 15."""
    assert is_iban("de89 3704 0044 0532 0130 00")
    assert is_iban("NO9386011117947")
    longer = next(text for check in range(2, 99) if is_iban(text := f"XX{check:02d}37040044053201300011"))
    assert len(longer) == 24, "a country that is not listed may have any length"
    assert [check for check in range(2, 99) if is_iban(f"DE{check:02d}37040044053201300011")] == []


def test_chances_are_what_detectors_say():
    """Numbers of the right length pass a check no more often than stated (six standard errors above it)."""
    draw = random.Random(3)
    stated = next(one.chance for one in DETECTORS if one.matches is is_card)
    hits = sum(is_card("".join(draw.choice("0123456789") for _ in range(16))) for _ in range(5_000))
    assert hits / 5_000 <= stated + 6 * (stated / 5_000) ** 0.5
