"""Domains that nobody states, bought with noise: values that enough people have, and bounds that hold most numbers.

What is asked is said in `privet.protect._noisy_domains`, and paid for in rho. A value is found where the noisy number of
units that have it exceeds all that the noise could be; others count as missing.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from privet.engine import (
    ColumnKind,
    SealedGroups,
)
from privet.guarantee import (
    DiscreteGaussian,
    Event,
    TruncatedKeys,
    Unit,
    bound_for,
    gaussian_sigma,
)
from privet.ledger import Permit
from privet.mechanism import discrete_gaussian, truncated_keys
from privet.protect._noisy_domains import (
    MOST_VALUES,
    ORIGIN,
    RangeHistogram,
    sides,
    value_counts,
    values_of,
)
from privet.protect.synthesize._column_domain import ColumnDomain, date_domain, day_number, number_domain
from privet.source import Table

SHARE = Fraction(1, 10)  # of delta, where there are values to find
LEAST_SHARE, MOST_SHARE, EACH_SHARE = Fraction(1, 10), Fraction(3, 10), Fraction(3, 100)  # of rho
NUMBERS = (ColumnKind.INTEGER, ColumnKind.REAL)
TIMES = (ColumnKind.DATE, ColumnKind.TIMESTAMP)


@dataclass(frozen=True)
class Purchase:
    """One column's question: the event that pays for it, its computation, and what its noisy answer says."""

    name: str
    event: Event
    compute: Callable[[], SealedGroups]
    answer: Callable[[SealedGroups, Permit], ColumnDomain | None]
    people: int  # who must share a value, or a range of numbers, for it to be found more often than not
    values: bool  # whether it is values that are looked for

    def outlook(self) -> str:
        """What will be lost, as the end of a sentence: known before anything is spent."""
        what = "a value" if self.values else "a range of numbers or years"
        return f"{what} is found if about {self.people:,} people or more are in it; the rest is lost."


def bought_share(columns: int) -> Fraction:
    """The part of rho that pays for the domains of so many columns: more for many, so that each is still found."""
    return max(LEAST_SHARE, min(MOST_SHARE, EACH_SHARE * columns))


def finds_values(kind: ColumnKind) -> bool:
    """Whether what is bought of such a column is a list of values, which takes a delta."""
    return kind not in (*NUMBERS, *TIMES)


def purchases(
    asked: Sequence[tuple[Table, str, ColumnKind]], rho: Fraction, delta: Fraction
) -> list[Purchase]:
    """A question for each column of these tables, the budget in equal parts; what can be refused is refused here."""
    each = rho / max(1, len(asked))
    texts = sum(finds_values(kind) for _, _, kind in asked)
    return [
        _values(table, table.unit_or_refuse(), name, each, delta / texts)
        if finds_values(kind)
        else _bounds(table, table.unit_or_refuse(), name, kind, each)
        for table, name, kind in asked
    ]


def _bounds(table: Table, unit: Unit, name: str, kind: ColumnKind, rho: Fraction) -> Purchase:
    changed = sides(unit)
    event = DiscreteGaussian(gaussian_sigma(rho, 1, changed), 1, changed)
    dates = kind in TIMES
    histogram = RangeHistogram.of(table.relation, name, dates=dates)
    clear = float(event.sigma) * math.sqrt(-2 * math.log(histogram.chance))

    def answer(exact: SealedGroups, permit: Permit) -> ColumnDomain | None:
        found = histogram.outermost(discrete_gaussian(exact.answers["n"], permit).tolist(), clear)
        if found is None:
            return None
        if dates:
            first, last = (day_number(datetime.date(int(year), 1, 1)) for year in found)
            return date_domain(name, kind, first, last - 1, bins=None, origin=ORIGIN)
        return number_domain(name, kind, *found, bins=None, origin=ORIGIN)

    return Purchase(name, event, histogram.counts(unit), answer, people=math.ceil(clear), values=False)


def _values(table: Table, unit: Unit, name: str, rho: Fraction, delta: Fraction) -> Purchase:
    changed = sides(unit)
    # Each of the keys of one unit costs 1 / 2 scale², as Gaussian noise of that sigma would: they add up.
    scale = gaussian_sigma(rho, 1, changed)
    event = TruncatedKeys(scale, bound_for(scale, changed, delta), changed)
    kind = table.columns[name]

    def answer(exact: SealedGroups, permit: Permit) -> ColumnDomain | None:
        shown = truncated_keys(exact.answers["n"], permit)
        found = sorted(values_of(exact, shown, name))[:MOST_VALUES]
        if not found:
            return None
        return ColumnDomain(name, "category", kind, values=tuple(found), origin=ORIGIN)

    compute = value_counts(table.relation, unit, name)
    return Purchase(name, event, compute, answer, people=event.bound + 1, values=True)
