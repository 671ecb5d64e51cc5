"""Books as somebody writes them who can write the file: every hash, balance and pointer fits, whatever the content."""

from __future__ import annotations

import datetime

from privet.guarantee._privacy_units import Row
from privet.guarantee._promise_registry import KAnonymity, PureDP
from privet.ledger import _draft_ledger as draft
from privet.ledger._account_states import DATA_SET, Account, from_text, scope_of, scopes_of, to_text
from privet.ledger._booking_requests import RECORDED, Note
from privet.ledger._entry_journal import UNIT, EntryJournal
from privet.ledger._ledger_terms import LedgerTerms, bound
from privet.ledger._ledger_verification import verify
from privet.ledger._privacy_filters import FILTERS

MORNING = "2026-03-01T08:00:00.000000Z"


class Forgery:
    """A book in memory. Each method enters what it is told and keeps the book consistent; none refuses anything."""

    def __init__(self, limit=PureDP(1), accounting="pure", unit=Row(), expires=None, **over):  # noqa: B008
        self.store, self.at, self.filter, self.unit = draft.MemoryStore(), MORNING, FILTERS[accounting], unit
        self.accounts = {}
        terms = LedgerTerms(limit, accounting, expires)
        fresh = self._fresh(DATA_SET, limit, expires, over)
        own = bound(unit) if unit is not None else None
        content = {**terms.to_json(), "caps": to_text(fresh.caps), "unit": own, "nonce": "1"}
        after = {DATA_SET: fresh.to_json(), **({} if own is None else {UNIT: own})}
        self.enter("open", {**content, **over}, after)

    def enter(self, kind, content, after):
        with self.store.writing() as transaction:
            journal = EntryJournal(transaction)
            journal.at = self.at
            return journal.append(kind, content, after).number

    def _fresh(self, scope, limit, expires, over):
        caps = from_text(over["caps"]) if "caps" in over else self.filter.caps(limit)
        ends = over.get("expires") or (expires.isoformat() if expires else None)
        self.accounts[scope] = Account(
            scope,
            limit.to_json(),
            caps,
            dict.fromkeys(caps, 0),
            0,
            datetime.date.fromisoformat(ends) if ends else None,
        )
        return self.accounts[scope]

    def bind(self, unit, **over):
        record = {**bound(unit), **over}
        return self.enter("unit", {"unit": record}, {UNIT: record})

    def budget(self, limit, purpose=None, analyst=None, expires=None, **over):
        scope = scope_of(purpose=purpose, analyst=analyst)
        fresh = self._fresh(scope, limit, expires, over)
        record = fresh.to_json()
        terms = {name: record[name] for name in ("limit", "caps", "expires")}
        return self.enter(
            "budget", {"purpose": purpose, "analyst": analyst, **terms, **over}, {scope: record}
        )

    def spend(self, event, purpose=None, analyst=None, question=None, unit=None, **over):
        price = self.filter.price(event, self.unit.change)
        content = {
            "event": event.to_json(),
            "promise": None,
            "unit": bound(unit or self.unit),
            "accounting": self.filter.name,
            "cost": to_text(price.cost),
            "composition": price.composition,
            "grid": price.grid,
            **Note.of("a reason", purpose, analyst, None, question).to_json(),
            **over,
        }
        cost = from_text(content["cost"])
        for scope in scopes_of(purpose, analyst):
            self.accounts[scope] = self.accounts[scope].after(cost)
        left = self.accounts[DATA_SET].remaining()
        after = {scope: self.accounts[scope].to_json() for scope in scopes_of(purpose, analyst)}
        return self.enter("spend", {"remaining": to_text(left), **content}, after)

    def promise(self, promise=KAnonymity(5), question=None, **over):  # noqa: B008
        content = {
            "event": None,
            "promise": promise.to_json(),
            "unit": bound(self.unit),
            "accounting": RECORDED,
            "composition": RECORDED,
            "cost": {},
            "grid": None,
            "remaining": to_text(self.accounts[DATA_SET].remaining()),
            **Note.of("a reason", question=question).to_json(),
            **over,
        }
        return self.enter("promise", content, {})

    def release(self, paid_by, question, digest, content=None):
        number = self.enter("release", {"question": question, "release": digest, "paid_by": paid_by}, {})
        if content is not None:
            with self.store.writing() as transaction:
                transaction.put_release(question, number, content)
        return number

    def verify(self, receipts=()):
        with self.store.reading() as transaction:
            return verify(transaction, receipts)
