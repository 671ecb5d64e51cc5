"""The terms of a ledger: what it allows, for whom, how it counts. Written in its first entry and never changed."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any

from privet.errors import BadBooking, LedgerMismatch
from privet.guarantee import Promise, Unit, promise_from_json, unit_to_json
from privet.ledger._privacy_filters import FILTERS, Filter, filter_for


@dataclass(frozen=True, slots=True)
class LedgerTerms:
    """Limit, accounting and end date of the data set's budget."""

    limit: Promise
    accounting: str
    expires: datetime.date | None = None

    @classmethod
    def of(cls, limit: Promise, accounting: str | None, expires: datetime.date | None) -> LedgerTerms:
        """Checked terms for a new ledger."""
        return cls(limit, filter_for(limit, accounting).name, last_day(expires))

    @property
    def filter(self) -> Filter:
        """The rule that admits spends."""
        return FILTERS[self.accounting]

    def to_json(self) -> dict[str, Any]:
        """A stable record; it names the theorem, so that the book explains itself."""
        return {
            "limit": self.limit.to_json(),
            "accounting": self.accounting,
            "theorem": self.filter.theorem,
            "expires": self.expires.isoformat() if self.expires else None,
        }

    @classmethod
    def from_json(cls, record: dict[str, Any]) -> LedgerTerms:
        """The terms in a first entry."""
        expires = record["expires"]
        return cls(
            promise_from_json(record["limit"]),
            str(record["accounting"]),
            datetime.date.fromisoformat(expires) if expires else None,
        )

    def require(self, limit: Promise | None, accounting: str | None, expires: datetime.date | None) -> None:
        """Refuse to open a ledger under other terms than its own."""
        asked = {"limit": limit, "accounting": accounting, "expires": expires}
        differing = [
            name for name, value in asked.items() if value is not None and value != getattr(self, name)
        ]
        if differing:
            raise LedgerMismatch(
                f"this ledger was opened with another {' and another '.join(differing)}.",
                "Leave the terms out to use the ledger as it is, or open a new one under another name.",
                terms=differing,
            )


def bound(unit: Unit) -> dict[str, Any]:
    """What a ledger binds of a unit: whose presence, and how neighbours differ. Caps on rows may vary by release."""
    if not isinstance(unit, Unit):
        raise BadBooking("unit must be a privacy unit.", 'Write Person("patient_id") or Row().')
    record = unit_to_json(unit)
    return {name: record[name] for name in ("unit", "column", "change") if name in record}


def unit_words(record: dict[str, Any]) -> str:
    """A bound unit in a few words."""
    who = "one row" if record["unit"] == "row" else "one person"
    by = f" ({record['column']})" if "column" in record else ""
    return f"{who}{by}, {record['change']}"


def last_day(expires: datetime.date | None) -> datetime.date | None:
    """An end date: a day, not a moment."""
    if expires is None:
        return None
    if isinstance(expires, datetime.datetime) or not isinstance(expires, datetime.date):
        raise BadBooking("expires must be a date.", "Write datetime.date(2027, 12, 31).")
    return expires
