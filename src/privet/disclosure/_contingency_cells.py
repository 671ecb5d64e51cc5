"""How often each sensitive value occurs in each class: a sparse matrix of counts, by class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from privet.disclosure._code_tuples import Codes
from privet.disclosure._tuple_groups import sorted_keys, starts_of
from privet.errors import BadCodes

Number = TypeVar("Number", np.int64, np.float64)


@dataclass(frozen=True, eq=False)
class ContingencyCells:
    """Counts of values in classes: those of class i are at `starts[i]` … `starts[i + 1]` - 1.

    Within a class, values ascend and counts are one or more. `shares[v]` is the share of value v among all
    people, the reference that classes are compared with. It stays fixed when classes are merged or dropped.
    `originals[v]` is the code that value v has in its column.
    """

    starts: NDArray[np.int64] = field(repr=False)
    values: NDArray[np.int64] = field(repr=False)
    counts: NDArray[np.int64] = field(repr=False)
    shares: NDArray[np.float64] = field(repr=False)
    originals: NDArray[np.int64] = field(repr=False)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def classes(self) -> NDArray[np.int64]:
        """The class of each cell."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Rows of each class."""
        return self.sum(self.counts)

    @cached_property
    def within(self) -> NDArray[np.float64]:
        """The share of each cell's value in its class."""
        return self.counts / self.sizes[self.classes]

    @cached_property
    def overall(self) -> NDArray[np.float64]:
        """The share of each cell's value among all people."""
        return self.shares[self.values]

    def sum(self, cells: NDArray[Number]) -> NDArray[Number]:
        """The sum over the cells of each class."""
        return np.add.reduceat(cells, self.starts[:-1]) if len(cells) else cells

    def largest(self, cells: NDArray[Number]) -> NDArray[Number]:
        """The largest among the cells of each class."""
        return np.maximum.reduceat(cells, self.starts[:-1]) if len(cells) else cells


def cells(codes: Codes, quasi: Sequence[str], sensitive: str) -> ContingencyCells:
    """The counts of a sensitive column in the classes by the quasi-identifiers, numbered as `Codes.groups` does."""
    (column,) = codes.positions([sensitive])
    if sensitive in quasi:
        raise BadCodes(
            "the sensitive column is among the quasi-identifiers.",
            "Measure it against the other columns, or do not call it sensitive.",
        )
    classes = codes.groups(quasi).labels
    return cells_of(classes, codes.codes[:, column].astype(np.int64), codes.counts)


def cells_of(
    classes: NDArray[np.int64],
    values: NDArray[np.int64],
    counts: NDArray[np.int64],
    shares: NDArray[np.float64] | None = None,
) -> ContingencyCells:
    """Cells from triples in any order; triples of the same class and value are added up.

    Classes are numbered from 0 without gaps. Without `shares`, the reference is these rows themselves and
    values are renumbered, so that only values that occur are counted; their order is kept.
    """
    if shares is None:
        used, values = np.unique(values, return_inverse=True)
        totals = np.bincount(values, weights=counts, minlength=len(used))
        shares = totals / max(1.0, totals.sum())
    else:
        used = np.arange(len(shares))
    width = max(1, len(shares))
    keys = classes * width + values
    ordered, order = sorted_keys(keys, int(keys.max(initial=-1)) + 1)
    begins = np.flatnonzero(starts_of(ordered))
    totals = np.add.reduceat(counts[order], begins) if len(begins) else np.zeros(0, np.int64)
    found, kept = np.divmod(ordered[begins].astype(np.int64), width)
    number = int(found.max(initial=-1)) + 1
    return ContingencyCells(np.searchsorted(found, np.arange(number + 1)), kept, totals, shares, used)
