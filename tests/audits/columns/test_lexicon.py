"""The words that columns are called by: how they are spelled, taken apart and found in a name."""

import pytest
from tests.audits.headings import HEADINGS, REQUIRED

from privet.audits.columns._lexicon import Lexicon, Match, is_written_together, lexicon, spelled, tokens
from privet.audits.columns._taxonomy import CATEGORIES


def test_fourteen_languages_have_words_for_what_matters() -> None:
    assert set(REQUIRED) <= set(HEADINGS)
    known = lexicon().languages
    for category in (
        "user.name", "user.name.first", "user.name.last", "user.government_id", "user.contact.phone_number",
        "user.contact.address.street", "user.demographic.date_of_birth", "user.demographic.age", "user.demographic.gender",
        "user.contact.address.postal_code", "user.demographic.nationality", "user.employment", "user.demographic.religion",
        "user.demographic.race", "user.demographic.politics", "user.demographic.union", "user.health_and_medical",
        "user.health_and_medical.diagnosis", "user.health_and_medical.medication", "user.genetic", "user.biometric",
        "user.demographic.sexual_orientation", "user.criminal_history", "user.financial", "user.content.free_text",
        "user.health_and_medical.record_id", "unit.person",
    ):  # fmt: skip
        assert set(REQUIRED) <= known[category], category


def test_every_block_is_a_category_or_a_unit() -> None:
    units = {"unit.person", "unit.household", "unit.group", "unit.measure"}
    assert set(lexicon().languages) <= set(CATEGORIES) | units


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("PatientDOB_2", ["patient", "dob", "2"]),
        ("Straße", ["strasse"]),
        ("naïve-Größe", ["naive", "grosse"]),
        ("ＡＧＥ", ["age"]),
        ("رقم_المريض", ["رقم", "المريض"]),
        ("пол", ["пол"]),
        ("生年月日", ["生年月日"]),
        ("जन्म_तिथि", ["जन्म", "तिथि"]),
        ("", []),
        ("__", []),
    ],
)
def test_words_of_names_in_any_script(name: str, words: list[str]) -> None:
    assert tokens(name) == words


def test_spelling_does_not_matter() -> None:
    assert spelled("É") == spelled("e") == "e"
    assert spelled("Straße") == "strasse"
    assert spelled("الإسم") == spelled("الاسم")
    assert spelled("が") == "が", "marks of kana are letters"


def made(**entries: str) -> Lexicon:
    found = Lexicon()
    for block, entry in entries.items():
        found.add(block, "en", entry)
    return found


def blocks(found: Lexicon, *words: str) -> set[str]:
    return {one.block for one in found.matches(list(words))}


def test_entries_of_several_words_are_found_joined_and_apart() -> None:
    found = made(birth="date of birth")
    assert list(found.matches(["date", "of", "birth"])) == [Match("birth", 0, 3, 11, alone=False)]
    assert blocks(found, "dateofbirth") == {"birth"}
    assert blocks(found, "patient", "date", "of", "birth", "2") == {"birth"}
    assert blocks(found, "date", "birth") == set()


def test_entries_with_a_star_are_beginnings_or_endings() -> None:
    found = made(job="occup*", street="*strasse")
    assert blocks(found, "occupation") == {"job"}
    assert blocks(found, "hauptstrasse") == {"street"}
    assert blocks(found, "preoccupied") == set()


def test_an_entry_in_brackets_counts_alone() -> None:
    (match,) = made(title="(title)").matches(["title"])
    assert match.alone


def test_umlauts_may_be_written_out_and_articles_left_away() -> None:
    found = Lexicon()
    found.add("size", "de", "größe")
    found.add("card", "fr", "pièce d'identité")
    assert blocks(found, *tokens("Groesse")) == blocks(found, *tokens("Größe")) == {"size"}
    assert blocks(found, *tokens("piece_identite")) == {"card"}


def test_short_words_of_other_languages_count_alone() -> None:
    """`nom` is a French name and an English abbreviation."""
    found = Lexicon()
    found.add("name", "fr", "nom")
    found.add("name", "fr", "nomm")
    assert [one.alone for one in found.matches(["nom"])] == [True]
    assert [one.alone for one in found.matches(["nomm"])] == [False]


def test_scripts_without_blanks_are_searched_inside_words() -> None:
    found = Lexicon()
    found.add("birth", "ja", "生年")
    (match, *_) = found.matches(["患者生年月"])
    assert (match.block, match.letters) == ("birth", 4), "a letter counts twice"
    assert is_written_together("患者")
    assert not is_written_together("пол")


def test_the_ending_of_a_number_is_taken_off_what_is_known() -> None:
    found = made(town="town", idle="void")
    assert found.parted(["townid", "townno", "xid", "void"]) == ["town", "id", "town", "no", "xid", "void"]
