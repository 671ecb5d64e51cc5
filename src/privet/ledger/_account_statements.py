"""What a ledger says of itself: balances, quotes, receipts."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privet.artifact import Receipt
from privet.guarantee import Promise, promise_from_json, readable, written
from privet.ledger._account_states import Account, amounts
from privet.ledger._hash_chain import Entry


@dataclass(frozen=True, slots=True)
class Balance:
    """One budget at one moment; amounts are exact."""

    scope: str
    limit: Promise
    accounting: str
    caps: dict[str, Fraction]
    spent: dict[str, Fraction]
    remaining: dict[str, Fraction]
    spends: int
    expires: datetime.date | None
    expired: bool

    @classmethod
    def of(cls, account: Account, accounting: str, today: datetime.date) -> Balance:
        """The balance of an account."""
        return cls(
            account.scope,
            promise_from_json(account.limit),
            accounting,
            amounts(account.caps),
            amounts(account.spent),
            amounts(account.remaining()),
            account.spends,
            account.expires,
            account.expired(today),
        )

    @property
    def share_left(self) -> float:
        """The share that is left of the coin that is scarcest."""
        return min((float(self.remaining[coin] / cap) for coin, cap in self.caps.items() if cap), default=0.0)

    def to_json(self) -> dict[str, Any]:
        """A stable record, amounts in exact decimals."""
        return {
            "scope": self.scope,
            "limit": self.limit.to_json(),
            "accounting": self.accounting,
            "caps": _texts(self.caps),
            "spent": _texts(self.spent),
            "remaining": _texts(self.remaining),
            "spends": self.spends,
            "expires": self.expires.isoformat() if self.expires else None,
            "expired": self.expired,
        }

    def __str__(self) -> str:
        sums = ", ".join(
            f"{coin} {readable(self.spent[coin])} of {readable(self.caps[coin])}" for coin in self.caps
        )
        return f"{self.scope}: spent {sums}, {self.share_left:.0%} left"


@dataclass(frozen=True, slots=True)
class Quote:
    """What a spend would cost and leave in the data set's budget; nothing was booked."""

    admitted: bool
    reason: str  # empty when admitted
    cost: dict[str, Fraction]  # empty when the event has no price
    before: dict[str, Fraction]
    after: dict[str, Fraction]

    def to_json(self) -> dict[str, Any]:
        """A stable record, amounts in exact decimals."""
        return {
            "admitted": self.admitted,
            "reason": self.reason,
            "cost": _texts(self.cost),
            "before": _texts(self.before),
            "after": _texts(self.after),
        }


@dataclass(frozen=True, slots=True)
class Verification:
    """A book that verified: how much of it there is, and its head for publishing."""

    ledger: str
    entries: int
    spends: int
    head: str
    receipts: int

    def to_json(self) -> dict[str, Any]:
        """A stable record."""
        return {
            "verified": True,
            "ledger": self.ledger,
            "entries": self.entries,
            "spends": self.spends,
            "head": self.head,
            "receipts": self.receipts,
        }


def receipt_of(entry: Entry, ledger: str) -> Receipt:
    """The receipt that stands for an entry: everything in it comes from the chain."""
    body = entry.body
    return Receipt(
        ledger=ledger,
        entry=entry.number,
        head=entry.hash,
        at=entry.at,
        event=body["event"],
        promise=body["promise"],
        unit=body["unit"],
        accounting=body["accounting"],
        composition=body["composition"],
        cost=body["cost"],
        remaining=body["remaining"],
        why=body["why"],
        purpose=body["purpose"],
        analyst=body["analyst"],
        data=body["data"],
        grid=body["grid"],
    )


def _texts(exact: Mapping[str, Fraction]) -> dict[str, str]:
    return {coin: written(amount) for coin, amount in exact.items()}
