"""Surrogates: all different, and of the column's kind."""

import numpy as np

from privet.engine import ColumnKind
from privet.protect.synthesize._surrogates import surrogates


def test_identifiers_are_different_and_look_alike() -> None:
    draws = np.random.default_rng(0)
    numbers = surrogates(ColumnKind.INTEGER, 5000, draws).to_pylist()
    assert len(set(numbers)) == 5000
    assert len({len(str(number)) for number in numbers}) == 1
    texts = surrogates(ColumnKind.TEXT, 5000, draws).to_pylist()
    assert len(set(texts)) == 5000
    assert {len(text) for text in texts} == {9}
