"""Opening and finding budgets inside one transaction."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any

from privet.errors import BadBooking, BudgetError, LedgerMismatch, NoSuchBudget
from privet.guarantee import Promise
from privet.ledger._account_states import DATA_SET, NATS, Account, admit, scope_of, to_text
from privet.ledger._entry_journal import EntryJournal


def account(journal: EntryJournal, scope: str) -> Account:
    """The account of a scope; a purpose or analyst nobody opened a budget for has none."""
    record = journal.balance() if scope == DATA_SET else journal.state(scope)
    if record is None:
        hint = (
            "Releases in nats have an account of their own: ledger.open_budget(PacPrivacy(1)), `privet ledger budget LEDGER --nats 1`, or "
            "--budget nats=1 where there is no ledger yet."
            if scope == NATS
            else "Open one with ledger.open_budget(…) or `privet ledger budget`, or leave it out."
        )
        raise NoSuchBudget(f"there is no budget for the {scope}.", hint, scope=scope)
    return Account.from_json(scope, record)


def touched(journal: EntryJournal, scopes: Sequence[str]) -> list[Account]:
    """Every account a spend touches, in this order."""
    return [account(journal, scope) for scope in scopes]


def tried(journal: EntryJournal, scopes: Sequence[str], cost: dict[str, int]) -> tuple[Account, str]:
    """The first account, and why a spend would be refused now; an event without a price is not tried."""
    first = account(journal, scopes[0])
    try:
        if cost:
            admit(touched(journal, scopes), cost, journal.today)
    except BudgetError as refusal:
        return first, refusal.fact
    return first, ""


def fresh(scope: str, caps: dict[str, int], limit: Promise, expires: datetime.date | None) -> Account:
    """An account nothing was spent from."""
    return Account(scope, limit.to_json(), caps, dict.fromkeys(caps, 0), 0, expires)


def terms_of(opened: Account) -> dict[str, Any]:
    """The terms of a new account, as its opening entry states them."""
    record = opened.to_json()
    return {name: record[name] for name in ("limit", "caps", "expires")}


def open_below(
    journal: EntryJournal,
    limit: Promise,
    caps: dict[str, int],
    *,
    named: dict[str, str | None],
    expires: datetime.date | None,
) -> None:
    """Enter a sub-cap; opening the same one again changes nothing."""
    opened = fresh(scope_of(**named), caps, limit, expires)
    if _is_open(journal, opened):
        return
    data_set = account(journal, DATA_SET)
    if any(cap > data_set.caps[coin] for coin, cap in caps.items()):
        raise BadBooking(
            f"the budget for the {opened.scope} would be larger than the data set's own.",
            f"A sub-cap lies below the data set's: at most {_listed(data_set.caps)}.",
        )
    require_ahead(expires, journal.today)
    journal.append("budget", {**named, **terms_of(opened)}, {opened.scope: opened.to_json()})


def open_beside(
    journal: EntryJournal, limit: Promise, caps: dict[str, int], *, expires: datetime.date | None
) -> None:
    """Enter the account of nats, beside the data set's own; opening the same one again changes nothing."""
    opened = fresh(NATS, caps, limit, expires)
    if _is_open(journal, opened):
        return
    require_ahead(expires, journal.today)
    named = {"purpose": None, "analyst": None}
    journal.append("budget", {**named, **terms_of(opened)}, {opened.scope: opened.to_json()})


def _is_open(journal: EntryJournal, opened: Account) -> bool:
    """Whether a budget is there already; one with other terms is refused."""
    there = journal.state(opened.scope)
    if there is None:
        return False
    if (there["limit"], there["expires"]) != (opened.to_json()["limit"], opened.to_json()["expires"]):
        raise LedgerMismatch(
            f"the {opened.scope} has a budget with other terms.", "Budgets are not changed once open."
        )
    return True


def _listed(caps: dict[str, int]) -> str:
    return ", ".join(f"{coin} {text}" for coin, text in to_text(caps).items())


def require_ahead(expires: datetime.date | None, today: datetime.date) -> None:
    """Refuse to open a budget that has ended."""
    if expires is not None and expires < today:
        raise BadBooking("the end date has passed.", "Give a day that is still to come, or none.")
