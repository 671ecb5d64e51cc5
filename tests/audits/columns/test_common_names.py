"""Lists of names are compared with words made plain: each entry must be one, or it would never be found."""

from privet.audits.columns._common_names import FAMILY, GIVEN, TITLES
from privet.audits.columns._person_attributes import is_family, is_given, plain_word


def test_every_entry_is_written_as_words_are_compared():
    strange = [word for word in GIVEN | FAMILY | TITLES if plain_word(word) != word or not word.isalpha()]
    assert strange == []


def test_no_title_is_a_name():
    """A title is dropped before names are looked up: as a name it would never count."""
    assert not TITLES & (GIVEN | FAMILY)


def test_every_name_is_found_as_it_is_written_in_a_register():
    assert [word for word in GIVEN if not is_given(word.capitalize())] == []
    assert [word for word in FAMILY if not is_family(word.capitalize())] == []


def test_names_of_several_languages_are_there():
    assert {"mary", "fatima", "agnieszka", "hiroshi", "priya", "jose", "anna"} <= GIVEN
    assert {"smith", "nguyen", "kowalski", "garcia", "singh", "mueller", "yilmaz"} <= FAMILY
