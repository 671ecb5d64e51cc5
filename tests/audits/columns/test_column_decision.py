"""One column, one decision: which witness is heard first, and what is left open."""

import pytest
from tests.audits.columns.forms import sampled

from privet.audits.columns._column_decision import decide
from privet.audits.columns._sampled_column import SampledColumn
from privet.engine import ColumnKind, Profile


def category(values, name="x7", kind=ColumnKind.TEXT, rows=None):
    return decide(sampled(values, kind, name, rows)).category


MAIL = [f"p{n}@example.org" for n in range(30)]
ZIPS = [f"{10_000 + 37 * n}" for n in range(30)]


def test_values_are_heard_before_the_name():
    assert category(MAIL, "colour") == category(MAIL, "phone") == "user.contact.email"


def test_where_nothing_speaks_the_category_is_open():
    found = decide(sampled(["red", "green", "blue"], rows=90))
    assert (found.category, found.confidence) == ("other", pytest.approx(0))
    assert found.evidence[0].says == "nothing personal was recognised"


def test_the_name_refines_what_values_have_the_form_of():
    phones = [f"212-555-{n:04d}" for n in range(30)]
    assert category(phones) == "user.contact.phone_number"
    assert category(phones, "fax") == "user.contact.fax_number"
    hashes = [f"{n:064x}" for n in range(1, 31)]
    assert category(hashes) == "user.unique_id.pseudonymous"
    assert category(hashes, "passport_no") == "user.government_id.passport"
    assert category(hashes, "email") == "user.unique_id.pseudonymous", "a hash is no address"


def test_dates_are_births_by_their_name_or_their_spread():
    events = [f"2020-{1 + n % 12:02d}-{1 + n:02d}" for n in range(28)]
    births = [f"{1930 + 3 * n}-05-01" for n in range(28)]
    assert category(events) == "user.date"
    assert category(events, "dob") == category(births) == "user.demographic.date_of_birth"


def test_four_of_five_values_must_be_dates():
    events = [f"2020-01-{1 + n:02d}" for n in range(28)]
    assert category([*events, *(f"w{n}" for n in range(7))]) == "user.date"
    assert category([*events, *(f"w{n}" for n in range(8))]) != "user.date"


def test_five_digits_kept_as_text_are_postal_codes_where_they_repeat():
    assert category(ZIPS, rows=300) == "user.contact.address.postal_code"
    assert category(ZIPS, rows=300, kind=ColumnKind.INTEGER) == "other"
    assert category(ZIPS[:4], rows=300) == "other"


def test_decimal_degrees():
    places = [f"{40 + n / 7:.5f}" for n in range(30)]
    assert category(places, kind=ColumnKind.REAL) == "user.location.precise"
    assert category([f"{140 + 3 * n / 7:.5f}" for n in range(100)], kind=ColumnKind.REAL) == "other", (
        "over 180"
    )
    assert category([one[:-3] for one in places], kind=ColumnKind.REAL) == "other"


def counted(counts):
    values = tuple((str(age), rows) for age, rows in counts.items())
    rows = sum(counts.values())
    return SampledColumn.of(
        "x7",
        Profile(
            ColumnKind.INTEGER,
            "int64",
            rows,
            0,
            len(counts),
            exact=True,
            shortest=None,
            longest=None,
            values=values,
        ),
    )


def test_ages_thin_out_and_percentages_do_not():
    ages = {age: 10 if age < 80 else 1 for age in range(96)}
    assert decide(counted(ages)).category == "user.demographic.age"
    assert decide(counted(dict.fromkeys(range(96), 10))).category == "other"
    assert decide(counted({**ages, 96: 1, 97: 1, 98: 1, 99: 1, 100: 1})).category == "other"
    assert decide(counted({**ages, -1: 1})).category == "other"


def test_empty_columns_go_by_their_names_alone():
    found = decide(sampled(["", "n/a"], name="email"))
    assert (found.category, found.confidence) == ("user.contact.email", pytest.approx(0.5))
    assert decide(sampled(["", "n/a"], name="email_verified")).category == "other"


def test_lists_and_bytes_need_a_look():
    assert category(["['a@example.org']", "[]"], kind=ColumnKind.OTHER) == "user.content.private"
    assert category(["['a']", "[]"], kind=ColumnKind.OTHER) == "user.content.free_text"
    assert category(["[0.5]", "[0.1]"], "fingerprint", ColumnKind.OTHER) == "user.biometric"


def test_numbers_of_subjects_are_no_diagnoses():
    codes = [f"{letter}{n:02d}" for letter in "FM" for n in range(30)]
    assert category(codes, "diagnosis", rows=600) == "user.health_and_medical.diagnosis"
    assert decide(sampled(codes, name="subject_id")).category.startswith("user.unique_id")


@pytest.mark.parametrize("values", [["x"], ["1"], ["é" * 2000], ["\x00"], ["-"]])
@pytest.mark.parametrize("kind", list(ColumnKind))
@pytest.mark.parametrize("name", ["", "email", "age", "note", "count", "患者番号"])
def test_a_decision_is_always_made(values, kind, name):
    found = decide(sampled(values, kind, name))
    assert 0 <= found.confidence <= 1
    assert found.evidence
