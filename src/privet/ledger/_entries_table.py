"""The history of a ledger as a table: one row for each entry, for people and their frames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from privet.guarantee import exact
from privet.ledger._hash_chain import Entry
from privet.ledger._privacy_filters import COINS

if TYPE_CHECKING:
    import pyarrow as pa


def as_arrow(entries: Iterable[Entry]) -> pa.Table:
    """Entries as they were booked; amounts as numbers, since exact ones are in `export`."""
    import pyarrow as pa

    rows = [_row(entry) for entry in entries]
    kinds = {"entry": pa.int64(), **dict.fromkeys(COINS, pa.float64())}
    names = list(_row_names())
    return pa.table(
        {name: pa.array([row[name] for row in rows], kinds.get(name, pa.string())) for name in names}
    )


def shares_left(entries: Iterable[Entry], caps: Mapping[str, Fraction]) -> list[float]:
    """The share left of the data set's scarcest coin: at the start, and after each spend."""
    shares, told = [1.0], {coin for coin, cap in caps.items() if cap}
    for entry in entries:
        left = entry.body.get("remaining", {})
        # What is charged to the account of nats leaves the others as they were.
        if entry.kind == "spend" and told <= left.keys():
            shares.append(min(float(exact(left[coin], coin) / cap) for coin, cap in caps.items() if cap))
    return shares


def _row_names() -> tuple[str, ...]:
    return ("entry", "at", "kind", *COINS, "why", "purpose", "analyst", "composition", "hash")


def _row(entry: Entry) -> dict[str, Any]:
    body = entry.body
    return {
        "entry": entry.number,
        "at": entry.at,
        "kind": entry.kind,
        **{coin: float(exact(entry.cost[coin], coin)) if coin in entry.cost else None for coin in COINS},
        "why": entry.why,
        "purpose": body.get("purpose"),
        "analyst": body.get("analyst"),
        "composition": body.get("composition"),
        "hash": entry.hash,
    }
