"""Where people live: codes, coordinates, and names of places."""

import pytest
from tests.audits.columns.forms import matched, of_category

from privet.audits.columns._place_values import (
    DETECTORS,
    is_bare_postal_code,
    is_coordinates,
    is_state,
    is_written_postal_code,
)


@pytest.mark.parametrize(
    ("test", "yes", "no"),
    [
        (is_written_postal_code, "SW1A 1AA|K1A 0B1|1012 AB|12345-6789|00-950|D-10115|D02 AF30", "12345|ABC|1012|1012 SS|0123 AB"),
        (is_bare_postal_code, "1010|10115|101000", "123|1234567|1010A"),
        (is_coordinates, "52.5200, 13.4050|-33.86,151.21|POINT(13.4 52.5)|52°31'12\"N 13°24'E|90.00, 180.00",
         "52, 13|1.5|95.20, 13.40|90.01, 13.40|52.52, 180.01|52.5, 13"),
        (is_state, "Texas|TX|bayern", "tx|Paris|T"),
    ],
    ids=lambda thing: getattr(thing, "__name__", ""),
)  # fmt: skip
def test_forms(test, yes, no):
    assert matched(test, yes) == yes.split("|")
    assert matched(test, no) == []


@pytest.mark.parametrize(
    ("category", "yes", "no"),
    [
        ("user.contact.address.country", "GERMANY", "Berlin"),
        ("user.contact.address.city", "kraków", "Poland"),
    ],
)
def test_names_of_places_in_any_case(category, yes, no):
    assert of_category(DETECTORS, category, yes)
    assert not of_category(DETECTORS, category, no)
