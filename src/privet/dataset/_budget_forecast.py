"""What is left of every budget, as far as a plan goes: priced and admitted by the ledger's own rules, without booking."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field
from pathlib import Path

from privet.dataset._dataset_rows import ledger_place
from privet.dataset._declaration import Declaration, Purpose
from privet.dataset._ledger_binding import refuse_other_ledger
from privet.errors import LedgerMismatch, NoSuchBudget, PrivetError
from privet.guarantee import Event, PacPrivacy, Unit
from privet.ledger import (
    DATA_SET,
    GENESIS,
    NATS,
    Account,
    Filter,
    Ledger,
    LedgerTerms,
    admit,
    bound,
    charged_scopes,
    existing_ledger,
    filter_of,
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
        return filter_of(event, self.filter.name).price(event, self.unit.change).cost

    def charged(self, cost: dict[str, int], purpose: str) -> list[str]:
        """The accounts that the ledger would charge: the data set's and the purpose's, or that of nats."""
        counted = "pac" if "nats" in cost else self.filter.name
        return charged_scopes(counted, self.filter.name, purpose, None)

    def pay(self, cost: dict[str, int], purpose: str, today: datetime.date) -> None:
        """Take a cost from the budgets that it is charged to; refused as the ledger would."""
        scopes = self.charged(cost, purpose)
        if NATS in scopes and NATS not in self.accounts:
            raise NoSuchBudget(
                "the data set has no account of nats.",
                "Write nats: 1 beside its budget: PAC releases are charged to it.",
                scope=NATS,
            )
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


def open_nats(book: Ledger, declaration: Declaration) -> None:
    """Open the account of PAC releases in a ledger, if the declaration has one and it is not open yet."""
    if declaration.dataset.nats is not None:
        book.open_budget(PacPrivacy(declaration.dataset.nats))


def _nats_account(declaration: Declaration) -> dict[str, Account]:
    """The account of nats that would be opened."""
    if declaration.dataset.nats is None:
        return {}
    limit = PacPrivacy(declaration.dataset.nats)
    return {NATS: fresh(NATS, LedgerTerms.of(limit, None, None).filter.caps(limit), limit, None)}


def existing(declaration: Declaration, folder: Path) -> Ledger | None:
    """The ledger if one was begun; its terms must be the policy's. Nothing is written."""
    found = existing_ledger(ledger_place(declaration, folder), limit=declaration.dataset.budget.promise())
    try:
        refuse_other_ledger(folder, found)
    except PrivetError:
        if found is not None:
            found.close()
        raise
    if found is None:
        return None
    wanted, own = bound(declaration.dataset.unit.value()), found.unit
    if own is not None and bound(own) != wanted:
        found.close()
        raise LedgerMismatch(
            f"the ledger protects {unit_words(bound(own))}; the policy is about {unit_words(wanted)}.",
            "A ledger keeps one unit for ever: use a ledger for each.",
        )
    return found


def head_of(ledger: Ledger | None) -> str:
    """The hash of the last entry that says anything of budgets or releases: anchors change nothing that was planned."""
    last = GENESIS
    if ledger is not None:
        for entry in ledger.history():
            last = last if entry.kind == "anchor" else entry.hash
    return last


def till(declaration: Declaration, ledger: Ledger | None) -> Till:
    """The budgets as they stand: the ledger's, or those of the ledger that would be opened."""
    limit = declaration.dataset.budget.promise()
    terms = LedgerTerms.of(limit, None, None)
    unit = declaration.dataset.unit.value()
    if ledger is None:
        account = fresh(DATA_SET, terms.filter.caps(limit), limit, None)
        return Till(terms.filter, unit, GENESIS, {DATA_SET: account, **_nats_account(declaration)})
    accounts = _nats_account(declaration) | {
        balance.scope: Account.from_json(balance.scope, balance.to_json()) for balance in ledger.balances()
    }
    own = LedgerTerms.of(limit, ledger.accounting, None)
    return Till(own.filter, unit, head_of(ledger), accounts)
