"""What the names of columns say: of their values, and of whose rows they are."""

from collections import Counter
from pathlib import Path

import pytest

from privet.audits.columns._column_names import hint_of, unit_of, words_of
from privet.audits.columns._taxonomy import CATEGORIES

OTHERS = Path(__file__).with_name("headings_of_others.tsv")
WITHHELD = ("direct", "free text", "unknown")


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


def test_headings_that_others_have_written() -> None:
    """Collected from public programs in twelve languages; by the heading alone, 216 of 254 were right unseen."""
    right, wrong = Counter(), []
    for line in OTHERS.read_text(encoding="utf-8").splitlines():
        language, role, names = line.split("\t")
        for name in names.split("|"):
            hint = hint_of(name)
            found = CATEGORIES[hint.category].role if hint else "unknown"
            right[language] += found == role
            wrong += [(language, name, role, found)] if found != role else []
    assert len(wrong) <= 5, wrong
    assert [one for one in wrong if one[2] == "direct" and one[3] not in WITHHELD] == []


def test_spelling_does_not_matter() -> None:
    assert hint_of("Staatsangehoerigkeit") == hint_of("staatsangehörigkeit")
    assert hint_of("GEBURTS-DATUM") == hint_of("geburtsdatum")


def test_a_name_of_two_hundred_letters_is_the_longest_that_is_read() -> None:
    assert hint_of("email" + "_" * 195) is not None
    assert hint_of("email" + "_" * 196) is None
    assert unit_of("patient_id" + "_" * 191) is None


def test_what_tables_put_before_every_name_is_no_part_of_it() -> None:
    assert hint_of("per_nombre") == hint_of("nombre")
    assert hint_of("pers_name") != hint_of("name"), "four letters are a word"


@pytest.mark.parametrize(
    ("name", "kind", "counts"),
    [
        ("patient_id", "person", True), ("Fallnummer", "person", True), ("患者番号", "person", True),
        ("household", "household", True), ("famid", "household", True), ("townid", "group", False),
        ("school", "group", False), ("pooled.stratum", "group", False), ("year", "measure", False),
        ("age", "measure", False), ("order_no", "", True), ("code", "", True),
    ],
)  # fmt: skip
def test_names_of_units(name: str, kind: str, counts: bool) -> None:
    found = unit_of(name)
    assert found is not None
    assert (found.kind, found.points > 0) == (kind, counts)


@pytest.mark.parametrize("name", ["x1", "child13", "value_a", "", "percentage"])
def test_names_that_say_nothing_of_a_unit(name: str) -> None:
    found = unit_of(name)
    assert found is None or found.points <= 0
