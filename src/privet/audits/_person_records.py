"""One record for each person: what an attacker looks for is a person, not a row.

A patient with five stays is five rows with the same date of birth: counted by rows, the class looks safe, and
holds one person. With a unit, every person counts once; where a column varies between a person's rows, one of
the rows speaks for the person (the choice is the same on every engine and every time).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from privet.audits._attacker_knowledge import SeveralRows, several_rows
from privet.disclosure import labels_of, mixed_radix
from privet.engine import FrequencyTable, frequency_table

if TYPE_CHECKING:
    import pyarrow as pa

    from privet.engine import Relation


@dataclass(frozen=True, eq=False)
class PersonRecords:
    """Records as integer codes, owner only. Without a unit, each row is a record, and equal ones are kept together.

    `owners` holds the unit's code of each record, or nothing without a unit; `counts` how many people share it.
    """

    columns: tuple[str, ...]
    codes: NDArray[np.int32] = field(repr=False)
    counts: NDArray[np.int64] = field(repr=False)
    labels: tuple[pa.Array, ...] = field(repr=False)
    rows: int
    owners: NDArray[np.int32] | None = field(repr=False, default=None)
    owner_labels: pa.Array | None = field(repr=False, default=None)
    rows_of_owner: NDArray[np.int64] | None = field(repr=False, default=None)
    groups_of_owner: dict[str, NDArray[np.int64]] = field(repr=False, default_factory=dict)
    several: SeveralRows | None = field(repr=False, default=None)

    def __len__(self) -> int:
        return int(self.counts.sum())

    @property
    def varying(self) -> tuple[str, ...]:
        """The columns that differ between some person's rows."""
        return tuple(name for name, groups in self.groups_of_owner.items() if groups.max(initial=0) > 1)

    def places(self, columns: Sequence[str]) -> list[int]:
        """Where these columns are among the codes."""
        return [self.columns.index(name) for name in columns]

    def cardinality(self, column: str) -> int:
        """How many values a column has, a missing one included."""
        return len(self.labels[self.columns.index(column)])

    def missing_code(self, column: str) -> int | None:
        """The code that stands for a missing value, if there is one."""
        labels = self.labels[self.columns.index(column)]
        return len(labels) - 1 if labels.null_count else None


def people(
    relation: Relation,
    columns: Sequence[str],
    unit: tuple[str, ...],
    *,
    quasi: Sequence[str] = (),
    sensitive: Sequence[str] = (),
) -> PersonRecords:
    """Read the table once, and keep one record for each person.

    Args:
        relation: The rows.
        columns: The columns to keep.
        unit: The columns that say whose row it is, none if each row is one record.
        quasi: What an attacker may know, for the figures about people with several rows.
        sensitive: What must not be learned, likewise.
    """
    wanted = [name for name in columns if name not in unit]
    if not unit:
        found = frequency_table(relation, wanted)
        return PersonRecords(found.columns, found.codes, found.counts, found.labels, int(found.counts.sum()))
    table = _with_one_owner(frequency_table(relation, [*unit, *wanted]), len(unit))
    return replace(_by_person(table), several=several_rows(table, quasi, sensitive))


def _with_one_owner(found: FrequencyTable, width: int) -> FrequencyTable:
    """The table with one column for the unit, which may be several together; nobody's rows have no owner."""
    import pyarrow as pa

    if width == 1:
        return found
    missing = [len(labels) - 1 if labels.null_count else -1 for labels in found.labels[:width]]
    nobody = (found.codes[:, :width] == np.array(missing)).any(axis=1)
    sizes = [max(1, len(labels)) for labels in found.labels[:width]]
    keys, space = mixed_radix([found.codes[:, at].astype(np.int64) for at in range(width)], sizes)
    owners = np.full(len(found), -1, np.int64)
    owners[~nobody] = labels_of(keys[~nobody], space)
    number = int(owners.max(initial=-1)) + 1
    names = [*range(number), None] if nobody.any() else list(range(number))
    owners[nobody] = number
    order = np.argsort(owners, kind="stable")
    return FrequencyTable(
        ("", *found.columns[width:]),
        np.column_stack([owners, found.codes[:, width:]])[order].astype(np.int32),
        found.counts[order],
        (pa.array(names, pa.int64()), *found.labels[width:]),
    )


def _by_person(found: FrequencyTable) -> PersonRecords:
    owners, codes = found.codes[:, 0], found.codes[:, 1:]
    labels = found.labels[0]
    nobody = len(labels) - 1 if labels.null_count else -1
    lone = owners == nobody  # rows without a person: each stands for itself
    starts = np.flatnonzero(np.diff(owners, prepend=-1))
    lengths = np.diff(starts, append=len(owners))
    picked = starts + _spread(owners[starts], lengths)
    picked = picked[~lone[picked]]
    chosen = np.concatenate([picked, np.flatnonzero(lone)])
    counts = np.ones(len(chosen), np.int64)
    counts[len(picked) :] = found.counts[lone]
    rows_of_owner = np.bincount(owners[~lone], weights=found.counts[~lone], minlength=len(labels))
    persons = len(labels) - (nobody >= 0)
    return PersonRecords(
        found.columns[1:],
        codes[chosen],
        counts,
        found.labels[1:],
        rows=int(found.counts.sum()),
        owners=owners[chosen],
        owner_labels=labels,
        rows_of_owner=rows_of_owner[:persons].astype(np.int64),
        groups_of_owner={
            name: _groups(owners[~lone], codes[~lone, at], persons)
            for at, name in enumerate(found.columns[1:])
        },
    )


def _spread(owners: NDArray[np.int32], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each person, a place among the rows: mixed from the person's code, so that no value is favoured."""
    mixed = (owners.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(31)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(27)
    return (mixed % lengths.astype(np.uint64)).astype(np.int64)


def _groups(owners: NDArray[np.int32], codes: NDArray[np.int32], persons: int) -> NDArray[np.int64]:
    """In how many groups of one column each person has rows; rows of one person follow each other, by code."""
    known = np.bincount(owners, minlength=persons)
    many = known[owners] > 1
    pairs = owners[many].astype(np.int64) << 32 | codes[many].astype(np.int64)
    pairs.sort(kind="stable")  # runs in order already: np.unique hashes, several times slower on many rows
    pairs = pairs[np.diff(pairs, prepend=-1) != 0]
    return np.where(known > 1, np.bincount(pairs >> 32, minlength=persons), known).astype(np.int64)
