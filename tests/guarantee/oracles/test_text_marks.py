"""Texts as words: separate functions for texts and fragments, and the same numbers as devices in other languages have."""

import numpy as np

from privet.guarantee.oracles import CHECKS, fragment_marks, text_checks, text_marks, text_words

CODES = np.array([[1, 2, 0], [2, 1, 0], [1, 2, 3]])


def test_texts_and_fragments_have_functions_of_their_own() -> None:
    """The keys are part of the format: a device in another language has the same numbers."""
    assert text_marks(CODES, 9).tolist() == text_words(CODES, 9 ^ 0x77).tolist()
    checks = text_checks(text_marks(CODES, 9))
    pieces = fragment_marks(checks, CODES[:, :2], 1, 9)
    assert pieces.tolist() == text_words(np.column_stack([checks, CODES[:, :2]]), 9 ^ 0x63 ^ 0x10000).tolist()
    assert set(pieces.tolist()).isdisjoint(fragment_marks(checks, CODES[:, :2], 0, 9).tolist())


def test_a_check_has_eight_bits() -> None:
    many = np.arange(3 * 20_000).reshape(-1, 3)
    assert set(text_checks(text_marks(many, 1)).tolist()) == set(range(CHECKS))
