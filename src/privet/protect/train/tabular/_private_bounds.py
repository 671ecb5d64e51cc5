"""What nobody may say for free, bought with noise: about how many units there are, bounds and values of columns.

One booking pays for all of it, before anything is computed, and comes out of the promise of the model. What is asked of a
column is said in `privet.protect._noisy_domains`; rare values count as other values.
"""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from privet.artifact import Receipt, as_text, days_since
from privet.engine import (
    ColumnKind,
    Measure,
    SealedGroups,
)
from privet.errors import BudgetExceeded
from privet.guarantee import (
    ApproxDP,
    Composed,
    DiscreteLaplace,
    Event,
    Opaque,
    Person,
    ThresholdedKeys,
    Unit,
    laplace_scale,
    threshold_for,
    unit_to_json,
)
from privet.ledger import Ledger, Permit
from privet.mechanism import SecretSeed, discrete_laplace, thresholded_keys
from privet.protect._engine_incidents import computed
from privet.protect._exactly_once import Booking, Draw, released
from privet.protect._noisy_domains import (
    MOST_VALUES,
    ORIGIN,
    RangeHistogram,
    counted_once,
    sides,
    value_counts,
    values_of,
)
from privet.protect.train.tabular._public_schema import KnownColumn
from privet.source import Origin, Table

# Shares of the promise. At epsilon 1 the count is off by about 20.
COUNT_SHARE, COLUMNS_SHARE, DELTA_SHARE = Fraction(1, 20), Fraction(3, 20), Fraction(1, 10)
FEWEST = 50  # a noisy count below this is taken for this: noise alone could make it nothing

_UNKNOWN = KnownColumn("ignore", origin=Origin.STATED, why=ORIGIN)


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
    run: SecretSeed | None = None,
) -> PrivateEstimates:
    """Buy a count and facts of columns (by kind: number, date or category); refuses if the whole does not fit.

    With the name of a `run` they are bought once for it: a run that was killed gets the ones that are stored, or draws them
    under the entry that is there.

    Guarantee:
        What is returned and what is left of the promise together cost no more than the promise.
    """
    shares = promise.epsilon * COUNT_SHARE, promise.epsilon * COLUMNS_SHARE / max(1, len(columns))
    delta = promise.delta * DELTA_SHARE / max(1, sum(kind == "category" for kind in columns.values()))
    asks: dict[str | None, _Ask] = {None: _count(table, unit, shares[0])} if count else {}
    for name, kind in columns.items():
        found = _values(table, unit, name, shares[1], delta) if kind == "category" else None
        asks[name] = found or _bounds(table, unit, name, shares[1], dates=kind == "date")
    spent = shares[0] * count + (promise.epsilon * COLUMNS_SHARE if columns else 0)
    used = promise.delta * DELTA_SHARE if any(kind == "category" for kind in columns.values()) else 0
    rest = ApproxDP(promise.epsilon - spent, promise.delta - used)
    event = Composed([ask.event for ask in asks.values()])
    spend: dict[str, Any] = {"event": event, "unit": unit, "data": table.fingerprint}

    def draw(permit: Permit) -> bytes:
        return _written(_drawn(asks, permit, ledger), permit.receipt)

    if run is None:
        _refuse_unaffordable(promise, ledger, booking)
        return _read(draw(ledger.charge(**spend, **booking)), rest)
    asked = json.dumps([table.fingerprint, unit_to_json(unit), event.to_json(), count, list(columns.items())])
    question = f"estimates of run {run.keyed(b'estimates ' + asked.encode())}"

    def prepared() -> Draw:
        if not ledger.settled(question):
            _refuse_unaffordable(promise, ledger, booking)
        return draw

    return _read(released(Booking(ledger, **booking), question, spend=spend, prepared=prepared), rest)


def _refuse_unaffordable(promise: ApproxDP, ledger: Ledger, booking: dict[str, Any]) -> None:
    """Estimates without the model that they are for would be money thrown away."""
    quote = ledger.quote(
        Opaque(promise.epsilon, promise.delta), purpose=booking.get("purpose"), analyst=booking.get("analyst")
    )
    if not quote.admitted:
        raise BudgetExceeded(
            quote.reason, "Ask for less, or open a budget that holds it. Nothing was booked."
        )


def _drawn(asks: Mapping[str | None, _Ask], permit: Permit, ledger: Ledger) -> dict[str | None, Any]:
    return {
        name: ask.answer(computed(ask.compute, ledger, permit.receipt), part)
        for (name, ask), part in zip(asks.items(), permit.parts(), strict=True)
    }


def _written(drawn: dict[str | None, Any], receipt: Receipt) -> bytes:
    """What was bought, as it is stored: noisy figures and what was read off them."""
    known = {
        str(name): {**asdict(fact), "origin": fact.origin.value}
        for name, fact in drawn.items()
        if name is not None
    }
    return json.dumps(
        {
            "artifact": "private estimates",
            "schema": 1,
            "count": drawn.get(None),
            "columns": known,
            "receipt": receipt.to_json(),
        }
    ).encode()


def _read(stored: bytes, rest: ApproxDP) -> PrivateEstimates:
    found = json.loads(stored)
    known = {
        name: KnownColumn(**{**fact, "values": tuple(fact["values"]), "origin": Origin(fact["origin"])})
        for name, fact in found["columns"].items()
    }
    return PrivateEstimates(found["count"], known, rest, Receipt.from_json(found["receipt"]))


def _laplace(unit: Unit, epsilon: Fraction) -> DiscreteLaplace:
    return DiscreteLaplace(laplace_scale(epsilon, sides(unit)), sides(unit))


def _count(table: Table, unit: Unit, epsilon: Fraction) -> _Ask:
    def answer(exact: SealedGroups, permit: Permit) -> int:
        return max(FEWEST, int(discrete_laplace(exact.answers["n"], permit)[0]))

    return _Ask(_laplace(unit, epsilon), counted_once(table.relation, unit, Measure("persons")), answer)


def _bounds(table: Table, unit: Unit, name: str, epsilon: Fraction, *, dates: bool) -> _Ask:
    event = _laplace(unit, epsilon)
    histogram = RangeHistogram.of(table.relation, name, dates=dates)
    clear = -float(event.scale) * math.log(histogram.chance)

    def answer(exact: SealedGroups, permit: Permit) -> KnownColumn:
        found = histogram.outermost(discrete_laplace(exact.answers["n"], permit).tolist(), clear)
        if found is None:
            return _UNKNOWN
        low, high = found
        if dates:
            low, high = (days_since(datetime.date(int(year), 1, 1)) for year in found)
        return KnownColumn("date" if dates else "number", low, high, origin=Origin.STATED, why=ORIGIN)

    return _Ask(event, histogram.counts(unit), answer)


def _values(table: Table, unit: Unit, name: str, epsilon: Fraction, delta: Fraction) -> _Ask:
    changed = sides(unit)
    scale = laplace_scale(epsilon, changed)
    event = ThresholdedKeys(scale, threshold_for(scale, changed, delta), changed)

    def answer(exact: SealedGroups, permit: Permit) -> KnownColumn:
        shown = thresholded_keys(exact.answers["n"], permit)
        texts = {as_text(key) for key in values_of(exact, shown, name)}
        found = sorted(text for text in texts if text is not None)[:MOST_VALUES]
        if not found:
            return _UNKNOWN
        return KnownColumn("category", values=tuple(found), origin=Origin.STATED, why=ORIGIN)

    return _Ask(event, value_counts(table.relation, unit, name), answer)


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
