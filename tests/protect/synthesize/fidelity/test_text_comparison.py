"""Lengths and words of texts, counted by hand."""

import pytest

from privet.protect.synthesize.fidelity._text_comparison import compared


def test_lengths_words_and_shares() -> None:
    found = compared(["The cat", "the dog sat down"], ["The cat sat", "A cat ran"])
    assert found.words == (3, 3)
    assert found.vocabulary == (5, 5)
    assert found.known_words == pytest.approx(4 / 6), "the, cat, the, sat of six"
    assert found.covered_words == pytest.approx(4 / 6)
    assert 0 < found.length_distance < 1


def test_nothing_is_like_nothing() -> None:
    assert compared([], []).known_words == pytest.approx(0)
