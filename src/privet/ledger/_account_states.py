"""Running states: what each budget allows and has spent, and whether it covers one more spend.

A ledger has one account for the data set and may have sub-caps for purposes and analysts. They are caps
below the data set's cap, not pots of their own: a spend is booked in the data set's account and in every
sub-cap it names, all or none.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from privet.errors import BadAmount, BudgetExceeded, BudgetExpired, LedgerTampered
from privet.guarantee import exact, readable, written
from privet.ledger._privacy_filters import COINS

DATA_SET = "data set"
# The account of PAC releases in a ledger whose own limit is in differential privacy: the two never add up.
NATS = "mutual information"


def scope_of(*, purpose: str | None = None, analyst: str | None = None) -> str:
    """The name of an account: the data set's, or that of one purpose or one analyst."""
    if purpose is not None:
        return f"purpose {purpose}"
    return DATA_SET if analyst is None else f"analyst {analyst}"


def scopes_of(purpose: str | None, analyst: str | None) -> list[str]:
    """Every account a spend touches, the data set's first."""
    named = [scope_of(purpose=purpose)] if purpose is not None else []
    named += [scope_of(analyst=analyst)] if analyst is not None else []
    return [DATA_SET, *named]


def charged_scopes(counted: str, own: str, purpose: str | None, analyst: str | None) -> list[str]:
    """Every account that a spend counted by one accounting touches in a ledger of another, the first being what is told.

    Caps of purposes and analysts are in the ledger's own coins, so releases in nats touch the account of nats alone.
    """
    return scopes_of(purpose, analyst) if counted == own else [NATS]


def amounts(units: Mapping[str, int]) -> dict[str, Fraction]:
    """Units of each coin as exact amounts."""
    return {coin: number * COINS[coin] for coin, number in units.items()}


def to_text(units: Mapping[str, int]) -> dict[str, str]:
    """Units of each coin as exact decimals."""
    return {coin: written(amount) for coin, amount in amounts(units).items()}


def from_text(record: Mapping[str, str]) -> dict[str, int]:
    """The units that exact decimals stand for."""
    try:
        units = {coin: exact(record[coin], coin) / unit for coin, unit in COINS.items() if coin in record}
    except BadAmount:  # no number, or one that it would take for ever to write out
        units = {}
    # An unknown coin would be spent without a cap, and a negative amount would be a refund.
    if len(units) != len(record) or any(number.denominator != 1 or number < 0 for number in units.values()):
        raise LedgerTampered(
            "a stored amount is not a number of budget units.", "Run `privet ledger verify`."
        )
    return {coin: int(number) for coin, number in units.items()}


@dataclass(frozen=True, slots=True)
class Account:
    """One budget: its limit as promised, its caps and spends in units of each coin."""

    scope: str
    limit: dict[str, Any]
    caps: dict[str, int]
    spent: dict[str, int]
    spends: int = 0
    expires: datetime.date | None = None

    def after(self, cost: Mapping[str, int]) -> Account:
        """The account once a cost is booked."""
        spent = {coin: units + cost[coin] for coin, units in self.spent.items()}
        return replace(self, spent=spent, spends=self.spends + 1)

    def remaining(self) -> dict[str, int]:
        """What is left of each coin."""
        return {coin: cap - self.spent[coin] for coin, cap in self.caps.items()}

    def expired(self, today: datetime.date) -> bool:
        """Whether the last day has passed."""
        return self.expires is not None and today > self.expires

    def shortages(self, cost: Mapping[str, int]) -> list[str]:
        """What a cost lacks here, in words: empty when it is covered."""
        found = []
        for coin, left in self.remaining().items():
            if cost[coin] > left:
                spent, cap, asked, short = (
                    readable(units * COINS[coin])
                    for units in (self.spent[coin], self.caps[coin], cost[coin], cost[coin] - left)
                )
                found.append(
                    f"spent {spent} of {cap}, this needs {asked}, {short} short ({coin}, {self.scope})"
                )
        return found

    def to_json(self) -> dict[str, Any]:
        """A stable record, amounts in exact decimals."""
        return {
            "limit": self.limit,
            "caps": to_text(self.caps),
            "spent": to_text(self.spent),
            "spends": self.spends,
            "expires": self.expires.isoformat() if self.expires else None,
        }

    @classmethod
    def from_json(cls, scope: str, record: Mapping[str, Any]) -> Account:
        """The account a record describes."""
        expires = record["expires"]
        return cls(
            scope,
            dict(record["limit"]),
            from_text(record["caps"]),
            from_text(record["spent"]),
            int(record["spends"]),
            datetime.date.fromisoformat(expires) if expires else None,
        )


def admit(accounts: Iterable[Account], cost: Mapping[str, int], today: datetime.date) -> None:
    """Refuse a cost that any of the accounts does not cover, saying everything that is missing."""
    touched = list(accounts)
    # Before the amounts: that a budget has ended is the reason to give, even where it would not have covered
    # the spend.
    ended = [account for account in touched if account.expired(today)]
    if ended:
        named = ", ".join(f"{account.scope} (last day {account.expires})" for account in ended)
        raise BudgetExpired(
            f"a budget this spend touches has ended: {named}.",
            "Open a new ledger for new data; an ended budget is not revived.",
            scopes=[account.scope for account in ended],
        )
    # All that are short are named at once, so that nobody learns of the next only after mending the first.
    short = [account for account in touched if account.shortages(cost)]
    if short:
        raise BudgetExceeded(
            "; ".join(words for account in short for words in account.shortages(cost)) + ".",
            "Ask for less (more noise, fewer parts), or repeat an earlier question: its stored answer is free.",
            scopes=[
                {
                    "scope": account.scope,
                    "limit": to_text(account.caps),
                    "spent": to_text(account.spent),
                    "needed": to_text(cost),
                }
                for account in short
            ],
        )
