"""People of two tables, brought to the same integer codes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privet.audits._person_records import PersonRecords
from privet.disclosure.linkage import Sides, aligned


def sides_of(left: PersonRecords, right: PersonRecords, columns: tuple[tuple[str, str], ...]) -> Sides:
    """Bring both tables to the same codes, column by column."""
    left_rows, right_rows = _rows(left), _rows(right)
    ours, theirs, labels = [], [], []
    for mine, other in columns:
        at, there = left.columns.index(mine), right.columns.index(other)
        a, b, both = aligned(left.labels[at], right.labels[there])
        ours.append(a[left.codes[left_rows, at]])
        theirs.append(b[right.codes[right_rows, there]])
        labels.append(both)
    return Sides(
        columns,
        np.stack(ours, axis=1),
        np.stack(theirs, axis=1),
        tuple(labels),
        _ids(left, left_rows),
        _ids(right, right_rows),
    )


def _rows(people: PersonRecords) -> NDArray[np.int64]:
    """Each person's record; records that several people share are repeated."""
    return np.repeat(np.arange(len(people.counts)), people.counts)


def _ids(people: PersonRecords, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """The unit's code for each person, or -1 for people without one."""
    if people.owners is None or people.owner_labels is None:
        return np.full(len(rows), -1, np.int64)
    owners = people.owners[rows].astype(np.int64)
    nobody = len(people.owner_labels) - 1 if people.owner_labels.null_count else -1
    return np.where(owners == nobody, -1, owners)
