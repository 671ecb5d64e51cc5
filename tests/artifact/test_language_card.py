"""The card of a language model: promise, unit, how it was made and where it ends, and no text."""

from dataclasses import replace

from tests.protect.train.language.small_runs import NOTES, once

from privet.evidence import CLAIMED


def test_it_says_what_is_promised_to_whom_and_how_it_was_made() -> None:
    record = once().record
    card = record.card()
    for said in (
        record.promise.sentence_about(None).split(",")[0],
        "a given 'document'",
        record.terms.sentence(),
        "from scratch (llama style, 1 layers of width 16",
        "- tokenizer: bytes",
        "- steps: 4",
        "about 12 of 24 units a step",
        "Booked as entry 3",
        "| 4 | ",
        "nearly, is hidden only as far as the promise for",
    ):
        assert said in card, said
    assert not any(note in card for note in NOTES)


def test_whose_word_it_is_stands_on_it_where_that_is_known() -> None:
    card = replace(once().record, standing=CLAIMED).card()
    assert CLAIMED.sentence() in card
    assert CLAIMED.sentence() not in once().card()


def test_without_public_text_there_is_no_curve() -> None:
    assert "| step | loss |" in once().card()
    assert "| step | loss |" not in replace(once().record, curve=()).card()
