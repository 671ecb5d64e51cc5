"""All reports of a collection, added up: the tallies of each oracle, and how many reports did not fit."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.guarantee.oracles import FastLocalHashing, Oracle
from privet.protect.collect._protocols import FragmentPuzzle, PrefixExtension, Sampled, Single
from privet.protect.collect._report_validation import numpy_columns, read_reports
from privet.protect.collect._tallies import Cells, counted

if TYPE_CHECKING:
    import pyarrow as pa

    from privet.protect.collect._collection import Collection

ROWS = 1 << 19  # reports taken at once


@dataclass(frozen=True)
class SparseCells:
    """Cells of which few are not empty: their places in order, and their counts."""

    places: NDArray[np.int64]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, places: NDArray[np.int64], weights: NDArray[np.int64] | None = None) -> SparseCells:
        """The cells of these places, each counted once or with its weight."""
        found, back = np.unique(places, return_inverse=True)
        return cls(found, np.bincount(back, weights, minlength=len(found)).astype(np.int64))

    def __add__(self, other: SparseCells) -> SparseCells:
        return SparseCells.of(
            np.concatenate([self.places, other.places]), np.concatenate([self.counts, other.counts])
        )

    def dense(self, first: int, size: int) -> Cells:
        """The cells from the first on, as an array."""
        ends = np.searchsorted(self.places, (first, first + size))
        cells = np.zeros(size, np.int64)
        cells[self.places[ends[0] : ends[1]] - first] = self.counts[ends[0] : ends[1]]
        return cells


@dataclass(frozen=True)
class Collected:
    """Tallies by part of the protocol, with the reports in each; what did not fit; what was made from a stated seed."""

    cells: dict[str, Any] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    reports: int = 0
    left_out: int = 0
    seeded: int = 0

    def __add__(self, other: Collected) -> Collected:
        cells = dict(self.cells)
        for name, more in other.cells.items():
            cells[name] = cells[name] + more if name in cells else more
        counts = {name: self.counts.get(name, 0) + many for name, many in other.counts.items()}
        return Collected(
            cells,
            {**self.counts, **counts},
            self.reports + other.reports,
            self.left_out + other.left_out,
            self.seeded + other.seeded,
        )


def collected(table: pa.Table, collection: Collection) -> Collected:
    """The tallies of a table of reports, half a million at a time."""
    total = Collected()
    for start in range(0, max(len(table), 1), ROWS):
        total = total + _part(table.slice(start, ROWS), collection)
    return total


def _part(table: pa.Table, collection: Collection) -> Collected:
    read = read_reports(table, collection)
    protocol, kept = collection.protocol, read.table
    cells: dict[str, Any] = {}
    counts: dict[str, int] = {}
    if isinstance(protocol, Sampled):
        for number, (name, oracle) in enumerate(protocol.oracles.items()):
            shape = {f"{number}_{column}": kind for column, kind in oracle.columns().items()}
            given = kept.select(list(shape)).filter(kept[next(iter(shape))].is_valid())
            columns = {key.partition("_")[2]: value for key, value in numpy_columns(given, shape).items()}
            cells[name], counts[name] = counted(oracle, columns), len(given)
    else:
        cells, counts = tallied(protocol, numpy_columns(kept, protocol.columns()), len(kept))
    return Collected(cells, counts, len(kept), read.left_out, read.seeded)


def tallied(
    protocol: Any, columns: dict[str, Any], many: int, weights: NDArray[np.int64] | None = None
) -> tuple[dict[str, Any], dict[str, int]]:
    """The tallies of columns of reports, or of groups of equal ones with their numbers."""
    if isinstance(protocol, Single):
        return {"": counted(protocol.oracle, columns, weights)}, {"": many}
    groups = columns["group"]
    sizes = np.bincount(groups, weights, minlength=1).astype(int)
    counts = {str(number): int(size) for number, size in enumerate(sizes)}
    if isinstance(protocol, PrefixExtension):
        return {"": SparseCells.of(prefix_places(protocol.oracle, columns), weights)}, counts
    assert isinstance(protocol, FragmentPuzzle)
    text = {"row": columns["word_row"], "bits": columns["word_bits"]}
    cells: dict[str, Any] = {"words": _sketched(protocol.oracle, text)}
    for number in range(len(protocol.starts)):
        rows = np.flatnonzero(groups == number)
        cells[str(number)] = _sketched(
            protocol.oracle, {"row": columns["row"][rows], "bits": columns["bits"][rows]}
        )
    return cells, {**counts, "words": many}


def prefix_places(oracle: FastLocalHashing, columns: dict[str, Any]) -> NDArray[np.int64]:
    """The cell of each report: group, function and hash as one number."""
    return np.asarray((columns["group"] * oracle.pool + columns["hash"]) * oracle.range + columns["value"])


def _sketched(oracle: Oracle, columns: dict[str, Any]) -> Cells:
    return counted(oracle, columns)
