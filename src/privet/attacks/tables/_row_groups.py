"""Rows that fall on one side together, among those used or among those kept apart: a person's, or equal ones.

Who is kept apart is decided person by person, and where each row counts by itself by the row's values, so that equal rows stay
together. Whoever draws single rows from the larger side, and not from the smaller, compares many different people with a few that
come several times: the larger side then looks nearer to anything that was published, whatever that is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privet.attacks._seeded_generator import Draw
from privet.attacks.tables._gower_distance import labels_of_rows
from privet.attacks.tables._table_codes import as_text, coded

if TYPE_CHECKING:
    import pyarrow as pa

Groups: TypeAlias = NDArray[np.int64]  # of each row, the number of its group: 0, 1, …


def row_groups(members: pa.Table, control: pa.Table, person: str | None) -> tuple[Groups, Groups]:
    """Which rows of either side belong together: by person where a column says so, else equal rows.

    Equal rows belong together only if none is on both sides: otherwise somebody divided rows one by one, and each is alone.
    """
    if person is not None and all(person in side.column_names for side in (members, control)):
        return _persons(members, person), _persons(control, person)
    shared = [name for name in members.column_names if name in control.column_names]
    if not shared:
        return np.arange(members.num_rows), np.arange(control.num_rows)
    mine, others = coded([members, control], shared)
    labels = labels_of_rows(np.concatenate([mine.codes, others.codes]), mine)
    one, two = labels[: len(mine)], labels[len(mine) :]
    if np.intersect1d(one, two).size:
        return np.arange(len(one)), np.arange(len(two))
    return _numbered(one), _numbered(two)


def first_rows(groups: Groups) -> NDArray[np.int64]:
    """The first row of every group."""
    return np.sort(np.unique(groups, return_index=True)[1])


def some_rows(groups: Groups, size: int, draw: Draw) -> NDArray[np.int64]:
    """Places of so many rows, in order: whole groups in random order, the last cut off where it is too long."""
    rank = draw.permutation(int(groups.max(initial=-1)) + 1)[groups]
    return np.sort(np.argsort(rank, kind="stable")[:size])


def _persons(rows: pa.Table, column: str) -> Groups:
    """Whose each row is; a row without a name is a person of its own."""
    codes = as_text(rows[column]).combine_chunks().dictionary_encode()
    found = np.asarray(codes.indices.fill_null(-1).to_numpy(zero_copy_only=False), np.int64)
    alone = found < 0
    found[alone] = found.max(initial=-1) + 1 + np.arange(int(alone.sum()))
    return _numbered(found)


def _numbered(labels: NDArray[np.int64]) -> Groups:
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)
