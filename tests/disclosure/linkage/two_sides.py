"""Two small tables in common codes, and what agrees in them by looking at every pair."""

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from privet.disclosure.linkage._aligned_sides import Sides

CELLS = st.one_of(st.none(), st.integers(0, 3))
ROWS = st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=12)


def sides(left, right, names=("a", "b")) -> Sides:
    """Both sides in codes, without an engine."""
    columns = list(zip(*left, *right, strict=True))
    labels = [sorted({cell for cell in column if cell is not None}) for column in columns]
    coded = [
        np.array(
            [
                [-1 if c is None else known.index(c) for c, known in zip(row, labels, strict=True)]
                for row in rows
            ]
        )
        for rows in (left, right)
    ]
    return Sides(
        tuple((name, name) for name in names),
        coded[0].astype(np.int32),
        coded[1].astype(np.int32),
        tuple(pa.array(known) for known in labels),
        np.arange(len(left)),
        np.arange(len(right)),
    )


def agree(one, other) -> bool:
    return all(a == b and a is not None for a, b in zip(one, other, strict=True))


def rows_of(found: Sides, side: str) -> list[tuple]:
    codes = getattr(found, side)
    return [
        tuple(None if code < 0 else found.labels[at][int(code)].as_py() for at, code in enumerate(row))
        for row in codes
    ]
