"""Numbers of vehicles, telephones, professionals and plans: published examples, and look-alikes."""

import pytest
from tests.audits.columns.forms import ODD, of_category, share_refused

from privet.audits.columns._registration_numbers import (
    DETECTORS,
    is_dea,
    is_imei,
    is_npi,
    is_vin,
    is_vin_shape,
)

PUBLISHED = [
    (is_vin, "1M8GDM9AXKP042788 1HGCM82633A004352"),
    (is_imei, "490154203237518 356938035643809"),
    (is_npi, "1234567893"),
    (is_dea, "AB1234563"),
]


@pytest.mark.parametrize(("test", "examples"), PUBLISHED, ids=[test.__name__ for test, _ in PUBLISHED])
def test_published_numbers_pass_and_changed_ones_fail(test, examples):
    for number in examples.split():
        assert test(number), number
        # Two of these schemes are blind to some changes: a character that the check does not cover.
        assert share_refused(test, number) >= 0.85, number


@pytest.mark.parametrize("test", [is_vin, is_vin_shape, is_imei, is_npi, is_dea])
def test_odd_text_is_nothing(test):
    assert [text for text in ODD if test(text)] == []


def test_a_european_number_of_a_car_has_the_form_and_not_the_check():
    assert is_vin_shape("WVWZZZ1JZXW000001")
    assert not is_vin("WVWZZZ1JZXW000001")
    assert not is_vin_shape("WVWZZZ1JZXW00000I"), "I, O and Q are not used"
    assert not is_vin_shape("12345678901234567"), "digits alone number anything"


def test_a_provider_s_number_is_checked_behind_its_prefix():
    """1234567893 passes after 80840, by the example of the standard; 1234567897 would pass without it."""
    assert is_npi("1234567893")
    assert not is_npi("1234567897")
    assert not is_npi("3234567891"), "they begin with 1 or 2"


@pytest.mark.parametrize(
    ("category", "yes", "no"),
    [
        ("user.vehicle.plate", "AB12 CDE|M-AB 1234|AA-123-AA|1234 BCD|ABC-1234", "AB1|Berlin|1234|A-1"),
        # The example on the card that Medicare prints; S, L, O, I, B and Z are not used.
        ("user.health_and_medical.insurance_id", "1EG4-TE5-MK73|1EG4TE5MK73|MEM-004512", "1SG4-TE5-MK73|0EG4TE5MK73|MEM-12"),
        ("user.health_and_medical.record_id", "MRN-1234567|patient 0042", "MRN-123|ward 1234"),
        ("user.government_id.licence", "MORGA657054SM9IJ", "MORGA687054SM9IJ|MORGA657324SM9IJ"),
    ],
)  # fmt: skip
def test_forms(category, yes, no):
    assert [text for text in yes.split("|") if not of_category(DETECTORS, category, text)] == []
    assert [text for text in no.split("|") if of_category(DETECTORS, category, text)] == []
