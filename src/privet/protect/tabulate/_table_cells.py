"""The table that is kept for every place: one count for each combination of some public categories.

A *query group* is the table summed down to some of its columns: to none (`total`), to one (a margin), or to all
(`detailed`). A group is written as the positions of the columns it keeps.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privet.errors import BadSpine

Group: TypeAlias = tuple[int, ...]
TOTAL, DETAILED = "total", "detailed"


@dataclass(frozen=True)
class TableCells:
    """The categorical columns of the table and the public values of each."""

    columns: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of values of each column."""
        return tuple(len(values) for values in self.values)

    @property
    def size(self) -> int:
        """The number of cells in a place."""
        return math.prod(self.shape)

    @property
    def detailed(self) -> Group:
        """The group that keeps every column."""
        return tuple(range(len(self.columns)))

    @property
    def groups(self) -> list[Group]:
        """Every group: the total first, the detailed table last."""
        axes = self.detailed
        return [group for width in range(len(axes) + 1) for group in itertools.combinations(axes, width)]

    def group_size(self, group: Group) -> int:
        """The number of entries a group has in each place."""
        return math.prod(self.shape[axis] for axis in group)

    def name(self, group: Group) -> str:
        """What a group is called: total, detailed, or its columns."""
        if not group:
            return TOTAL
        return DETAILED if group == self.detailed else " × ".join(self.columns[axis] for axis in group)

    def group(self, name: str | Sequence[str]) -> Group:
        """The group of a name: `total`, `detailed`, one column, or several columns (in a tuple, or with `*`)."""
        if name == TOTAL:
            return ()
        if name == DETAILED:
            return self.detailed
        given: Any = name
        text = given.replace("×", "*").split("*") if isinstance(given, str) else given
        wanted = [str(part).strip() for part in text] if isinstance(text, list | tuple) else [""]
        if len(set(wanted)) != len(wanted) or not set(wanted) <= set(self.columns):
            raise BadSpine(
                "a query group is named that the table of cells does not have.",
                f"Use {TOTAL!r}, {DETAILED!r}, or columns of {list(self.columns)}, as in 'age * sex'.",
            )
        return tuple(sorted(self.columns.index(part) for part in wanted))

    def into(self, group: Group) -> NDArray[np.int64]:
        """For each cell, in order, the entry of the group that it counts in."""
        kept = [size if axis in group else 1 for axis, size in enumerate(self.shape)]
        entries = np.arange(math.prod(kept)).reshape(kept)
        return np.broadcast_to(entries, self.shape).reshape(-1).astype(np.int64)
