"""Where a column's numbers lie and which values it has, asked in a form that noise can pay for: by models and twins alike.

Ranges are read off a noisy histogram over powers of two (or years, for dates): the outermost bins that stand clear of the
noise. Values are those that enough units have; which noise says so, and what it costs, is the asker's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from privet.engine import (
    Binned,
    CellMeasure,
    Column,
    Contribution,
    DatePart,
    EvenBins,
    Measure,
    Relation,
    SealedGroups,
    UnevenBins,
    derive,
    prepare,
)
from privet.guarantee import Change, Unit
from privet.mechanism import ShownKeys, reveal_keys

MOST_VALUES = 200
ORIGIN = "estimated with noise, and paid for"
_EDGES = (*(-(2.0**k) for k in range(40, -9, -1)), 0.0, *(2.0**k for k in range(-8, 41)))
_YEARS = (1900, 2100, 40)  # first, last, and how many bins
_FALSE = 1e-3  # the chance that noise alone puts a bin of one column among those that count


def sides(unit: Unit) -> int:
    """How many bins one unit can change by one each, where one row of it counts."""
    return 2 if unit.change is Change.REPLACE else 1


def counted_once(
    relation: Relation, unit: Unit, measure: Measure | CellMeasure, keys: tuple[str, ...] = ()
) -> Callable[[], SealedGroups]:
    """The computation of a measure to which each unit adds one row in one group."""
    return prepare(
        relation,
        keys=keys,
        public_keys=None,
        measures={"n": measure},
        contribution=Contribution(unit, groups=1, rows=1),
    )


@dataclass(frozen=True)
class RangeHistogram:
    """Bins that hold any number, or any year of a date; the same for every table, so that they say nothing of it."""

    relation: Relation
    column: str
    bins: EvenBins | UnevenBins

    @classmethod
    def of(cls, relation: Relation, name: str, *, dates: bool) -> RangeHistogram:
        """That of a column of numbers, or of dates."""
        if not dates:
            return cls(relation, name, UnevenBins(_EDGES))
        year = "privet_year"
        return cls(derive(relation, {year: DatePart("year", Column(name))}), year, EvenBins(*_YEARS))

    @property
    def chance(self) -> float:
        """That noise alone may put one bin among those that count."""
        return _FALSE / self.bins.count

    def counts(self, unit: Unit) -> Callable[[], SealedGroups]:
        """The computation of its counts."""
        return counted_once(self.relation, unit, Binned((self.column,), (self.bins,)))

    def outermost(self, noisy: Sequence[int], clear: float) -> tuple[float, float] | None:
        """The outer edges of the first and the last bin whose noisy count is above `clear`; None where none is."""
        full = [at for at, many in enumerate(noisy) if many > clear]
        edges = self.bins.edges()
        return (edges[full[0]], edges[full[-1] + 1]) if full else None


def value_counts(relation: Relation, unit: Unit, name: str) -> Callable[[], SealedGroups]:
    """The computation of how many units have each value."""
    return counted_once(relation, unit, Measure("persons"), (name,))


def values_of(exact: SealedGroups, shown: ShownKeys, name: str) -> set[Any]:
    """The values that a mechanism let through."""
    keys: tuple[Any, ...] = reveal_keys(exact.keys, shown)[name]  # type: ignore[arg-type]
    return {key for key in keys if key is not None}
