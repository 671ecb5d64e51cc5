"""Sealed keys: nobody reads them without paying."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pyarrow as pa
import pytest

from privet.errors import SealBroken
from privet.sealed import SealedKeys

KEYS = SealedKeys(pa.table({"ward": ["rare disease", "A"]}))


def test_they_print_as_sealed_and_tell_only_their_shape():
    assert repr(KEYS) == str(KEYS) == f"{KEYS:>3}" == "<sealed>"
    assert (len(KEYS), KEYS.columns) == (2, ("ward",))


@pytest.mark.parametrize(
    "use",
    [
        list,
        bool,
        hash,
        copy.copy,
        copy.deepcopy,
        pickle.dumps,
        np.asarray,
        pa.table,
        lambda keys: keys[0],
        lambda keys: "A" in keys,
        lambda keys: keys == keys,  # noqa: PLR0124
        lambda keys: setattr(keys, "_exact", None),
    ],
)
def test_every_use_is_refused(use):
    with pytest.raises(SealBroken):
        use(KEYS)
