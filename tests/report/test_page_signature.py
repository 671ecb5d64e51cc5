"""The signature on a page covers every letter before it."""

import pytest
from tests.evidence.keys import KEYS, signing

from privet.errors import EvidenceBroken
from privet.evidence import standing_of
from privet.report import page_record
from privet.report._page_signature import signed_page

PAGE = "<html><p>epsilon 1</p></html>\n"


def test_a_page_is_signed_as_it_stands():
    page = signed_page(PAGE, signing())
    assert page.startswith(PAGE)
    assert standing_of(page_record(page), KEYS).believed
    assert signed_page(PAGE, None) == PAGE
    assert not standing_of(page_record(PAGE), KEYS).believed


@pytest.mark.parametrize("change", [("epsilon 1", "epsilon 0.1"), ("</html>\n", "</html>\n<p>more</p>")])
def test_a_page_that_was_changed_is_refused(change):
    page = signed_page(PAGE, signing()).replace(*change)
    with pytest.raises(EvidenceBroken):
        standing_of(page_record(page), KEYS)


def test_what_follows_the_signature_makes_it_none():
    page = signed_page(PAGE, signing()) + "<p>more</p>"
    assert not standing_of(page_record(page), KEYS).believed
