"""A summand is residues under seal."""

import copy
import pickle

import numpy as np
import pytest

from privet.errors import BadCohort, SealBroken
from privet.sharing import Contribution, centred, joined_contributions
from privet.sharing._contribution import masked_copy, words_of


@pytest.mark.parametrize("width", [32, 64])
def test_residues_stand_for_the_numbers(width: int) -> None:
    numbers = [0, 1, -1, 2 ** (width - 1) - 1, -(2 ** (width - 1))]
    words = masked_copy(Contribution(numbers, width))
    assert words.dtype == words_of(width)
    assert centred(words).tolist() == numbers


def test_nothing_shows_and_nothing_is_done_with_it() -> None:
    sealed = Contribution([41, 42])
    assert repr(sealed) == "<contribution>"
    assert len(sealed) == 2
    for act in (list, np.asarray, bool, copy.copy, pickle.dumps, lambda x: x + 1, lambda x: x == x, hash):  # noqa: PLR0124
        with pytest.raises(SealBroken):
            act(sealed)
    with pytest.raises(SealBroken):
        sealed.width = 32


@pytest.mark.parametrize("wrong", [[0.5], [[1]], [float("nan")], ["a"], 3])
def test_only_flat_whole_numbers_are_added(wrong: object) -> None:
    with pytest.raises(BadCohort):
        Contribution(wrong)
    with pytest.raises(BadCohort):
        Contribution([1], 16)


def test_copies_are_their_own() -> None:
    sealed = Contribution([1, 2])
    masked_copy(sealed)[:] = 9
    assert masked_copy(sealed).tolist() == [1, 2]


def test_summands_are_joined_in_order_and_of_one_width() -> None:
    both = joined_contributions([Contribution([1, -2]), Contribution([3])])
    assert centred(masked_copy(both)).tolist() == [1, -2, 3]
    with pytest.raises(BadCohort):
        joined_contributions([Contribution([1]), Contribution([1], 32)])
    with pytest.raises(BadCohort):
        joined_contributions([])
