"""The private rows of a linear fit, batch by batch: all terms are held where they fit, and made for each batch where they do not.

What a batch is does not change with it: the units of a mask, each with all of its rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privet.protect.train.tabular._closed_form_clipping import PersonSums, RowSums
from privet.protect.train.tabular._feature_basis import Basis
from privet.protect.train.tabular._learner_registry import Examples

FITS = 1 << 26  # terms of all rows that are held at once: half a gigabyte
BLOCK = 1 << 16  # rows whose terms are made at a time, where all do not fit

Batch = tuple[RowSums | PersonSums, NDArray[np.float64]]


@dataclass(frozen=True, eq=False)
class HeldBatches:
    """Rows whose terms are all held."""

    held: RowSums | PersonSums
    targets: NDArray[np.float64]

    @property
    def units(self) -> int:
        """How many there are."""
        return self.held.units

    def chosen(self, mask: NDArray[np.bool_]) -> Iterator[Batch]:
        """The units of a mask, with their targets: all at once."""
        yield self.held.chosen(mask), self.targets[self.held.rows_of(mask)]


@dataclass(frozen=True, eq=False)
class StreamedBatches:
    """Rows as codes, in memory or in a file; their terms are made when they are needed."""

    basis: Basis
    examples: Examples
    order: NDArray[np.int64] | None  # of persons' rows, so that each person's stand together
    starts: NDArray[np.int64] | None  # where each person's rows begin in that order, and the end of all

    @property
    def units(self) -> int:
        """How many there are."""
        return len(self.examples) if self.starts is None else len(self.starts) - 1

    def chosen(self, mask: NDArray[np.bool_]) -> Iterator[Batch]:
        """The units of a mask, with their targets: some at a time, and at least once."""
        picked = np.flatnonzero(mask)
        counts = None if self.starts is None else np.diff(self.starts)[picked]
        ends = np.arange(1, len(picked) + 1) if counts is None else np.cumsum(counts)
        first = 0
        while True:
            done = int(ends[first - 1]) if first else 0
            last = max(min(first + 1, len(picked)), int(np.searchsorted(ends, done + BLOCK, "right")))
            yield self._batch(picked[first:last], None if counts is None else counts[first:last])
            first = last
            if first >= len(picked):
                return

    def _batch(self, units: NDArray[np.int64], counts: NDArray[np.int64] | None) -> Batch:
        codes, targets = self.examples.codes, self.examples.target
        if counts is None:
            return RowSums.of(self.basis.design(codes[units])), np.asarray(targets[units])
        assert self.starts is not None
        assert self.order is not None
        owner = np.repeat(np.arange(len(units)), counts)
        inside = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
        rows = self.order[np.repeat(self.starts[units], counts) + inside]
        return PersonSums.of(self.basis.design(codes[rows]), owner), np.asarray(targets[rows])


def batches_of(basis: Basis, examples: Examples, *, persons: bool) -> HeldBatches | StreamedBatches:
    """Held or streamed, by how many terms there are."""
    owner = examples.owner if persons else None
    order = None if owner is None else np.argsort(owner, kind="stable")
    if len(examples) * basis.width > FITS:
        starts = None
        if owner is not None:
            starts = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=examples.units))])
        return StreamedBatches(basis, examples, order, None if starts is None else starts.astype(np.int64))
    terms = basis.design(examples.codes)
    if order is None or owner is None:
        return HeldBatches(RowSums.of(terms), examples.target)
    return HeldBatches(PersonSums.of(terms[order], owner[order]), examples.target[order])
