"""Numbers of persons by country: printed examples pass, random digits are nobody's, few prove nothing."""

import random

import pytest
from tests.audits.columns.forms import matched

from privet.audits.columns import _national_numbers as national
from privet.audits.columns._taxonomy import CATEGORIES

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


@pytest.mark.parametrize(
    ("test", "yes", "no"),
    [
        (national.is_nino, "AB 12 34 56 C|ab123456c", "GB123456A|AB123456E|QQ123456C|AO123456A"),
        (national.is_written_ssn, "123-45-6789|987-65-4321|123 45 6789", "000-12-3456|666-12-3456|123-00-4567|123-45-0000|123456789|123-45 6789"),
        (national.is_bare_ssn, "123456789", "900123456|000123456|666123456|123004567|123450000|12345678"),
    ],
    ids=lambda thing: getattr(thing, "__name__", ""),
)  # fmt: skip
def test_forms(test, yes, no):
    assert matched(test, yes) == yes.split("|")
    assert matched(test, no) == []


def test_made_up_numbers_have_the_same_form_and_are_the_same_everywhere():
    made_up = national.made_up("ab-12.Z é", 3)
    assert made_up == national.made_up("ab-12.Z é", 3)
    assert made_up != national.made_up("ab-12.Z é", 4)
    shape = "".join(
        "9" if x.isdigit() else "A" if x.isupper() else "a" if x.isascii() and x.islower() else x
        for x in made_up
    )
    assert shape == "aa-99.A é"
    assert national.hash_of("a", 1) == 15462742709960270297, "not that of the process"
