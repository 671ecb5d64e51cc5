"""The card says what a shield is not."""

import pytest

from privet.errors import BadModel
from privet.protect.shield._shield_card import IS_NOT, shield_card

RECORD = {
    "model": "ab" * 32,
    "settings": {"steps": 10},
    "fitted": {"texts": 1200, "utility": "task", "strength": 0.05, "information": 4.61},
}


def test_every_limit_is_on_the_card_and_no_claim() -> None:
    text = shield_card(RECORD)
    assert all(said in text for said in IS_NOT)
    assert "1,200" in text
    assert "epsilon =" not in text
    assert "protected" not in text


def test_a_record_that_lacks_a_field_is_refused() -> None:
    with pytest.raises(BadModel):
        shield_card({"settings": {}})
