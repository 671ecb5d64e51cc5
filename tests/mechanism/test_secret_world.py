"""The secret world: drawn evenly, told to nobody, and kept so that a session can go on."""

import copy
import json
import pickle

import numpy as np
import pytest

from privet.errors import BadAmount, SealBroken, UnknownRecord
from privet.mechanism import SecretWorld


def test_every_world_is_drawn_equally_often() -> None:
    """Chi-squared with 7 degrees of freedom over 8,000 draws; beyond 45 in less than one of 10^6 runs."""
    counts = np.bincount([SecretWorld.fresh(8)._index for _ in range(8_000)], minlength=8)
    assert len(counts) == 8
    assert np.square(counts - 1_000).sum() / 1_000 < 45


def test_no_two_secrets_share_their_worlds() -> None:
    assert SecretWorld.fresh(8).seed != SecretWorld.fresh(8).seed


@pytest.mark.parametrize("worlds", [0, 1, 3, 127, 2048, -2])
def test_worlds_come_in_pairs(worlds) -> None:
    with pytest.raises(BadAmount):
        SecretWorld.fresh(worlds)


def test_it_is_not_made_shown_or_copied() -> None:
    secret = SecretWorld.fresh(4)
    assert repr(secret) == "<secret world>"
    with pytest.raises(SealBroken):
        SecretWorld(3)
    for take in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(SealBroken):
            take(secret)


def test_weights_start_level_and_follow_what_is_told() -> None:
    secret = SecretWorld.fresh(4)
    assert secret.weights().tolist() == [0.25] * 4  # exact: a power of two
    after = secret.updated(np.log([1.0, 1.0, 2.0, 4.0]))
    assert after.weights() == pytest.approx([0.125, 0.125, 0.25, 0.5])
    assert after.updated(np.log([4.0, 4.0, 2.0, 1.0])).weights() == pytest.approx([0.25] * 4)
    assert after._index == secret._index
    assert secret.weights().tolist() == [0.25] * 4  # exact: a power of two


def test_it_comes_back_from_its_record_bit_by_bit() -> None:
    secret = SecretWorld.fresh(6).updated(np.array([0.1, -3, 1 / 3, -1e-300, -700, 0.0]))
    again = SecretWorld.read(json.loads(secret.content()))
    assert again.content() == secret.content()
    assert again._log_weights.tolist() == secret._log_weights.tolist()  # exact: written in hexadecimal


@pytest.mark.parametrize(
    "change",
    [
        {"index": 6},
        {"index": -1},
        {"worlds": 8},
        {"schema": 2},
        {"log_weights": ["nan"] * 6},
        {"log_weights": ["-0x1p0"] * 6},
    ],
)
def test_a_record_that_was_bent_is_refused(change) -> None:
    record = json.loads(SecretWorld.fresh(6).content()) | change
    with pytest.raises(UnknownRecord):
        SecretWorld.read(record)
    with pytest.raises(UnknownRecord):
        SecretWorld.read([])
