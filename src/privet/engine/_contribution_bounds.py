"""How much one privacy unit may add to an aggregate, and the sensitivity that follows from it.

Mode A (`rows` set): a person adds at most `rows` rows to each of at most `groups` groups.
Mode B (`total_rows` set): a person adds at most `total_rows` rows altogether, filled group by group in
hashed order. A row as the unit needs no bounding: it is in one group, once.
"""

from __future__ import annotations

from dataclasses import dataclass

from privet.errors import BadAggregate, BadUnit
from privet.guarantee import Change, Row, Unit, whole
from privet.sealed import Sensitivity


@dataclass(frozen=True, slots=True)
class Contribution:
    """The most that one unit may contribute; exactly one of `rows` and `total_rows` is set."""

    unit: Unit
    groups: int
    rows: int | None = None
    total_rows: int | None = None

    def __post_init__(self) -> None:
        whole(self.groups, "groups")
        for name in ("rows", "total_rows"):
            if getattr(self, name) is not None:
                whole(getattr(self, name), name)
        if (self.rows is None) == (self.total_rows is None):
            raise BadAggregate(
                "a contribution bound needs either rows for each group or rows altogether.",
                "Set exactly one of rows and total_rows.",
            )
        if isinstance(self.unit, Row) and (self.groups, self.rows) != (1, 1):
            raise BadAggregate("one row is in one group, once.", "Use Contribution.for_unit(Row(), …).")

    @classmethod
    def for_unit(cls, unit: Unit, *, grouped: bool) -> Contribution:
        """What a unit allows: `rows // groups` rows for each group if both caps are given, else as they come."""
        if isinstance(unit, Row):
            return cls(unit, groups=1, rows=1)
        if unit.max_rows is None:
            raise BadUnit(
                f"the unit does not say how many rows of one {unit.column!r} may count.",
                f"Write Person({unit.column!r}, max_rows=…): the cap decides how much noise is needed.",
            )
        if not grouped:
            return cls(unit, groups=1, rows=unit.max_rows)
        # Somebody with `max_rows` rows can be in as many groups, and then has one row in each.
        if unit.max_groups is None:
            return cls(unit, groups=unit.max_rows, total_rows=unit.max_rows)
        # Rounded down: the two caps together must not let anybody add more rows than `max_rows` says.
        return cls(unit, groups=unit.max_groups, rows=unit.max_rows // unit.max_groups)

    @property
    def most_rows(self) -> int:
        """The most rows that one unit can add to one group."""
        return self.rows or self.total_rows or 1

    def entries(self, known: int | None) -> int:
        """The most entries that adding or removing one unit can change, given the number of known keys."""
        most = self.groups if self.total_rows is None else min(self.groups, self.total_rows)
        # A unit cannot change more entries than there are; with no known key at all one is assumed, since
        # noise needs a sensitivity.
        return most if known is None else max(1, min(most, known))

    def _altogether(self, known: int | None) -> int:
        """The most rows that one unit can add to all entries together."""
        spread = self.entries(known) * self.most_rows
        return spread if self.total_rows is None else min(spread, self.total_rows)

    def persons_sensitivity(self, known: int | None) -> Sensitivity:
        """For the number of units in each group."""
        changed = self._changed(known)
        return Sensitivity.per_coordinate(changed, 1)

    def rows_sensitivity(self, known: int | None) -> Sensitivity:
        """For a number of rows in each group.

        Replacing one unit removes one contribution and adds another: both lie between 0 and `most_rows`, so an
        entry moves no further than before, while twice as many entries may move.
        """
        changed, total = self._changed(known), self._altogether(known) * self._sides
        # Both bounds hold, so the smaller one does: either may be loose where few keys are known.
        return Sensitivity(changed, self.most_rows, min(total, changed * self.most_rows))

    def rolled_up_sensitivity(self, known: int, classes: int) -> Sensitivity:
        """For a number of rows in each of `classes` classes of the known groups.

        One class may hold all of a unit's groups, so an entry moves by as much as all of them together; what
        replacing a unit adds and removes lies between 0 and that, as for single groups.
        """
        changed = max(1, min(self._changed(known), classes))
        largest = self._altogether(known)
        return Sensitivity(changed, largest, min(largest * self._sides, changed * largest))

    def sum_sensitivity(self, known: int | None, reach: int) -> Sensitivity:
        """For sums of steps in [-reach, reach]: replacing a unit can move an entry from one end to the other."""
        largest = self.most_rows * reach * self._sides
        total = self._altogether(known) * reach * self._sides
        return Sensitivity(self._changed(known), largest, total)

    def distances_sensitivity(self, known: int | None, span: int) -> Sensitivity:
        """For sums of steps from the lower bound, and beside each the sum of steps from the upper one.

        A row adds between 0 and `span` to either and `span` to both together. What replacing a unit adds and removes
        lies within that for an entry, as for rows.
        """
        changed, largest = self._changed(known), self.most_rows * span
        total = min(self._altogether(known) * span * self._sides, 2 * changed * largest)
        return Sensitivity(2 * changed, largest, total, block=2)

    def cells_sensitivity(self, known: int | None, bins: int, *, once: bool) -> Sensitivity:
        """For a number of rows in each bin of each group; with `once` a unit counts once in a bin.

        A unit's rows are bounded for each group, not for each bin, so that more bins do not mean more noise.
        """
        altogether = self._altogether(known)
        changed = min(altogether, self.entries(known) * bins) * self._sides
        changed = changed if known is None else max(1, min(changed, known * bins))
        largest = 1 if once else self.most_rows
        total = max(min(altogether * self._sides, changed * largest), largest)
        return Sensitivity(changed, largest, total)

    def ranks_sensitivity(self, known: int | None, candidates: int, below: int, above: int) -> Sensitivity:
        """For scores of `candidates` places in each group by `below` times the rows under, `above` times those over it.

        Adding a row moves a score by `below` or by `above`, one way or the other; replacing all of a unit's rows
        can turn what was under a place into what is over it.
        """
        reach = below + above if self.unit.change is Change.REPLACE else max(below, above)
        return Sensitivity.per_block(self._changed(known), candidates, self.most_rows * reach)

    @property
    def _sides(self) -> int:
        return 2 if self.unit.change is Change.REPLACE else 1

    def _changed(self, known: int | None) -> int:
        changed = self.entries(known) * self._sides
        return changed if known is None else max(1, min(changed, known))
