"""A sealed answer says how long it is and how sensitive; everything else is refused."""

import copy
import operator
import pickle

import numpy as np
import pytest

from privet.errors import BadSensitivity, SealBroken
from privet.sealed import Sealed, Sensitivity

ONE = Sensitivity(1, 1, 1)
SECRET = 271828

USES = {
    "index": lambda s: s[0],
    "iterate": list,
    "unpack": lambda s: (*s,),
    "contain": lambda s: SECRET in s,
    "truth": bool,
    "int": int,
    "float": float,
    "as index": operator.index,
    "array": np.asarray,
    "numpy sum": np.sum,
    "numpy add": lambda s: np.add(s, 1),
    "add": lambda s: s + 1,
    "add to": lambda s: 1 + s,
    "subtract": lambda s: s - s,
    "subtract from": lambda s: 1 - s,
    "multiply": lambda s: s * 2,
    "multiply by": lambda s: 2 * s,
    "divide": lambda s: s / 2,
    "negate": operator.neg,
    "equal": lambda s: s == SECRET,
    "less": lambda s: s < SECRET,
    "hash": hash,
    "copy": copy.copy,
    "deep copy": copy.deepcopy,
    "pickle": pickle.dumps,
    "state": lambda s: s.__getstate__(),
    "set state": lambda s: s.__setstate__((None, {})),
    "lower the sensitivity": lambda s: setattr(s, "sensitivity", ONE),
    "replace the content": lambda s: setattr(s, "_exact", np.array([1])),
    "delete": lambda s: delattr(s, "sensitivity"),
}


@pytest.mark.parametrize("use", USES)
def test_every_use_is_refused_without_a_word_about_the_content(use):
    with pytest.raises(SealBroken) as refusal:
        USES[use](Sealed([SECRET], Sensitivity(1, 5, 5)))
    assert str(SECRET) not in str(refusal.value)


@pytest.mark.parametrize("show", [repr, str, "{}".format, "%s".__mod__, "{:>9}".format])
def test_it_prints_as_sealed(show):
    assert "sealed" in show(Sealed([SECRET], ONE))
    assert str(SECRET) not in show(Sealed([SECRET], ONE))


def test_length_and_sensitivity_are_public():
    answer = Sealed(np.arange(4, dtype=np.int32), ONE)
    assert len(answer) == 4
    assert answer.sensitivity == ONE
    assert not hasattr(answer, "__dict__")


@pytest.mark.parametrize(
    "exact",
    [[0.5], [[1, 2]], 3, np.array([2**63], dtype=np.uint64), ["1"], np.array([True])],
    ids=["real", "flat", "single", "large", "text", "truth"],
)
def test_only_flat_vectors_of_whole_numbers_are_sealed(exact):
    with pytest.raises(BadSensitivity):
        Sealed(exact, ONE)


def test_the_content_is_a_copy():
    source = np.array([1, 2])
    answer = Sealed(source, ONE)
    source[0] = 9
    assert answer._exact.tolist() == [1, 2]
    assert not answer._exact.flags.writeable


def test_an_entry_fits_64_bits_to_the_last_one():
    largest = 2**63 - 1
    step = Sensitivity(1, 1, 1)
    assert len(Sealed(np.array([0, largest], np.uint64), step)) == 2
    with pytest.raises(BadSensitivity, match="64-bit"):
        Sealed(np.array([0, largest + 1], np.uint64), step)
