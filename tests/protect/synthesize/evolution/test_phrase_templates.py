"""Sentences from phrases: filled from public words, varied by degree, stored and read back."""

import pytest

from privet.errors import BadSynthesis
from privet.protect.synthesize.evolution import Phrases

WORDS = {"who": ["A child", "A man"], "what": ["a cough", "a rash", "pain"]}


def phrases() -> Phrases:
    return Phrases(
        ["{who} came with {what}."], WORDS, by_label={"surgery": ["{who} was operated on for {what}."]}
    )


def test_texts_are_made_of_public_words_alone() -> None:
    made = phrases()
    texts = {made.shown(one) for one in made.random(200, None)}
    assert texts <= {f"{who} came with {what}." for who in WORDS["who"] for what in WORDS["what"]}
    assert len(texts) > 3


def test_templates_of_a_label_are_for_that_label() -> None:
    made = phrases()
    assert any("operated" in made.shown(one) for one in made.random(200, "surgery"))
    assert not any("operated" in made.shown(one) for one in made.random(200, "medicine"))


def test_a_small_degree_changes_less_than_a_large_one() -> None:
    made = phrases()
    before = made.random(500, None)
    changed = [
        sum(a != b for a, b in zip(before, made.variation(before, None, degree), strict=True))
        for degree in (0.0, 1.0)
    ]
    assert changed[0] < changed[1]


def test_what_is_stored_is_read_back() -> None:
    made = phrases()
    for one in made.random(20, "surgery"):
        assert made.unpacked(made.packed(one)) == one


@pytest.mark.parametrize(
    ("templates", "words"), [([], WORDS), (["{nobody}"], WORDS), (["{who}"], {"who": []})]
)
def test_slots_without_words_are_refused(templates: list[str], words: dict[str, list[str]]) -> None:
    with pytest.raises(BadSynthesis):
        Phrases(templates, words)
