"""A hierarchy of generalizations for one column, and the same laid against the codes of a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.errors import BadHierarchy, HierarchyIncomplete, checked_class

# How a missing value is written in a hierarchy: it is a value of its own, with its own path to the top.
MISSING = ""
# What stands for every value of a column.
ANY = "*"
_SHOWN = 20


@checked_class
@dataclass(frozen=True, eq=False)
class Hierarchy:
    """Paths from each value of a column to more general ones.

    `levels[i, h]` is the code of value i at level h, and `labels[h][code]` its text. Level 0 are the values
    themselves. Values that are together on one level stay together on every higher one.
    """

    column: str
    values: tuple[str, ...]
    levels: NDArray[np.int32] = field(repr=False)
    labels: tuple[tuple[str, ...], ...] = field(repr=False)

    def __post_init__(self) -> None:
        try:
            levels = np.ascontiguousarray(self.levels, np.int32)
        except (TypeError, ValueError, OverflowError):
            raise BadHierarchy(
                "the levels of a hierarchy are a table of whole numbers.",
                "Make it from paths: Hierarchy.from_paths(column, paths).",
            ) from None
        if levels.ndim != 2 or levels.shape != (len(self.values), len(self.labels)) or not levels.size:
            raise BadHierarchy(f"the hierarchy of {self.column!r} needs one row per value, and a level.")
        object.__setattr__(self, "levels", levels)
        found = faults(self)
        if found:
            raise BadHierarchy(
                f"the hierarchy of {self.column!r} contradicts itself: " + _listed(found),
                "Give each value one row, and keep values together on every level above their first common one.",
                faults=found,
            )

    @classmethod
    def from_paths(cls, column: str, paths: Sequence[Sequence[str]]) -> Hierarchy:
        """From one path for each value, the value first. Paths of unequal length and repeated values are refused."""
        heights = {len(path) for path in paths}
        if not paths or 0 in heights:
            raise BadHierarchy(f"the hierarchy of {column!r} is empty.", "Write one row for each value.")
        usual = max(heights, key=lambda height: sum(len(path) == height for path in paths))
        short = [at + 1 for at, path in enumerate(paths) if len(path) != usual]
        if short:
            raise BadHierarchy(
                f"the hierarchy of {column!r} has rows of unequal length: " + _numbers("row", short),
                "Give every value the same number of levels.",
                rows=short,
            )
        coded = [_coded([path[level] for path in paths]) for level in range(usual)]
        _, first, again = np.unique(coded[0][0], return_index=True, return_inverse=True)
        repeated = (np.flatnonzero(first[again] != np.arange(len(paths))) + 1).tolist()
        if repeated:
            raise BadHierarchy(
                f"the hierarchy of {column!r} names values twice: " + _numbers("row", repeated),
                "Keep one row for each value.",
                rows=repeated,
            )
        levels = np.stack([codes for codes, _ in coded], axis=1)
        return cls(column, tuple(path[0] for path in paths), levels, tuple(labels for _, labels in coded))

    @property
    def height(self) -> int:
        """The highest level; level 0 changes nothing."""
        return len(self.labels) - 1

    @property
    def has_root(self) -> bool:
        """Whether all values meet on the highest level."""
        return len(self.labels[-1]) == 1

    @cached_property
    def leaves(self) -> tuple[NDArray[np.int64], ...]:
        """How many values each code of each level stands for."""
        return tuple(
            np.bincount(self.levels[:, level], minlength=len(labels))
            for level, labels in enumerate(self.labels)
        )

    @cached_property
    def shares(self) -> tuple[NDArray[np.float64], ...]:
        """The share of all values of the hierarchy that each code of each level stands for."""
        return tuple(leaves / len(self.values) for leaves in self.leaves)

    def paths(self) -> list[tuple[str, ...]]:
        """One path for each value, as `from_paths` reads them."""
        return [
            tuple(labels[code] for labels, code in zip(self.labels, row, strict=True))
            for row in self.levels.tolist()
        ]

    def with_missing(self, label: str = ANY) -> Hierarchy:
        """The same hierarchy with a path for missing values: they stay a value of their own below the top."""
        if MISSING in self.values:
            return self
        top = self.labels[-1][0] if self.has_root else label
        path = (*[MISSING] * max(1, self.height), *[top] * min(1, self.height))
        return Hierarchy.from_paths(self.column, [*self.paths(), path])

    def with_gaps_apart(self) -> Hierarchy:
        """The same hierarchy with missing values that no level makes anything else of: a gap stays a gap."""
        known = [path for path in self.paths() if path[0] != MISSING]
        return Hierarchy.from_paths(self.column, [*known, (MISSING,) * len(self.labels)])

    def with_root(self, label: str = ANY) -> Hierarchy:
        """The same hierarchy with one level on top where all values meet; unchanged where there is one already."""
        if self.has_root:
            return self
        top = np.zeros((len(self.values), 1), np.int32)
        return Hierarchy(self.column, self.values, np.hstack([self.levels, top]), (*self.labels, (label,)))

    def ladder(self, values: Iterable[Any]) -> Ladder:
        """This hierarchy laid against a table's codes: `values[code]` is what the code stands for.

        Values are compared as text; None is the missing value. Values without a path are all listed, by code.
        """
        places = {value: at for at, value in enumerate(self.values)}
        found = [places.get(as_text(value), -1) for value in values]
        absent = [code for code, at in enumerate(found) if at < 0]
        if absent:
            gap = " One of them is the missing value." if self._lacks_missing(values) else ""
            raise HierarchyIncomplete(
                f"the hierarchy of {self.column!r} lacks {len(absent)} of the table's {len(found)} values"
                f" (in their order: {_numbers('number', [code + 1 for code in absent])}).{gap}",
                "Add a row for each; `with_missing()` adds one for missing values.",
                column=self.column,
                lacking=len(absent),
            )
        rows = np.asarray(found, np.int64)
        return Ladder(self, rows)

    def _lacks_missing(self, values: Iterable[Any]) -> bool:
        return MISSING not in self.values and any(as_text(value) == MISSING for value in values)


@dataclass(frozen=True, eq=False)
class Ladder:
    """A hierarchy laid against a table's codes: code c of the table is row `rows[c]` of the hierarchy."""

    hierarchy: Hierarchy
    rows: NDArray[np.int64] = field(repr=False)

    @property
    def column(self) -> str:
        """The name of the column."""
        return self.hierarchy.column

    @property
    def height(self) -> int:
        """The highest level."""
        return self.hierarchy.height

    @cached_property
    def nodes(self) -> NDArray[np.int32]:
        """The generalized code of each of the table's codes at each level."""
        return np.asfortranarray(self.hierarchy.levels[self.rows])

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """The share of all values that each of the table's codes stands for at each level."""
        return np.stack(
            [self.hierarchy.shares[level][self.nodes[:, level]] for level in range(self.height + 1)], axis=1
        )


def as_text(value: Any) -> str:
    """A value of a table as hierarchies write it: whole numbers without a point, None as the missing value."""
    if value is None:
        return MISSING
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def faults(hierarchy: Hierarchy) -> list[dict[str, int]]:
    """Where a level does not refine the next: rows that were together below and are apart above, as row and level.

    Rows are numbered from 1. Codes without a label are faults as well.
    """
    found: list[dict[str, int]] = []
    levels = hierarchy.levels
    for level, labels in enumerate(hierarchy.labels):
        codes = levels[:, level]
        outside = np.flatnonzero((codes < 0) | (codes >= len(labels)))
        found += [{"row": int(at) + 1, "level": level} for at in outside]
        if level == 0:
            continue
        below = levels[:, level - 1]
        _, first, group = np.unique(below, return_index=True, return_inverse=True)
        apart = np.flatnonzero(codes != codes[first][group])
        found += [{"row": int(at) + 1, "level": level} for at in apart]
    return found


def _coded(texts: Sequence[str]) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """Codes in order of first appearance."""
    numbers: dict[str, int] = {}
    codes = [numbers.setdefault(text, len(numbers)) for text in texts]
    return np.asarray(codes, np.int32), tuple(numbers)


def _listed(found: Sequence[dict[str, int]]) -> str:
    shown = ", ".join(f"row {fault['row']} at level {fault['level']}" for fault in found[:_SHOWN])
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return f"{shown}{more}."


def _numbers(word: str, numbers: Sequence[int]) -> str:
    shown = ", ".join(str(number) for number in numbers[:_SHOWN])
    more = f" and {len(numbers) - _SHOWN} more" if len(numbers) > _SHOWN else ""
    return f"{word} {shown}{more}"
