"""Arrays set aside: the same numbers from a file that has no name, and nothing of it is left."""

import numpy as np
import pytest

from privet.engine import _array_store as array_store
from privet.engine._array_store import set_aside
from privet.engine._spill_folder import spill_folder
from privet.errors import FileProblem


def test_blocks_become_one_array_each_that_lies_in_a_file_without_a_name():
    before = set(spill_folder().iterdir())
    draw = np.random.default_rng(0)
    codes, wanted = draw.integers(0, 200, (70, 3)).astype(np.uint8), draw.normal(size=70)
    found = set_aside((codes[at : at + 30], wanted[at : at + 30]) for at in range(0, 90, 30))
    assert set(spill_folder().iterdir()) == before
    assert [type(one) for one in found] == [np.memmap, np.memmap]
    assert np.array_equal(found[0], codes)
    assert np.array_equal(found[1], wanted)
    with pytest.raises(ValueError, match="read-only"):
        found[0][0, 0] = 1


def test_none_at_all_keeps_its_shape():
    codes, wanted = set_aside([(np.zeros((0, 3), np.uint8), np.zeros(0))])
    assert (codes.shape, codes.dtype, wanted.shape) == ((0, 3), np.uint8, (0,))


def test_blocks_of_other_kinds_are_no_blocks_of_the_same_rows():
    with pytest.raises(TypeError):
        set_aside([(np.zeros((2, 3), np.uint8),), (np.zeros((2, 3), np.int32),)])


def test_a_full_disk_is_said_so(monkeypatch):
    def full():
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(array_store, "_file", full)
    with pytest.raises(FileProblem, match="set aside"):
        set_aside([(np.zeros((2, 3), np.uint8),)])
