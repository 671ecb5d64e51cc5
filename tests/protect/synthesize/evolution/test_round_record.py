"""A round is stored with its candidates and noisy votes, and read back as it was."""

import json
import zlib

import numpy as np
import pytest
from tests.protect.synthesize.evolution.texts import phrases

from privet.errors import UnknownRecord
from privet.protect.synthesize.evolution._round_record import Round, packed_round, unpacked_round


def test_a_round_is_read_back() -> None:
    made = phrases()
    one = Round([made.random(3, "a"), made.random(2, "b")], np.array([5, -7, 2**60, 0, 1]))
    found = unpacked_round(packed_round(one, made), made)
    assert found.candidates == one.candidates
    assert found.votes.tolist() == one.votes.tolist()
    assert [part.tolist() for part in found.by_class()] == [[5, -7, 2**60], [0, 1]]


def test_another_version_is_refused() -> None:
    made = phrases()
    record = json.loads(zlib.decompress(packed_round(Round([made.random(1, "a")], np.array([1])), made)))
    record["schema"] = 2
    with pytest.raises(UnknownRecord):
        unpacked_round(zlib.compress(json.dumps(record).encode()), made)
