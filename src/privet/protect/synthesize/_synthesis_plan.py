"""The plan of a twin: what is public, what it will cost, and the one event that is booked for all of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privet.engine import ColumnKind
from privet.errors import BadSynthesis, PromiseUnmeetable
from privet.guarantee import (
    LOSS_UNIT,
    ApproxDP,
    Composed,
    Event,
    Opaque,
    Promise,
    Unit,
    ZeroConcentrated,
    ZeroConcentratedDP,
    rho_within,
    unit_to_json,
    units_down,
    zcdp_cost,
)
from privet.protect.synthesize._bought_domain import SHARE, Purchase, bought_share, finds_values, purchases
from privet.protect.synthesize._structural_zeros import StructuralZero
from privet.protect.synthesize._table_domain import TableDomain
from privet.source import Table

METHODS = ("auto", "aim", "mst", "evolve")
CELLS = 131_072  # numbers that a model may hold: a megabyte


@dataclass(frozen=True, eq=False)
class SynthesisPlan:
    """A run in full, with no data in it. `spare` is the part of delta that values to be found need."""

    table: Table
    domain: TableDomain
    promise: Promise
    method: str
    workload: Any
    cells: int
    rho: Fraction
    spare: Fraction
    event: Event
    bought: tuple[Purchase, ...]
    zeros: tuple[StructuralZero, ...] = ()

    @property
    def unit(self) -> Unit:
        """Whose presence is hidden."""
        return self.table.unit_or_refuse()

    def outlook(self) -> tuple[str, ...]:
        """What is to be expected, in sentences: what domains that nobody states cost, and what they lose."""
        return outlook_of([(one.name, one) for one in self.bought])

    def question(self) -> str:
        """What makes two runs the same: the columns, the data's snapshot, the unit, the method and the noise."""
        workload = self.workload
        if isinstance(workload, Mapping):
            workload = sorted((list(one), float(weight)) for one, weight in workload.items())
        record = {
            "verb": "synthesize",
            "columns": self.domain.describe(),
            "data": self.table.fingerprint,
            "unit": unit_to_json(self.unit),
            "promise": self.promise.to_json(),
            "event": self.event.to_json(),
            "method": self.method,
            "workload": workload,
            "cells": self.cells,
            "rules": [],
        }
        if self.zeros:
            record["zeros"] = [str(one) for one in self.zeros]
        return hashlib.sha256(json.dumps(record, sort_keys=True, default=list).encode()).hexdigest()


def make_plan(
    table: Table,
    domain: TableDomain,
    promise: Promise,
    *,
    method: str,
    workload: Any,
    cells: int = CELLS,
    accounting: str,
    zeros: tuple[StructuralZero, ...] = (),
) -> SynthesisPlan:
    """Turn the promise into rho and the booking; reads no private row."""
    if method not in METHODS:
        raise BadSynthesis(f"there is no method {method!r}.", f"Use one of {', '.join(METHODS)}.")
    price = priced(promise, [(table, name, kind) for name, kind in domain.unknown.items()], accounting, table)
    return SynthesisPlan(
        table,
        domain,
        promise,
        method,
        workload,
        cells,
        price.rho,
        price.spare,
        price.event,
        price.bought,
        zeros,
    )


def outlook_of(bought: Sequence[tuple[str, Purchase]]) -> tuple[str, ...]:
    """What buying domains loses, and how to keep it: columns by the name that callers use, alike ones in one sentence."""
    if not bought:
        return ()
    share = bought_share(len(bought))
    alike: dict[str, list[str]] = {}
    for name, one in bought:
        alike.setdefault(one.outlook(), []).append(repr(name))
    columns = "one column" if len(bought) == 1 else f"{len(bought)} columns"
    found = "it" if len(bought) == 1 else "them"
    return (
        f"Nobody states values or bounds of {columns}: finding {found} takes {float(share):.0%} of the budget.",
        *(
            f"Of {'each of ' if len(names) > 1 else ''}{', '.join(names)}, {end}"
            for end, names in alike.items()
        ),
        "State values and bounds with keys= and bounds=, or by a file that `privet schema` drafts: nothing of them is lost or paid for.",
    )


@dataclass(frozen=True)
class Price:
    """What a promise pays for: rho in all, the part of delta for values to be found, the booking, and what is bought."""

    rho: Fraction
    spare: Fraction
    event: Event
    bought: tuple[Purchase, ...]


def priced(
    promise: Promise, unknown: Sequence[tuple[Table, str, ColumnKind]], accounting: str, table: Table
) -> Price:
    """Turn the promise into rho and the booking, with the columns whose domain nobody states."""
    spare = Fraction(0)
    texts = [name for _, name, kind in unknown if finds_values(kind)]
    if texts:
        if not isinstance(promise, ApproxDP):
            raise PromiseUnmeetable(
                f"nobody states the values of {', '.join(map(repr, texts))}, and finding them takes a delta.",
                "State them, as in open_table(…, keys={column: [values]}), or promise ApproxDP(epsilon, delta).",
            )
        spare = promise.delta * SHARE
    rho = _rho(promise, spare)
    bought = tuple(purchases(unknown, rho * bought_share(len(unknown)), spare) if unknown else ())
    return Price(rho, spare, _event(promise, rho, bought, accounting, table), bought)


def _rho(promise: Promise, spare: Fraction) -> Fraction:
    """In whole units of the budget, so that what is booked never exceeds what was promised."""
    if isinstance(promise, ZeroConcentratedDP):
        return units_down(promise.rho, LOSS_UNIT) * LOSS_UNIT
    if isinstance(promise, ApproxDP):
        return rho_within(promise.epsilon, promise.delta - spare)
    raise PromiseUnmeetable(
        f"a twin is made from counts with Gaussian noise, which {type(promise).__name__} does not allow.",
        "Promise ApproxDP(epsilon, delta) or ZeroConcentratedDP(rho).",
    )


def _event(
    promise: Promise, rho: Fraction, bought: tuple[Purchase, ...], accounting: str, table: Table
) -> Event:
    """One booking for the whole run, from which adaptive rounds draw under a filter.

    Where rho adds up, rho (and beside it what has a delta of its own); where epsilon and delta do, the promise itself.
    """
    if accounting != "zcdp":
        if accounting != "basic" or not isinstance(promise, ApproxDP):
            raise PromiseUnmeetable(
                f"Gaussian noise cannot be booked in a ledger whose accounting is {accounting!r} without a delta.",
                'Open the ledger with an ApproxDP limit or accounting="zcdp", and promise ApproxDP.',
            )
        return Opaque(promise.epsilon, promise.delta)
    parts = [one.event for one in bought if one.event.kind == "truncated-keys"]
    if not parts:
        return ZeroConcentrated(rho)
    rest = rho - zcdp_cost(Composed(parts), change=table.unit_or_refuse().change).rho
    return Composed([ZeroConcentrated(units_down(rest, LOSS_UNIT) * LOSS_UNIT), *parts])
