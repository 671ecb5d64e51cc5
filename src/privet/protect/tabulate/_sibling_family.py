"""One step of the descent: the children of one place, what they must add up to, and what else must hold exactly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privet.protect.tabulate._invariants import collapsed
from privet.protect.tabulate._table_cells import Group, TableCells

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Reals: TypeAlias = "NDArray[np.float64]"
Whole: TypeAlias = "NDArray[np.int64]"


@dataclass(frozen=True, eq=False)
class Family:
    """The places of one parent. Tables are children × cells; impossible cells are not variables.

    `parent` is the parent's final table, or None for the top, which has no parent.
    """

    cells: TableCells
    wanted: Reals  # the best estimate from what was measured at and below each child
    weights: Mapping[Group, Reals]  # for each child, what a squared deviation of a group's entry costs
    allowed: NDArray[np.bool_]
    parent: Whole | None
    exact: Mapping[Group, Whole]  # declared counts, children × entries

    @property
    def size(self) -> int:
        """The number of variables."""
        return int(np.count_nonzero(self.allowed))

    @cached_property
    def places(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """For each variable, its child and its cell."""
        child, cell = np.nonzero(self.allowed)
        return child, cell

    @cached_property
    def equalities(self) -> tuple[csr_array, Whole]:
        """Sums of variables that must hold exactly: cells add up to the parent's, groups to what was declared."""
        rows, values = [], []
        child, cell = self.places
        if self.parent is not None:
            rows.append(sums_by(cell, self.cells.size))
            values.append(self.parent)
        for group, counts in self.exact.items():
            entries = self.cells.group_size(group)
            rows.append(sums_by(child * entries + self.cells.into(group)[cell], counts.size))
            values.append(counts.reshape(-1))
        return stacked(rows, self.size), np.concatenate(values) if values else np.zeros(0, np.int64)

    @cached_property
    def margins(self) -> csr_array:
        """For each child the total, and the table by the first column, by the first two, and so on.

        These nest in each other, and the parent's cells are disjoint: with two such families of sums the
        constraint matrix is that of a network, so whole-number solutions exist wherever fractional ones do.
        """
        child, cell = self.places
        rows = []
        for width in range(len(self.cells.columns)):
            group = tuple(range(width))
            entries = self.cells.group_size(group)
            keys = child * entries + self.cells.into(group)[cell]
            rows.append(sums_by(keys, len(self.allowed) * entries))
        return stacked(rows, self.size)

    def table(self, variables: NDArray[Any]) -> NDArray[Any]:
        """Variables as a table, zero in impossible cells."""
        found = np.zeros(self.allowed.shape, variables.dtype)
        found[self.allowed] = variables
        return found

    def holds(self, table: Whole) -> bool:
        """Whether a finished table keeps everything: whole, not negative, possible, adding up, as declared."""
        return (
            bool(np.all(table >= 0))
            and not np.any(table[~self.allowed])
            and (self.parent is None or np.array_equal(table.sum(axis=0), self.parent))
            and all(
                np.array_equal(collapsed(self.cells, group, table), counts)
                for group, counts in self.exact.items()
            )
        )


def sums_by(keys: NDArray[Any], size: int) -> csr_array:
    """A matrix that adds variables up by key."""
    from scipy.sparse import csr_array

    return csr_array((np.ones(len(keys)), (keys, np.arange(len(keys)))), shape=(size, len(keys)))


def stacked(rows: list[csr_array], width: int) -> csr_array:
    """Matrices over the same variables, one below the other."""
    from scipy.sparse import csr_array, vstack

    return csr_array(vstack(rows)) if rows else csr_array((0, width))
