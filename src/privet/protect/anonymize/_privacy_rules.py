"""Privacy models as rules on classes.

A rule says which classes keep it. For the search it also says how many rows of a class must at least be suppressed
in *every* refinement of that class: where a rule is convex (a union of good classes is good), a bad class cannot be
cut into good ones only, and how far it is from good bounds what has to go. A class that fails a rule which only
asks for enough (rows, people, different values) fails with every row in every refinement.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from privet.disclosure import ContingencyCells, cells_of
from privet.disclosure import diversity_measures as diversity
from privet.guarantee import (
    Promise,
)

Counts = NDArray[np.int64]
Mask = NDArray[np.bool_]
# Distances are compared with this much room for rounding, so that a class exactly at a threshold keeps it.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Group:
    """Classes as a rule sees them: rows, people of the population, and sensitive values by column."""

    sizes: Counts
    people: Counts | None
    cells: dict[str, ContingencyCells]


class PrivacyRule(ABC):
    """One condition on every class."""

    # Whether a union of classes that keep the rule keeps it.
    convex = True

    @abstractmethod
    def kept(self, group: Group) -> Mask:
        """Which classes keep the rule."""

    def least(self, group: Group, kept: Mask) -> Counts:
        """How many rows of each class every refinement must suppress; 0 is always right, and 1 for convex rules."""
        _ = group
        return np.where(kept, 0, 1 if self.convex else 0)


@dataclass(frozen=True)
class AtLeast(PrivacyRule):
    """At least so many rows."""

    rows: int

    def kept(self, group: Group) -> Mask:
        """Classes with enough rows."""
        return np.asarray(group.sizes >= self.rows)

    def least(self, group: Group, kept: Mask) -> Counts:
        """All rows of classes without."""
        return np.where(kept, 0, group.sizes)


@dataclass(frozen=True)
class PeopleAtLeast(PrivacyRule):
    """At least so many people of the population."""

    people: int

    def kept(self, group: Group) -> Mask:
        """Classes with enough people."""
        assert group.people is not None
        return np.asarray(group.people >= self.people)

    def least(self, group: Group, kept: Mask) -> Counts:
        """All rows of classes without."""
        return np.where(kept, 0, group.sizes)


@dataclass(frozen=True)
class DistinctAtLeast(PrivacyRule):
    """At least so many different values."""

    column: str
    values: int

    def kept(self, group: Group) -> Mask:
        """Classes with enough values."""
        return np.asarray(diversity.distinct_l(group.cells[self.column]) >= self.values)

    def least(self, group: Group, kept: Mask) -> Counts:
        """All rows of classes without."""
        return np.where(kept, 0, group.sizes)


@dataclass(frozen=True, eq=False)
class MeasuredRule(PrivacyRule):
    """A figure of each class that must not be above (or reach) a limit.

    `caps`, where given, are necessary: value v has at most caps[v] of a class's rows. They bound what a refinement
    must suppress: from n_v rows of each value at most c' can stay, with sum of min(n_v, caps[v] * c') >= share * c'.
    Where `merged` is given, caps are of groups of values, and merged[v] is the group of value v.
    """

    column: str
    figure: Callable[[ContingencyCells], NDArray[np.float64]]
    limit: float
    strict: bool = False
    caps: NDArray[np.float64] | None = field(default=None)
    share: float = 1.0
    merged: NDArray[np.int64] | None = field(default=None)
    convex: bool = True

    def kept(self, group: Group) -> Mask:
        """Classes within the limit."""
        found = self.figure(group.cells[self.column])
        room = _ROUNDING * max(1.0, abs(self.limit))
        return np.asarray(found < self.limit - room if self.strict else found <= self.limit + room)

    def least(self, group: Group, kept: Mask) -> Counts:
        """What caps leave no room for."""
        bound = super().least(group, kept)
        if self.caps is None:
            return bound
        cells = group.cells[self.column]
        if self.merged is not None:
            cells = cells_of(cells.classes, self.merged[cells.values], cells.counts, self.caps)
        return np.maximum(bound, _over_caps(cells, self.caps, self.share))


@dataclass(frozen=True)
class Recursive(PrivacyRule):
    """Recursive (c, l)-diversity: r1 < c (r_l + … + r_m)."""

    column: str
    c: float
    l: int  # noqa: E741

    def kept(self, group: Group) -> Mask:
        """Classes whose ratio is below c."""
        return np.asarray(diversity.recursive_ratio(group.cells[self.column], self.l) < self.c)

    def least(self, group: Group, kept: Mask) -> Counts:
        """Rows by which frequent values stand above c times the tail, which can only shrink."""
        cells = group.cells[self.column]
        first = cells.largest(cells.counts)
        ratio = diversity.recursive_ratio(cells, self.l)
        tail = np.where(np.isfinite(ratio), first / np.where(np.isfinite(ratio), ratio, 1), 0)
        allowed = np.maximum(0, np.ceil(np.round(self.c * tail, 9)) - 1)
        over = cells.sum(np.maximum(0, cells.counts - allowed[cells.classes]))
        return np.where(kept, 0, np.maximum(1, over)).astype(np.int64)


@dataclass(frozen=True)
class Presence(PrivacyRule):
    """The share of people of the population who are in the table lies between two bounds."""

    minimum: float
    maximum: float

    def kept(self, group: Group) -> Mask:
        """Classes whose share is within."""
        assert group.people is not None
        share = np.where(group.people > 0, group.sizes / np.maximum(1, group.people), np.inf)
        return np.asarray((share >= self.minimum - _ROUNDING) & (share <= self.maximum + _ROUNDING))

    def least(self, group: Group, kept: Mask) -> Counts:
        """Rows above the highest share."""
        assert group.people is not None
        over = group.sizes - np.floor(group.people * self.maximum + 1e-9).astype(np.int64)
        return np.where(kept, 0, np.maximum(1, over))


@dataclass(frozen=True)
class TableRule:
    """A condition on all class sizes together; small classes are suppressed until it holds.

    Where every class has `enough` rows it holds in any case.
    """

    holds: Callable[[Counts], bool]
    enough: int


@dataclass(frozen=True)
class Rules:
    """A promise as rules: on classes, on the whole table, and what they need to look at."""

    promise: Promise
    classes: tuple[PrivacyRule, ...]
    table: tuple[TableRule, ...]
    sensitive: tuple[str, ...]
    needs_population: bool

    @property
    def convex(self) -> bool:
        """Whether a union of good classes is good."""
        return all(rule.convex for rule in self.classes)

    @property
    def least_rows(self) -> int:
        """A number of rows that every class must have."""
        return max([rule.rows for rule in self.classes if isinstance(rule, AtLeast)], default=1)

    def with_rows(self, rows: int) -> Rules:
        """The rules on classes alone, with at least so many rows in each."""
        others = [rule for rule in self.classes if not isinstance(rule, AtLeast)]
        at_least = [AtLeast(rows)] if rows > 1 else []
        return replace(self, classes=(*at_least, *others), table=())

    @property
    def only_sizes(self) -> bool:
        """Whether the number of rows decides about each class alone."""
        return not self.table and all(isinstance(rule, AtLeast) for rule in self.classes)


def _over_caps(cells: ContingencyCells, caps: NDArray[np.float64], share: float) -> Counts:
    """Rows that have to go from each class before value v can have at most caps[v] of what is left.

    Among c' rows that stay, sum of min(n_v, caps[v] c') must reach share * c'. The difference is concave in c' and
    not negative at 0 exactly where enough can stay, so the largest c' is found by bisection.
    """
    sizes = cells.sizes.astype(float)
    cap = caps[cells.values]
    low, high = np.zeros(len(cells)), sizes.copy()

    def enough(rows: NDArray[np.float64]) -> Mask:
        filled = cells.sum(np.minimum(cells.counts, cap * rows[cells.classes]))
        return np.asarray(filled >= share * rows - 1e-9 * np.maximum(1, rows))

    fits = enough(high)
    for _ in range(int(np.log2(max(2.0, sizes.max(initial=2.0)))) + 3):
        middle = (low + high) / 2
        good = enough(middle)
        low, high = np.where(good, middle, low), np.where(good, high, middle)
    over = np.floor(sizes - high + 1e-9)
    return np.where(fits, 0, np.maximum(0, over)).astype(np.int64)
