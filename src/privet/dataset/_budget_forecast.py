"""What is left of every budget, as far as a plan goes: priced and admitted by the ledger's own rules, without booking."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field
from pathlib import Path

from privet.dataset._dataset_rows import ledger_place
from privet.dataset._declaration import Declaration, Purpose
from privet.errors import LedgerMismatch, NoSuchBudget
from privet.guarantee import Event, Unit
from privet.ledger import (
    DATA_SET,
    GENESIS,
    Account,
    Filter,
    Ledger,
    LedgerTerms,
    admit,
    bound,
    fresh,
    scope_of,
    to_text,
    unit_words,
)


@dataclass
class Till:
    """The budgets as they would stand after the steps that were looked at so far."""

    filter: Filter
    unit: Unit
    head: str  # of the ledger; zeros where there is none yet
    accounts: dict[str, Account] = field(default_factory=dict)

    def open(self, name: str, purpose: Purpose) -> None:
        """A purpose's budget, if it is not open yet; one that is keeps its terms for ever."""
        if purpose.budget is None:
            return
        scope = scope_of(purpose=name)
        limit = purpose.budget.promise()
        open_until = self.accounts[scope].expires if scope in self.accounts else purpose.expires
        wanted = fresh(scope, self.filter.caps(limit), limit, _end(purpose.expires, open_until))
        there = self.accounts.setdefault(scope, wanted)
        if (there.limit, there.expires) != (wanted.limit, wanted.expires):
            raise LedgerMismatch(
                f"purpose {name!r} has a budget in the ledger, of other terms than the policy's: "
                f"{to_text(there.caps)['epsilon'] if 'epsilon' in there.caps else 'another limit'} until {there.expires}.",
                "Budgets are not changed once they are open. Write these terms again; or give the renewed purpose a "
                "new name, and with it a budget of its own under what is left of the data set's.",
            )

    def price(self, event: Event) -> dict[str, int]:
        """What the ledger would book."""
        return self.filter.price(event, self.unit.change).cost

    def pay(self, cost: dict[str, int], purpose: str, today: datetime.date) -> None:
        """Take a cost from the data set's and the purpose's budgets; refused as the ledger would."""
        scopes = [DATA_SET, scope_of(purpose=purpose)]
        admit([self.accounts[scope] for scope in scopes], cost, today)
        for scope in scopes:
            self.accounts[scope] = self.accounts[scope].after(cost)

    def left(self, scope: str) -> dict[str, str]:
        """What is left, in exact decimals."""
        return to_text(self.accounts[scope].remaining()) if scope in self.accounts else {}


def _end(stated: datetime.date, there: datetime.date | None) -> datetime.date | None:
    """The end to ask a budget of: a purpose may end before its budget does, and then it is the purpose that ends."""
    return there if there is None or stated < there else stated


def open_purpose(book: Ledger, name: str, purpose: Purpose) -> None:
    """Open a purpose's budget in a ledger, if it has one and it is not open yet."""
    if purpose.budget is None:
        return
    try:
        ends = _end(purpose.expires, book.balance(purpose=name).expires)
    except NoSuchBudget:
        ends = purpose.expires
    book.open_budget(purpose.budget.promise(), purpose=name, expires=ends)


def existing(declaration: Declaration, folder: Path) -> Ledger | None:
    """The ledger if there is one; its terms must be the policy's. Nothing is written."""
    place = ledger_place(declaration, folder)
    if "://" not in place and not Path(place).exists():
        return None
    found = Ledger(place, limit=declaration.dataset.budget.promise())
    wanted, own = bound(declaration.dataset.unit.value()), found.unit
    if own is not None and bound(own) != wanted:
        found.close()
        raise LedgerMismatch(
            f"the ledger protects {unit_words(bound(own))}; the policy is about {unit_words(wanted)}.",
            "A ledger keeps one unit for ever: use a ledger for each.",
        )
    return found


def head_of(ledger: Ledger | None) -> str:
    """The hash of the last entry."""
    last = GENESIS
    if ledger is not None:
        for entry in ledger.history():
            last = entry.hash
    return last


def till(declaration: Declaration, ledger: Ledger | None) -> Till:
    """The budgets as they stand: the ledger's, or those of the ledger that would be opened."""
    limit = declaration.dataset.budget.promise()
    terms = LedgerTerms.of(limit, None, None)
    unit = declaration.dataset.unit.value()
    if ledger is None:
        account = fresh(DATA_SET, terms.filter.caps(limit), limit, None)
        return Till(terms.filter, unit, GENESIS, {DATA_SET: account})
    accounts = {
        balance.scope: Account.from_json(balance.scope, balance.to_json()) for balance in ledger.balances()
    }
    own = LedgerTerms.of(limit, ledger.accounting, None)
    return Till(own.filter, unit, head_of(ledger), accounts)
