"""Detectors on published numbers, on the same numbers with one digit changed, and on what only looks alike."""

from __future__ import annotations

import random
import time

import pytest

from privet.audits.columns import (
    _checksums as checksums,
)
from privet.audits.columns import (
    _contact as contact,
)
from privet.audits.columns import (
    _date_values as dates,
)
from privet.audits.columns import (
    _free_text as free_text,
)
from privet.audits.columns import (
    _health as health,
)
from privet.audits.columns import (
    _national_numbers as national,
)
from privet.audits.columns import (
    _network_addresses as network,
)
from privet.audits.columns import (
    _payment as payment,
)
from privet.audits.columns import _person_attributes as persons
from privet.audits.columns import (
    _place_values as places,
)
from privet.audits.columns import (
    _registration_numbers as numbers,
)
from privet.audits.columns._column_names import hint_of, words_of
from privet.audits.columns._detector_shares import DETECTORS
from privet.audits.columns._taxonomy import CATEGORIES, ROLES, SAFE_HARBOR

# Examples that issuers, standards and encyclopedias print; none belongs to a person.
PUBLISHED = [
    (payment.is_card, "4111111111111111 5555555555554444 378282246310005 6011111111111117 3530111333300000"),
    (payment.is_iban, "DE89370400440532013000 GB82WEST12345698765432 FR1420041010050500013M02606 NL91ABNA0417164300"),
    (numbers.is_vin, "1M8GDM9AXKP042788 1HGCM82633A004352"),
    (numbers.is_imei, "490154203237518 356938035643809"),
    (numbers.is_npi, "1234567893"),
    (numbers.is_dea, "AB1234563"),
]  # fmt: skip
# Numbers that offices print as examples, by the module of stdnum that must know them.
OF_COUNTRIES = {
    "gb.nhs": "9434765919 4010232137", "de.idnr": "86095742719 47036892816 65929970489", "fr.nir": "255081416802538",
    "es.dni": "12345678Z", "es.nie": "X1234567L", "it.codicefiscale": "RSSMRA85T10A562S", "nl.bsn": "111222333 123456782",
    "pl.pesel": "44051401359 02070803628", "se.personnummer": "811228-9874 670919-9530", "fi.hetu": "131052-308T",
    "be.nn": "85.07.30-033.28", "ch.ssn": "756.9217.0769.85", "in_.aadhaar": "999941057058",
    "br.cpf": "529.982.247-25 111.444.777-35", "cn.ric": "11010519491231002X", "ca.sin": "130692544",
    "au.tfn": "123456782 876543210", "tr.tckimlik": "10000000146", "mx.curp": "HEGG560427MVZRRL04",
    "dk.cpr": "211062-5629", "no.fodselsnummer": "15108695088", "za.idnr": "7503305044089",
}  # fmt: skip


@pytest.mark.parametrize(("test", "examples"), PUBLISHED, ids=[test.__name__ for test, _ in PUBLISHED])
def test_published_numbers_pass_and_changed_ones_fail(test, examples):
    for number in examples.split():
        assert test(number), number
        failures = tried = 0
        for place, letter in enumerate(number):
            if letter.isdigit():
                for other in set("0123456789") - {letter}:
                    tried += 1
                    failures += not test(number[:place] + other + number[place + 1 :])
        # Two of these schemes are blind to some changes: a character that the check does not cover.
        assert failures >= 0.85 * tried, (number, failures, tried)


@pytest.mark.parametrize("test", [test for test, _ in PUBLISHED], ids=lambda test: test.__name__)
def test_odd_text_is_never_an_error(test):
    for text in (
        "",
        " ",
        "0",
        "٣٤٥٦٧٨٩٠١٢",
        "²³",
        "é" * 11,
        "-" * 20,
        "9" * 2000,
        "A" * 17,
        "\x00",
        "𝟙" * 10,
    ):
        assert test(text) in (True, False)


def test_chances_are_what_detectors_say():
    """Numbers of the right length pass a check no more often than stated (six standard errors above it)."""
    draw = random.Random(3)
    stated = next(one.chance for one in DETECTORS if one.matches is payment.is_card)
    hits = sum(payment.is_card("".join(draw.choice("0123456789") for _ in range(16))) for _ in range(5_000))
    assert hits / 5_000 <= stated + 6 * (stated / 5_000) ** 0.5


def of(module):
    return next(one for one in national.FORMATS if one.module == module)


@pytest.mark.parametrize("module", OF_COUNTRIES)
def test_numbers_of_countries_pass_their_check(module):
    for number in OF_COUNTRIES[module].split():
        assert of(module).accepts(number), number


def test_every_format_is_there_and_never_fails():
    odd = ("", " ", "0", "٣٤٥٦٧٨٩٠١٢", "²³", "é" * 11, "-" * 20, "9" * 2000, "\x00", "229301647401016812")
    for one in national.FORMATS:
        assert one.category in CATEGORIES
        assert [one.accepts(text) for text in odd if one.accepts(text) not in (True, False)] == []


def test_a_check_that_raises_has_not_recognised_the_number(monkeypatch):
    monkeypatch.setattr(national, "_check", lambda module: {}.__getitem__)
    assert not national.FORMATS[0].accepts("12345678")


def made(module, many, seed=1):
    """Numbers that pass a check, found by trying."""
    draw, found = random.Random(seed), []
    shape = OF_COUNTRIES[module].split()[0]
    while len(found) < many:
        text = "".join(draw.choice("0123456789") if letter.isdigit() else letter for letter in shape)
        found += [text] if of(module).accepts(text) else []
    return found


@pytest.mark.parametrize("module", ["nl.bsn", "gb.nhs", "tr.tckimlik", "in_.aadhaar", "pl.pesel"])
def test_numbers_are_claimed_beyond_chance(module):
    claims = {one.format.module: one for one in national.claims(made(module, 60))}
    assert module in claims
    assert claims[module].share == pytest.approx(1)
    assert claims[module].chance < 0.2


@pytest.mark.parametrize("length", range(7, 13))
def test_random_digits_are_nobody_s_number(length):
    """Nearly every number of these lengths is valid in some country. False alarms: once in a million columns."""
    draw = random.Random(length)
    texts = ["".join(draw.choice("0123456789") for _ in range(length)) for _ in range(200)]
    assert any(one.accepts(text) for one in national.FORMATS for text in texts[:20])
    assert [one.format.module for one in national.claims(texts) if one.chance <= national.OFTEN] == []


def test_few_numbers_prove_nothing():
    assert list(national.claims(made("nl.bsn", 3))) == []


def test_a_check_that_most_numbers_pass_needs_a_name():
    draw = random.Random(5)
    texts = [
        f"{draw.randrange(1, 665):03d}{draw.randrange(1, 99):02d}{draw.randrange(1, 9999):04d}"
        for _ in range(300)
    ]
    claims = [one for one in national.claims(texts) if one.format.module == "us.ssn"]
    assert all(one.chance > national.OFTEN for one in claims)


def test_check_digits():
    assert checksums.luhn("79927398713")
    assert not checksums.luhn("79927398710")
    assert checksums.verhoeff("2363")
    assert not checksums.verhoeff("2364")
    assert checksums.mod_97("WEST12345698765432GB82")
    assert not checksums.luhn("4²")


@pytest.mark.parametrize(
    ("test", "yes", "no"),
    [
        (contact.is_email, "a.b+c@example.co.uk|x_1@sub.example.org", "a@b|@example.org|a b@example.org|a@example..org"),
        (contact.is_phone, "(212) 555-0123|+44 20 7946 0958|212-555-0123|+4915112345678|030/1234567|+1 212 555 0123 x12",
         "2125550123|12.05.1990|2024-01-05|555|1234567|10.0.0.1"),
        (contact.is_street, "12 Main Street|221B Baker St|Hauptstraße 5|10 rue de la Paix|Calle Mayor 3|P.O. Box 12",
         "Main|12 apples|street|the weather was nice"),
        (network.is_ip, "10.0.0.1|2001:db8::1|192.168.0.1/24|10.0.0.1:8080", "1.2.3|999.1.1.1|12:30|1.2.3.4.5"),
        (network.is_mac, "00:1B:44:11:3A:B7|00-1b-44-11-3a-b7|001b.4411.3ab7", "00:1B:44|00:1B-44:11:3A:B7"),
        (network.is_uuid, "123e4567-e89b-12d3-a456-426614174000", "123e4567e89b|123"),
        (network.is_url, "https://example.org/a?b=c|www.example.org", "example|http:|a.b"),
        (national.is_nino, "QQ123456C|AB 12 34 56 C".replace("QQ123456C|", ""), "GB123456A|AB123456E"),
        (national.is_written_ssn, "123-45-6789|987-65-4321", "000-12-3456|666-12-3456|123-00-4567|123456789"),
        (places.is_written_postal_code, "SW1A 1AA|K1A 0B1|1012 AB|12345-6789|00-950", "12345|ABC|1012"),
        (places.is_coordinates, "52.5200, 13.4050|-33.86,151.21|POINT(13.4 52.5)", "52, 13|1.5|95.20, 13.40"),
        (persons.is_name, "Smith, John|Dr. Anna Müller|Maria García López", "Smith|Green Lamp|John2 Smith|the"),
        (health.is_icd, "I50.9|I50.9 Heart failure|C50.911|G35 Multiple sclerosis", "I50|B12|3.5"),
        (health.is_drug, "metformin|Atorvastatin 20 mg|C10AA05", "table|water"),
        (health.is_genetic, "rs7412|ACGTACGTACGTAC|HLA-B*57:01", "rs1|gene"),
        (free_text.has_person, "Spoke with John Smith today|see Mr Vexhollow", "Good recovery, mobilised early|New York Times"),
        (free_text.has_phone, "call 212-555-0123 now", "order 12 of 2024-01-05"),
        (free_text.has_iban, "pay to DE89 3704 0044 0532 0130 00 today", "DE89 is short"),
    ],
    ids=lambda thing: getattr(thing, "__name__", ""),
)  # fmt: skip
def test_forms(test, yes, no):
    assert [text for text in yes.split("|") if not test(text)] == []
    assert [text for text in no.split("|") if test(text)] == []


@pytest.mark.parametrize(
    ("text", "year"),
    [
        ("1990-03-12", 1990), ("12.03.1990", 1990), ("3/12/1990", 1990), ("12 Mar 1990", 1990), ("March 12, 1990", 1990),
        ("19900312", 1990), ("1990/03/12", 1990), ("2024-02-29 10:30:00", 2024), ("2024-02-29T10:30:00Z", 2024),
        ("12/03/85", 1985), ("12/03/12", 2012), ("1990-13-12", None), ("12345678", None), ("hello", None), ("1990", None),
        ("10.0.0.1", None), ("", None),
    ],
)  # fmt: skip
def test_dates_in_many_forms(text, year):
    assert dates.year_of(text) == year


def test_births_spread_over_generations():
    draw = random.Random(1)
    assert dates.are_births([draw.randrange(1930, 2010) for _ in range(100)])
    assert not dates.are_births([draw.randrange(2015, 2025) for _ in range(100)])
    assert not dates.are_births([1930, 1990])
    assert not dates.are_births([draw.randrange(1800, 2020) for _ in range(100)])


@pytest.mark.parametrize(
    ("name", "category", "about"),
    [
        ("PatientDOB", "user.demographic.date_of_birth", False),
        ("e-mail_address", "user.contact.email", False),
        ("emailVerified", "user.contact.email", True),
        ("Straße", "user.contact.address.street", False),
        ("native-country", "user.demographic.nationality", False),
        ("HomePhone2", "user.contact.phone_number", False),
        ("voter_id", "user.unique_id", False),
        ("prénom", "user.name.first", False),
    ],
)
def test_names_of_columns(name, category, about):
    found = hint_of(name)
    assert found is not None
    assert (found.category, found.about) == (category, about)


@pytest.mark.parametrize(
    "name", ["percentage", "quantity", "x7", "stage", "", "é", "商品名", "a" * 5000, "discount"]
)
def test_names_that_say_nothing(name):
    assert hint_of(name) is None


def test_words_of_names():
    assert words_of("PatientDOB_2") == "patient dob 2"
    assert words_of("HTTPServer") == "http server"


def test_the_taxonomy_is_whole():
    assert {one.role for one in CATEGORIES.values()} == (set(ROLES) - {"insensitive"}) | {"unknown"}
    assert [one.key for one in CATEGORIES.values() if one.role == "unknown"] == ["other"]
    assert CATEGORIES["user.criminal_history"].article == 10
    letters = {one.hipaa for one in CATEGORIES.values()} - {None}
    assert letters == set(SAFE_HARBOR), "each of the eighteen has a category"
    special = " ".join(one.label for one in CATEGORIES.values() if one.special)
    for word in (
        "racial",
        "religious",
        "political",
        "union",
        "genetic",
        "biometric",
        "health",
        "sexual orientation",
    ):
        assert word in special
    for detector in DETECTORS:
        assert detector.category in CATEGORIES
        assert 0 < detector.chance < detector.typical < 1


def test_no_value_makes_a_detector_slow():
    """The longest values that the engine lets through, of the kinds that make patterns backtrack."""
    hostile = [
        "a" * 2000,
        "1" * 2000,
        "a " * 1000,
        "1 " * 1000,
        "a@" * 1000,
        "a." * 1000,
        "(" * 2000,
        "1-" * 1000,
    ]
    hostile += [
        "Aa " * 650,
        "http://" + "a/" * 900 + " ",
        "DE89 " * 400,
        "x" * 159,
        "1 a" * 50,
        "+1" + " 1" * 14,
    ]
    started = time.process_time()
    for text in hostile:
        for detector in DETECTORS:
            detector.matches(text)
        free_text.inside([text])
        dates.year_of(text)
    assert time.process_time() - started < 2
