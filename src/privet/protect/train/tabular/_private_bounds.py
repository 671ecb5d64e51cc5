"""What nobody may say for free, bought with noise: about how many units there are, bounds and values of columns.

One booking pays for all of it, before anything is computed, and comes out of the promise of the model. Bounds are found in a
noisy histogram over powers of two (or years, for dates): the outermost bins whose count stands clear of the noise.
Values are found by a threshold on the noisy number of units that have them; rare ones count as other values.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privet.artifact import Receipt, as_text, days_since
from privet.engine import (
    Binned,
    CellMeasure,
    Column,
    ColumnKind,
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
from privet.errors import BudgetExceeded
from privet.guarantee import (
    ApproxDP,
    Change,
    Composed,
    DiscreteLaplace,
    Event,
    Opaque,
    Person,
    ThresholdedKeys,
    Unit,
    laplace_scale,
    threshold_for,
)
from privet.ledger import Ledger, Permit
from privet.mechanism import discrete_laplace, reveal_keys, thresholded_keys
from privet.protect._engine_incidents import computed
from privet.protect.train.tabular._public_schema import KnownColumn
from privet.source import Origin, Table

# Shares of the promise. At epsilon 1 the count is off by about 20.
COUNT_SHARE, COLUMNS_SHARE, DELTA_SHARE = Fraction(1, 20), Fraction(3, 20), Fraction(1, 10)
FEWEST = 50  # a noisy count below this is taken for this: noise alone could make it nothing
_EDGES = (*(-(2.0**k) for k in range(40, -9, -1)), 0.0, *(2.0**k for k in range(-8, 41)))
_YEARS = (1900, 2100, 40)  # first, last, and how many bins
_FALSE = 1e-3  # the chance that noise alone puts a bin of one column among those that count
_MOST_VALUES = 200


@dataclass(frozen=True)
class PrivateEstimates:
    """What was bought: the noisy number of units (where it was asked for), facts by column, what they cost."""

    count: int | None
    columns: Mapping[str, KnownColumn]
    rest: ApproxDP
    receipt: Receipt


@dataclass(frozen=True)
class _Ask:
    """One question: the event that pays for it, its computation, and what to do with the exact answer and the permit."""

    event: Event
    compute: Callable[[], SealedGroups]
    answer: Callable[[SealedGroups, Permit], Any]


def estimated(
    table: Table,
    unit: Unit,
    promise: ApproxDP,
    ledger: Ledger,
    booking: dict[str, Any],
    *,
    count: bool,
    columns: Mapping[str, str],
) -> PrivateEstimates:
    """Buy a count and facts of columns (by kind: number, date or category); refuses if the whole does not fit.

    Guarantee:
        What is returned and what is left of the promise together cost no more than the promise.
    """
    quote = ledger.quote(
        Opaque(promise.epsilon, promise.delta), purpose=booking.get("purpose"), analyst=booking.get("analyst")
    )
    if not quote.admitted:
        raise BudgetExceeded(
            quote.reason, "Ask for less, or open a budget that holds it. Nothing was booked."
        )
    shares = promise.epsilon * COUNT_SHARE, promise.epsilon * COLUMNS_SHARE / max(1, len(columns))
    delta = promise.delta * DELTA_SHARE / max(1, sum(kind == "category" for kind in columns.values()))
    asks: dict[str | None, _Ask] = {None: _count(table, unit, shares[0])} if count else {}
    for name, kind in columns.items():
        found = _values(table, unit, name, shares[1], delta) if kind == "category" else None
        asks[name] = found or _bounds(table, unit, name, shares[1], dates=kind == "date")
    spent = shares[0] * count + (promise.epsilon * COLUMNS_SHARE if columns else 0)
    used = promise.delta * DELTA_SHARE if any(kind == "category" for kind in columns.values()) else 0
    permit = ledger.charge(
        Composed([ask.event for ask in asks.values()]), unit=unit, data=table.fingerprint, **booking
    )
    drawn = {
        name: ask.answer(computed(ask.compute, ledger, permit.receipt), part)
        for (name, ask), part in zip(asks.items(), permit.parts(), strict=True)
    }
    counted = drawn.pop(None, None)
    known = {str(name): fact for name, fact in drawn.items()}
    return PrivateEstimates(
        counted, known, ApproxDP(promise.epsilon - spent, promise.delta - used), permit.receipt
    )


def _prepared(
    relation: Relation, unit: Unit, measure: Measure | CellMeasure, keys: tuple[str, ...] = ()
) -> Callable[[], SealedGroups]:
    return prepare(
        relation,
        keys=keys,
        public_keys=None,
        measures={"n": measure},
        contribution=Contribution(unit, groups=1, rows=1),
    )


def _laplace(unit: Unit, epsilon: Fraction) -> DiscreteLaplace:
    sides = 2 if unit.change is Change.REPLACE else 1
    return DiscreteLaplace(laplace_scale(epsilon, sides), sides)


def _count(table: Table, unit: Unit, epsilon: Fraction) -> _Ask:
    def answer(exact: SealedGroups, permit: Permit) -> int:
        return max(FEWEST, int(discrete_laplace(exact.answers["n"], permit)[0]))

    return _Ask(_laplace(unit, epsilon), _prepared(table.relation, unit, Measure("persons")), answer)


def _bounds(table: Table, unit: Unit, name: str, epsilon: Fraction, *, dates: bool) -> _Ask:
    event = _laplace(unit, epsilon)
    bins: EvenBins | UnevenBins = EvenBins(*_YEARS) if dates else UnevenBins(_EDGES)
    clear = float(event.scale) * math.log(bins.count / _FALSE)

    relation, column = _numbers(table.relation, name, dates=dates)

    def answer(exact: SealedGroups, permit: Permit) -> KnownColumn:
        noisy = discrete_laplace(exact.answers["n"], permit)
        full = [at for at, many in enumerate(noisy.tolist()) if many > clear]
        if not full:
            return KnownColumn("ignore", origin=Origin.STATED, why=_WHY)
        low, high = bins.edges()[full[0]], bins.edges()[full[-1] + 1]
        if dates:
            low, high = (days_since(datetime.date(int(year), 1, 1)) for year in (low, high))
        return KnownColumn("date" if dates else "number", low, high, origin=Origin.STATED, why=_WHY)

    return _Ask(event, _prepared(relation, unit, Binned((column,), (bins,))), answer)


_WHY = "estimated with noise, and paid for"


def _numbers(relation: Relation, name: str, *, dates: bool) -> tuple[Relation, str]:
    if not dates:
        return relation, name
    place = "privet_year"
    return derive(relation, {place: DatePart("year", Column(name))}), place


def _values(table: Table, unit: Unit, name: str, epsilon: Fraction, delta: Fraction) -> _Ask:
    sides = 2 if unit.change is Change.REPLACE else 1
    scale = laplace_scale(epsilon, sides)
    event = ThresholdedKeys(scale, threshold_for(scale, sides, delta), sides)

    def answer(exact: SealedGroups, permit: Permit) -> KnownColumn:
        shown = thresholded_keys(exact.answers["n"], permit)
        keys = reveal_keys(exact.keys, shown)[name]  # type: ignore[arg-type]
        texts = sorted({text for key in keys if (text := as_text(key)) is not None})[:_MOST_VALUES]
        if not texts:
            return KnownColumn("ignore", origin=Origin.STATED, why=_WHY)
        return KnownColumn("category", values=tuple(texts), origin=Origin.STATED, why=_WHY)

    return _Ask(event, _prepared(table.relation, unit, Measure("persons"), (name,)), answer)


def kinds_to_estimate(
    columns: Mapping[str, ColumnKind], wanted: list[str], unit: Unit, *, classes: str | None = None
) -> dict[str, str]:
    """The kind of facts that each column needs; `classes` names a target whose numbers are classes."""
    words = {
        ColumnKind.INTEGER: "number",
        ColumnKind.REAL: "number",
        ColumnKind.TEXT: "category",
        ColumnKind.BOOLEAN: "category",
        ColumnKind.DATE: "date",
        ColumnKind.TIMESTAMP: "date",
    }
    own = unit.column if isinstance(unit, Person) else None
    return {
        name: "category" if name == classes else words[columns[name]]
        for name in wanted
        if name != own and columns[name] in words
    }
