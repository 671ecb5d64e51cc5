"""Canonical forms: the same result in another order, with other signs or turned becomes the same output."""

import numpy as np
import pytest

from privet.errors import InternalError
from privet.protect.pac import canonical

GENERATOR = np.random.default_rng(2)
REFERENCE = GENERATOR.normal(size=(4, 3))


def test_as_it_is() -> None:
    assert canonical(REFERENCE, "as it is", None) is REFERENCE


def test_sorted_rows_are_whole_rows() -> None:
    for _ in range(10):
        order = GENERATOR.permutation(4)
        assert (
            canonical(REFERENCE[order], "sorted", None).tolist()
            == canonical(REFERENCE, "sorted", None).tolist()
        )
    found = canonical(REFERENCE, "sorted", None)
    assert sorted(map(tuple, REFERENCE.tolist())) == list(map(tuple, found.tolist()))
    assert canonical(np.array([3.0, 1.0, 2.0]), "sorted", None).tolist() == [1, 2, 3]


def test_signs_follow_the_reference_row_by_row() -> None:
    signs = np.array([[1.0], [-1.0], [-1.0], [1.0]])
    assert canonical(REFERENCE * signs, "signs", REFERENCE) == pytest.approx(REFERENCE)
    assert canonical(-REFERENCE[0], "signs", REFERENCE[0]) == pytest.approx(REFERENCE[0])


def test_matched_rows_are_in_the_references_order() -> None:
    near = REFERENCE + GENERATOR.normal(0, 0.01, REFERENCE.shape)
    for _ in range(10):
        assert canonical(near[GENERATOR.permutation(4)], "matched", REFERENCE) == pytest.approx(near)


def test_rotated_rows_lie_as_the_reference_does() -> None:
    turn = np.linalg.qr(GENERATOR.normal(size=(3, 3)))[0]
    assert canonical(REFERENCE @ turn, "rotated", REFERENCE) == pytest.approx(REFERENCE)


def test_a_form_without_its_reference_was_never_planned() -> None:
    with pytest.raises(InternalError):
        canonical(REFERENCE, "matched", None)
    with pytest.raises(InternalError):
        canonical(REFERENCE, "rotated", REFERENCE[:2])
    with pytest.raises(InternalError):
        canonical(REFERENCE, "upside down", REFERENCE)
