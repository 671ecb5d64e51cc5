"""Outputs of worlds under seal: how many and how long is public, and nothing else can be had."""

import copy
import pickle

import numpy as np
import pytest

from privet.errors import BadSensitivity, SealBroken
from privet.sealed import LEVELS, SealedWorlds

SEALED = SealedWorlds(np.arange(6).reshape(3, 2))


def test_only_its_size_is_public() -> None:
    assert (SEALED.worlds, SEALED.coordinates) == (3, 2)
    assert repr(SEALED) == f"{SEALED}" == "<sealed worlds>"


@pytest.mark.parametrize(
    "use",
    [
        list,
        np.asarray,
        len,
        bool,
        copy.copy,
        copy.deepcopy,
        pickle.dumps,
        hash,
        lambda it: it[0],
        lambda it: it + 1,
        lambda it: it == it,  # noqa: PLR0124
        lambda it: setattr(it, "_exact", None),
    ],
)
def test_nothing_reads_or_changes_it(use) -> None:
    with pytest.raises(SealBroken):
        use(SEALED)


@pytest.mark.parametrize(
    "wrong",
    [np.zeros((2, 2)), np.zeros(3, np.int64), np.zeros((0, 3), np.int64), np.full((2, 2), 2**LEVELS + 1)],
)
def test_only_whole_steps_of_a_grid_are_sealed(wrong) -> None:
    with pytest.raises(BadSensitivity):
        SealedWorlds(wrong)


def test_what_was_handed_over_cannot_be_changed_afterwards() -> None:
    content = np.zeros((2, 2), np.int64)
    sealed = SealedWorlds(content)
    content[:] = 7
    assert sealed._exact.tolist() == [[0, 0], [0, 0]]


def test_an_output_at_its_bound_is_sealed() -> None:
    assert SealedWorlds(np.array([[2**LEVELS, -(2**LEVELS)]])).coordinates == 2
