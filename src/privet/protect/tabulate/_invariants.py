"""Counts that the publisher declares exact, and cells that cannot occur: what a fit must respect, and no guarantee covers.

A declared count is a disclosure. It enters as a number that somebody states with its origin, never by looking
at the data here, and the release says beside its promise that the promise does not speak of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.errors import BadInvariant, BadSpine, checked_class
from privet.protect.tabulate._spine_tree import Tree
from privet.protect.tabulate._table_cells import TOTAL, Group, TableCells

_LARGEST = 2**53  # counts stay exact in the solvers' floating point


@checked_class
@dataclass(frozen=True)
class Invariant:
    """Exact counts, stated and published as they are: one for each place of a level, in total or by some columns.

    `values` maps a place (its value, or the tuple of values from the top level down, and after it those of
    `columns`) to its count. `origin` says who published them, and where.
    """

    level: str
    values: Mapping[Any, int] = field(repr=False)
    origin: str
    columns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(self.columns))
        if not _is_text(self.origin):
            raise BadInvariant(
                "an exact count is a disclosure, and this one does not say where it comes from.",
                'Write Invariant("state", {...}, origin="resident population, official gazette 2020").',
            )

    def sentence(self) -> str:
        """What is disclosed, in plain words."""
        by = f" by {' and '.join(self.columns)}" if self.columns else ""
        return f"the counts{by} at level {self.level!r} ({len(self.values)} numbers; origin: {self.origin})"


@dataclass(frozen=True, eq=False)
class Facts:
    """What every fit respects: exact counts by level and query group, and the cells that may be occupied.

    Counts declared for a level hold for the sums above it too, and are here for every level they reach.
    """

    exact: Mapping[tuple[int, Group], NDArray[np.int64]]
    declared: tuple[tuple[int, Group], ...]
    allowed: tuple[NDArray[np.bool_], ...]  # for each level: places × cells

    def at(self, depth: int) -> dict[Group, NDArray[np.int64]]:
        """The exact counts of a level: places × entries of the group."""
        return {group: counts for (level, group), counts in self.exact.items() if level == depth}


def gather(
    tree: Tree, cells: TableCells, invariants: Sequence[Invariant], zeros: Sequence[Mapping[str, Any]]
) -> Facts:
    """Everything declared, checked for contradictions that show without solving anything."""
    allowed = _allowed(tree, cells, zeros)
    exact: dict[tuple[int, Group], NDArray[np.int64]] = {}
    declared = []
    for invariant in invariants:
        depth, group = _where(tree, cells, invariant)
        if (depth, group) in declared:
            raise BadInvariant(
                f"the counts of level {invariant.level!r} by the same columns are declared twice.",
                "Declare them once.",
            )
        declared.append((depth, group))
        counts = _counts(tree, cells, invariant, depth, group)
        for above in range(depth, -1, -1):
            known = exact.setdefault((above, group), counts)
            if not np.array_equal(known, counts):
                raise BadInvariant(
                    f"exact counts at level {tree.levels[above].name!r} are not the sums of those declared below.",
                    "Correct the numbers: they are published together, and must add up.",
                )
            if above:
                counts = summed(counts, tree.levels[above].parents, len(tree.levels[above - 1]))
    for (depth, group), counts in exact.items():
        if np.any(counts[~_reachable(cells, group, allowed[depth])]):
            raise BadInvariant(
                f"an exact count at level {tree.levels[depth].name!r} is above zero where every cell is impossible.",
                "Correct the count, or the list of impossible cells.",
            )
    return Facts(exact, tuple(declared), tuple(allowed))


def summed(rows: NDArray[Any], parents: NDArray[np.int64], size: int) -> NDArray[Any]:
    """Rows added up by parent."""
    totals = np.zeros((size, *rows.shape[1:]), rows.dtype)
    np.add.at(totals, parents, rows)
    return totals


def collapsed(cells: TableCells, group: Group, table: NDArray[Any]) -> NDArray[Any]:
    """A table of places × cells, summed down to a query group."""
    axes = tuple(axis + 1 for axis in cells.detailed if axis not in group)
    return np.asarray(table.reshape(len(table), *cells.shape).sum(axis=axes).reshape(len(table), -1))


def _reachable(cells: TableCells, group: Group, allowed: NDArray[np.bool_]) -> NDArray[np.bool_]:
    return collapsed(cells, group, allowed.astype(np.int64)) > 0


def _allowed(tree: Tree, cells: TableCells, zeros: Sequence[Mapping[str, Any]]) -> list[NDArray[np.bool_]]:
    """For each level the cells that may be occupied: those of any leaf below."""
    leaves = np.ones((len(tree.leaves), cells.size), bool)
    for pattern in zeros:
        unknown = set(pattern) - {*tree.columns, *cells.columns}
        if unknown or not pattern:
            raise BadSpine(
                "an impossible cell is described by columns that are neither levels nor cells, or by none.",
                f"Use {[*tree.columns, *cells.columns]}: zeros=[{{'age': '0-14', 'married': 'yes'}}].",
            )
        leaves[np.ix_(_leaves_of(tree, pattern), _cells_of(cells, pattern))] = False
    if not leaves.any():
        raise BadSpine("every cell is declared impossible.", "Leave some cells possible.")
    found = [leaves]
    for depth in range(len(tree.levels) - 2, -1, -1):
        below = tree.levels[depth + 1]
        found.insert(0, summed(found[0].astype(np.int64), below.parents, len(tree.levels[depth])) > 0)
    return found


def _leaves_of(tree: Tree, pattern: Mapping[str, Any]) -> NDArray[np.bool_]:
    match = np.ones(len(tree.leaves), bool)
    for at, column in enumerate(tree.columns):
        if column in pattern:
            wanted = _listed(pattern[column])
            _require(wanted, {place[at] for place in tree.leaves.places}, column)
            match &= np.array([place[at] in wanted for place in tree.leaves.places])
    return match


def _cells_of(cells: TableCells, pattern: Mapping[str, Any]) -> NDArray[np.bool_]:
    match = np.ones(cells.shape, bool)
    for axis, column in enumerate(cells.columns):
        if column in pattern:
            wanted = _listed(pattern[column])
            _require(wanted, set(cells.values[axis]), column)
            one = np.array([value in wanted for value in cells.values[axis]])
            match &= one.reshape([-1 if at == axis else 1 for at in range(len(cells.shape))])
    return match.reshape(-1)


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple | set | frozenset) else [value]


def _require(wanted: Iterable[Any], known: set[Any], column: str) -> None:
    if not set(wanted) <= known:
        raise BadSpine(
            f"an impossible cell names a value that is not among the public ones of {column!r}.",
            "Correct the value, or add it to the public values.",
        )


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_count(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and 0 <= int(value) < _LARGEST


def _where(tree: Tree, cells: TableCells, invariant: Invariant) -> tuple[int, Group]:
    names = [level.name for level in tree.levels]
    if invariant.level not in names:
        raise BadInvariant("exact counts are declared for a level that there is not.", f"Levels are {names}.")
    return names.index(invariant.level), cells.group(invariant.columns or TOTAL)


def _counts(
    tree: Tree, cells: TableCells, invariant: Invariant, depth: int, group: Group
) -> NDArray[np.int64]:
    """The declared counts as places × entries; every place and entry must have one."""
    level = tree.levels[depth]
    found = np.full((len(level), *(cells.shape[axis] for axis in group)), -1, np.int64)
    entries = [{value: at for at, value in enumerate(cells.values[axis])} for axis in group]
    # Columns may be named in any order; the group keeps the table's.
    order = [sorted(invariant.columns, key=cells.columns.index).index(name) for name in invariant.columns]
    strange = 0
    for key, count in invariant.values.items():
        parts = key if isinstance(key, tuple) else (key,)
        place, rest = parts[:depth], parts[depth:]
        good = _is_count(count)
        if not good or place not in level.position or len(rest) != len(group):
            strange += 1
            continue
        try:
            at = {axis: entries[axis][value] for axis, value in zip(order, rest, strict=True)}
        except KeyError:
            strange += 1
            continue
        found[(level.position[place], *(at[axis] for axis in range(len(group))))] = count
    missing = int(np.count_nonzero(found < 0))
    if strange or missing:
        raise BadInvariant(
            f"of the exact counts at level {invariant.level!r}, {missing} are missing and {strange} do not fit: "
            "each place needs one whole number, not negative.",
            "Name places by their values from the top level down, as in ('North', 'Hill'): 1200.",
        )
    return found.reshape(len(level), -1)
