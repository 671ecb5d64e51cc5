"""Names of persons, bands of age, and the words of a census; products and codes that sound like them."""

import pytest
from tests.audits.columns.forms import matched, of_category

from privet.audits.columns._person_attributes import (
    DETECTORS,
    is_age_band,
    is_family,
    is_given,
    is_name,
    name_words,
    plain_word,
)


@pytest.mark.parametrize(
    ("test", "yes", "no"),
    [
        (is_name, "Smith, John|Dr. Anna Müller|Maria García López", "Smith|Green Lamp|John2 Smith|the"),
        (is_given, "Anna|Anna-Maria|anna", "ANN|Anna Maria Thomas|Kowalczyk"),
        (is_family, "Smith|Smith-Miller", "LI|Lamp|Smith Miller Walker"),
        (is_age_band, "30-39|[30, 40)|<18|65+|80 and over|100 to 129", "30-130|30|2024-2025|a-b|-"),
    ],
    ids=lambda thing: getattr(thing, "__name__", ""),
)  # fmt: skip
def test_forms(test, yes, no):
    assert matched(test, yes) == yes.split("|")
    assert matched(test, no) == []


def test_words_of_a_name_leave_titles_and_initials_out():
    assert name_words("Dr. José A. García-Márquez") == ["jose", "garcia", "marquez"]
    assert name_words("x") == []
    assert name_words("John2 Smith") == []
    assert name_words("anna " * 12 + "a") == [], "more than sixty characters are no name"


def test_accents_and_capitals_do_not_matter():
    assert plain_word("MÜLLER") == plain_word("muller") == "muller"
    assert plain_word("Żółć") == "zołc", "letters that Unicode does not take apart stay"


@pytest.mark.parametrize(
    ("category", "yes", "no"),
    [
        ("user.demographic.gender", "Female.", "Femal"),
        ("user.demographic.marital_status", "never-married", "wed"),
        ("user.demographic.race", "Two or more races", "two"),
        ("user.demographic.religion", "Jehovah's Witness", "witness"),
        ("user.demographic.politics", "Bündnis 90/Die Grünen", "party"),
        ("user.demographic.sexual_orientation", "BISEXUAL", "sexual"),
        ("user.demographic.education", "hs-grad", "grad"),
        ("user.employment", "self-emp-inc", "inc"),
        ("user.demographic.family", "own-child", "own"),
    ],
)
def test_words_of_a_census_are_whole_values(category, yes, no):
    assert of_category(DETECTORS, category, yes)
    assert not of_category(DETECTORS, category, no)
