"""A table as distinct tuples of integer codes with counts, and its grouping by any of its columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privet.disclosure._tuple_groups import Integers, labels_of, mixed_radix, sizes_of, totals_of
from privet.errors import BadCodes


@dataclass(frozen=True, eq=False)
class Groups:
    """Which group each distinct tuple belongs to, and how many rows each group has."""

    labels: NDArray[np.int64] = field(repr=False)
    sizes: NDArray[np.int64] = field(repr=False)

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def of_each(self) -> NDArray[np.int64]:
        """The size of the group that each distinct tuple belongs to."""
        return self.sizes[self.labels]


@dataclass(frozen=True, eq=False)
class Codes:
    """Distinct tuples (one line each) with their counts.

    `codes[:, j]` lies in 0 … `cardinalities[j]` - 1, in the order of the values it stands for. `missing[j]` is
    the code that means "no value" in column j, or None where every row has one. Two tables can be compared
    only when the same code means the same value in both.
    """

    columns: tuple[str, ...]
    codes: NDArray[np.int32] = field(repr=False)
    counts: NDArray[np.int64] = field(repr=False)
    cardinalities: tuple[int, ...]
    missing: tuple[int | None, ...]

    def __post_init__(self) -> None:
        width = len(self.columns)
        if width == 0 or len(set(self.columns)) < width:
            raise BadCodes("columns must be named, and each only once.")
        if not (len(self.cardinalities) == len(self.missing) == width):
            raise BadCodes("every column needs its cardinality and its code for missing values.")
        codes = np.asfortranarray(self.codes, np.int32)  # by column: grouping reads whole columns
        counts = np.ascontiguousarray(self.counts, np.int64)
        if codes.shape != (len(counts), width):
            raise BadCodes("codes must have one line for each count and one column for each name.")
        if len(counts) and (counts.min() < 1 or codes.min() < 0):
            raise BadCodes("codes start at 0 and counts at 1.")
        if len(counts) and (codes.max(axis=0) >= np.asarray(self.cardinalities)).any():
            raise BadCodes("a code is not below its column's cardinality.")
        object.__setattr__(self, "codes", codes)
        object.__setattr__(self, "counts", counts)

    def __len__(self) -> int:
        return len(self.counts)

    @classmethod
    def from_rows(
        cls, columns: Sequence[str], rows: ArrayLike, *, missing: Sequence[int | None] | None = None
    ) -> Codes:
        """Codes of a table given row by row, already as integers."""
        lines = np.asarray(rows, np.int32).reshape(-1, len(columns))
        absent = tuple(missing) if missing is not None else (None,) * len(columns)
        highest = lines.max(axis=0, initial=-1) + 1
        cardinalities = tuple(
            max(int(top), (gap + 1) if gap is not None else 0)
            for top, gap in zip(highest, absent, strict=True)
        )
        every = cls(tuple(columns), lines, np.ones(len(lines), np.int64), cardinalities, absent)
        return every.only(columns)

    @cached_property
    def rows(self) -> int:
        """How many rows the table has."""
        return int(self.counts.sum())

    @cached_property
    def weights(self) -> NDArray[np.int64] | None:
        """The counts, or None when every tuple occurs once: grouping is faster then."""
        return None if self.rows == len(self.counts) else self.counts

    def positions(self, columns: Sequence[str] | None = None) -> tuple[int, ...]:
        """Where the named columns stand; all of them when none is named."""
        if columns is None:
            return tuple(range(len(self.columns)))
        places = {name: at for at, name in enumerate(self.columns)}
        if not columns or len(set(columns)) < len(columns) or any(name not in places for name in columns):
            raise BadCodes("columns to group by must exist, and each be named once.")
        return tuple(places[name] for name in columns)

    def keys(self, at: Sequence[int]) -> tuple[Integers, int]:
        """One whole number for each tuple, equal exactly where the columns at these places are equal."""
        return mixed_radix([self.codes[:, j] for j in at], [self.cardinalities[j] for j in at])

    def groups(self, columns: Sequence[str] | None = None) -> Groups:
        """The classes of rows that are equal in the named columns (all when none is named)."""
        keys, space = self.keys(self.positions(columns))
        labels = labels_of(keys, space)
        return Groups(labels, totals_of(labels, self.counts, 0))

    def sizes(self, columns: Sequence[str] | None = None) -> NDArray[np.int64]:
        """The sizes of the classes only: faster than `groups`."""
        return self.sizes_at(self.positions(columns))

    def sizes_at(self, at: Sequence[int]) -> NDArray[np.int64]:
        """The sizes of the classes by the columns at these places."""
        keys, space = self.keys(at)
        return sizes_of(keys, space, self.weights)

    def only(self, columns: Sequence[str]) -> Codes:
        """The table with these columns alone, in this order, regrouped and in order of codes."""
        at = self.positions(columns)
        groups = self.groups(columns)
        first = np.zeros(len(groups), np.int64)
        first[groups.labels] = np.arange(len(self))
        return Codes(
            tuple(columns),
            np.stack([self.codes[first, j] for j in at], axis=1),
            groups.sizes,
            tuple(self.cardinalities[j] for j in at),
            tuple(self.missing[j] for j in at),
        )

    def where(self, chosen: NDArray[np.bool_]) -> Codes:
        """The table without the tuples that were not chosen."""
        return Codes(self.columns, self.codes[chosen], self.counts[chosen], self.cardinalities, self.missing)
