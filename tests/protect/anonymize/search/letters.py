"""Letters and digits with hierarchies of two levels, and an illness beside them."""

import numpy as np
from hypothesis import strategies as st

from privet.disclosure import Codes
from privet.protect.anonymize.hierarchies import Hierarchy

LETTERS = Hierarchy.from_paths("letter", [(c, "ab" if c < "c" else "cd", "*") for c in "abcd"])


DIGITS = Hierarchy.from_paths("digit", [("1", "low", "*"), ("2", "low", "*"), ("3", "high", "*")])


tables = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 2)), min_size=6, max_size=60)


def coded(rows):
    every = Codes.from_rows(("letter", "digit", "ill"), rows)
    return Codes(every.columns, every.codes, every.counts, (4, 3, 3), (None,) * 3)


def ladders():
    return [LETTERS.ladder("abcd"), DIGITS.ladder("123")]


def assert_classes(found, k):
    kept = ~found.suppressed
    sizes = np.bincount(found.labels[kept], weights=found.counts[kept])
    assert sizes.min() >= k
    assert found.classes == len(sizes)
