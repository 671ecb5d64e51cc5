"""The running states, computed from the entries alone; an entry that no ledger would have written is a fault.

A hash chain shows that nothing was changed since it was closed, not that its content was ever admissible: whoever can
write the file can close the chain again. So every entry is held against the rules it was booked under: its event is
priced again, its budgets must cover the price and not have ended, its unit is the ledger's, its time does not run
backwards, and what can happen once happens once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from privet.errors import EvidenceBroken, NotApproved
from privet.guarantee import Change, PacPrivacy, event_from_json, promise_from_json, unit_from_json
from privet.ledger import _anchors as anchors
from privet.ledger import _approval_demand as approval
from privet.ledger import _entry_text as entry_text
from privet.ledger import _idempotent_booking as idempotent_booking
from privet.ledger import _owner_keys as owner
from privet.ledger import clock
from privet.ledger._account_states import (
    DATA_SET,
    NATS,
    Account,
    charged_scopes,
    from_text,
    scope_of,
    to_text,
)
from privet.ledger._booking_requests import RECORDED, known_event, without_budget
from privet.ledger._entry_journal import SCHEMA, UNIT
from privet.ledger._hash_chain import Entry
from privet.ledger._ledger_terms import bound
from privet.ledger._privacy_filters import FILTERS, PacFilter, Price, filter_for, filter_of
from privet.ledger._stored_answers import part_key

States = dict[str, dict[str, Any]]

# Prices and caps come from logarithms and exponentials, whose last digits differ between machines.
_ACCURACY = 10**9
_DIGEST = re.compile(r"[0-9a-f]{64}")


class Fault(Exception):
    """One finding, in words that follow the entry's number."""


class Replay:
    """A book as its entries make it."""

    def __init__(self) -> None:
        self.states: dict[str, tuple[int, dict[str, Any]]] = {}
        self.releases: dict[str, tuple[int, str]] = {}
        self.paid: dict[int, str | None] = {}
        self.spends = 0
        self.pointing = False
        self._accounting = ""
        self._at = ""
        self._once: set[str] = set()
        self._prices: dict[tuple[str, Change], Price] = {}
        self._id = ""
        self._hashes = bytearray()  # of all entries, 32 bytes each
        self._old_keys: list[str] = []
        self._signed = False
        self._ended: set[str] = set()  # plans that were carried out

    def take(self, entry: Entry) -> None:
        """Apply one entry, and compare what it says it leaves behind with what it does leave."""
        kinds: dict[str, Callable[[Entry], States]] = {
            "open": self._open,
            "unit": self._unit,
            "budget": self._budget,
            "spend": self._spend,
            "promise": self._promise,
            "release": self._release,
            anchors.KIND: self._anchor,
        }
        if entry.body.get("schema") != SCHEMA or entry.kind not in kinds:
            raise Fault("is of a kind or version that is not known here")
        if (entry.kind == "open") != (entry.number == 1):
            raise Fault("opens the book in the wrong place, or fails to")
        self._pass_time(entry)
        self._id = self._id or entry.hash
        after = kinds[entry.kind](entry)
        if entry.body["after"] != after:
            raise Fault("leaves other balances behind than its amounts give")
        self.states.update({scope: (entry.number, state) for scope, state in after.items()})
        self._hashes += bytes.fromhex(entry.hash)
        # The oldest entries point at none; after one that does, all do.
        self.pointing = self.pointing or "balance" in entry.body
        if self.pointing and entry.body.get("balance") != self.states[DATA_SET][0]:
            raise Fault("points at another entry than the one that wrote the newest balance")

    def account(self, scope: str) -> Account:
        """One budget as replayed."""
        if scope not in self.states:
            raise Fault(f"names a budget that was never opened ({scope})")
        return Account.from_json(scope, self.states[scope][1])

    def _pass_time(self, entry: Entry) -> None:
        clock.moment(entry.at)
        if entry.at < self._at:
            raise Fault("is dated before the entry that it follows")
        self._at = entry.at

    # --- opening -------------------------------------------------------------------------------

    def _open(self, entry: Entry) -> States:
        limit = promise_from_json(entry.body["limit"])
        self._accounting = filter_for(limit, entry.body["accounting"]).name
        after: States = {DATA_SET: self._fresh(entry, DATA_SET, self._accounting)}
        if entry.body["unit"] is not None:
            after[UNIT] = _bindable(entry.body["unit"])
        return after

    def _unit(self, entry: Entry) -> States:
        if UNIT in self.states:
            raise Fault("binds the unit a second time")
        return {UNIT: _bindable(entry.body["unit"])}

    def _budget(self, entry: Entry) -> States:
        _require_texts(entry, "purpose", "analyst")
        named = {name: entry.body[name] for name in ("purpose", "analyst")}
        if self._is_beside(entry, named):
            if NATS in self.states:
                raise Fault("opens a budget a second time")
            return {NATS: self._fresh(entry, NATS, PacFilter.name)}
        if None not in named.values() or len(set(named.values())) == 1:
            raise Fault("opens a budget that is not for one purpose or for one analyst")
        scope = scope_of(**named)
        if scope in self.states:
            raise Fault("opens a budget a second time")
        opened = self._fresh(entry, scope, self._accounting)
        whole = self.account(DATA_SET).caps
        if any(cap > whole[coin] for coin, cap in from_text(opened["caps"]).items()):
            raise Fault("opens a budget that is larger than the data set's own")
        return {scope: opened}

    def _is_beside(self, entry: Entry, named: Mapping[str, Any]) -> bool:
        """Whether this is the account of nats beside a limit in differential privacy."""
        if set(named.values()) != {None} or self._accounting == PacFilter.name:
            return False
        return isinstance(promise_from_json(entry.body["limit"]), PacPrivacy)

    def _fresh(self, entry: Entry, scope: str, counted: str) -> dict[str, Any]:
        caps = from_text(entry.body["caps"])
        given = FILTERS[counted].caps(promise_from_json(entry.body["limit"]))
        if caps.keys() != given.keys() or not _covered(caps, given):
            raise Fault("allows more than its limit gives")
        opened = Account.from_json(
            scope,
            {
                "limit": entry.body["limit"],
                "caps": to_text(caps),
                "spent": to_text(dict.fromkeys(caps, 0)),
                "spends": 0,
                "expires": entry.body["expires"],
            },
        )
        if opened.expired(clock.day(entry.at)):
            raise Fault("opens a budget that had ended")
        return opened.to_json()

    # --- booking -------------------------------------------------------------------------------

    def _spend(self, entry: Entry) -> States:
        cost = self._cost(entry, self._stated_change(entry))
        scopes = charged_scopes(
            entry.body["accounting"], self._accounting, entry.body["purpose"], entry.body["analyst"]
        )
        accounts = [self.account(scope) for scope in scopes]
        if any(account.shortages(cost) for account in accounts):
            raise Fault("spends more than its budget held")
        if any(account.expired(clock.day(entry.at)) for account in accounts):
            raise Fault("spends from a budget that had ended")
        after = [account.after(cost) for account in accounts]
        if entry.body["remaining"] != to_text(after[0].remaining()):
            raise Fault("states another remainder than its amounts give")
        self._note(entry)
        self.spends += 1
        return {account.scope: account.to_json() for account in after}

    def _promise(self, entry: Entry) -> States:
        self._stated_change(entry)
        if entry.body["cost"] or entry.body["event"] is not None:
            raise Fault("is a promise without a budget, and has a cost")
        if {entry.body["accounting"], entry.body["composition"]} != {RECORDED}:
            raise Fault("is a promise without a budget, and is counted as a spend")
        without_budget(promise_from_json(entry.body["promise"]))
        if entry.body["remaining"] != to_text(self.account(DATA_SET).remaining()):
            raise Fault("states another remainder than there was")
        self._note(entry)
        return {}

    def _release(self, entry: Entry) -> States:
        question, paid_by = entry.body["question"], entry.body["paid_by"]
        if paid_by not in self.paid or not _pays(self.paid[paid_by], entry.body):
            raise Fault("is a release that no entry, or one for another question, paid for")
        if question in self.releases:
            raise Fault("is a second release for one question")
        self.releases[question] = (entry.number, entry.body["release"])
        return {}

    def _anchor(self, entry: Entry) -> States:
        body = entry.body
        said = anchors.content(body["what"], body["digest"], body["said"], body["why"])
        if any(said[name] != body[name] for name in said):
            raise Fault("holds a text that no ledger keeps")
        if self._is_of_old(body):
            return dict(body["after"])
        if body["what"] == anchors.PLAN:
            self._refuse_spent_plan(body)
        try:
            after = approval.states_after(
                said, self._id, self._state(approval.APPROVAL), self._state(owner.SIGNERS)
            )
        except (EvidenceBroken, NotApproved) as refusal:
            raise Fault(f"is not the word of whom it needs: {refusal.fact.rstrip('.')}") from None
        if body["what"] in (anchors.KEYS, anchors.APPROVERS):
            self._signed = True
        if body["what"] == anchors.JOURNAL and "plan" in body["said"]:
            self._ended.add(body["said"]["plan"])
        return after

    def _is_of_old(self, body: Mapping[str, Any]) -> bool:
        """Keys and demands were entered unsigned once, and no longer after one that is signed.

        Such keys left no running state behind, and such demands none or the number alone.
        """
        old = body["what"] in (anchors.KEYS, anchors.APPROVERS) and (
            not body["after"] or "people" not in body["after"].get(approval.APPROVAL, {"people": ()})
        )
        if not old:
            return False
        needed = dict(body["after"].get(approval.APPROVAL, {}))
        if self._signed or body["after"].keys() - {approval.APPROVAL} or needed.keys() - {"needed"}:
            raise Fault("is not signed, and those before it were")
        if body["what"] == anchors.KEYS:
            self._old_keys = owner.listed(body["said"])
        return True

    def _refuse_spent_plan(self, body: Mapping[str, Any]) -> None:
        at = self._hashes.find(bytes.fromhex(body["said"]["ledger"]))
        if at < 0 or at % 32 or body["digest"] in self._ended:
            raise Fault("is of a plan for another ledger, or of one that was carried out before")

    def _state(self, scope: str) -> dict[str, Any] | None:
        if scope in self.states:
            return self.states[scope][1]
        return {"keys": self._old_keys} if scope == owner.SIGNERS and self._old_keys else None

    def _planned(self, entry: Entry) -> None:
        """What is booked while approval is demanded is part of the plan that was approved."""
        plan, demand = entry.body.get("plan"), self._state(approval.APPROVAL)
        if "plan" in entry.body and not (isinstance(plan, str) and _DIGEST.fullmatch(plan)):
            raise Fault("names a plan that is none")
        if demand is not None and "people" in demand and demand["needed"] and plan != demand["plan"]:
            raise Fault("was booked outside of a plan that was approved")

    def _cost(self, entry: Entry, change: Change) -> dict[str, int]:
        """What a spend says it cost: at least what its event does, by the ledger's own rules."""
        event = known_event(event_from_json(entry.body["event"]))
        counted = filter_of(event, self._accounting)
        if entry.body["accounting"] != counted.name:
            raise Fault("is counted by another accounting than the ledger's")
        key = (event.canonical(), change)
        if key not in self._prices:
            self._prices[key] = counted.price(event, change)
        price, cost = self._prices[key], from_text(entry.body["cost"])
        if cost.keys() != price.cost.keys() or not _covered(price.cost, cost):
            raise Fault("costs less than its event does")
        if entry.body["composition"] != price.composition:
            raise Fault("names another composition than its event has")
        return cost

    def _stated_change(self, entry: Entry) -> Change:
        unit = unit_from_json(entry.body["unit"])
        if UNIT not in self.states or bound(unit) != self.states[UNIT][1]:
            raise Fault("is for another unit than the ledger's")
        return unit.change

    def _note(self, entry: Entry) -> None:
        """What is said of a booking, that it was approved, and that what is booked once is booked once."""
        self._planned(entry)
        _require_texts(entry, "why", "purpose", "analyst", "data")
        question = entry.body["question"]
        if entry.body["why"] is None or not (question is None or _DIGEST.fullmatch(question)):
            raise Fault("holds a text that no ledger keeps")
        if entry.kind == "spend" and entry.body["promise"] is not None:
            promise_from_json(entry.body["promise"])
        if idempotent_booking.MARK in entry.body:
            if entry.body[idempotent_booking.MARK] is not True or question is None:
                raise Fault("is booked once, and names no question")
            if question in self._once or question in self.releases:
                raise Fault("books a second time what is booked once")
            self._once.add(question)
        self.paid[entry.number] = question


def _pays(asked: str | None, body: Mapping[str, Any]) -> bool:
    """Whether a booking for this question's digest pays for what a release says it is: the answer to it, or a part."""
    if "part" not in body:
        return asked in (None, body["question"])
    part = body["part"]
    return asked is not None and type(part) is int and part >= 0 and part_key(asked, part) == body["question"]


def _covered(needed: Mapping[str, int], held: Mapping[str, int]) -> bool:
    """Whether each coin that is needed is held, as exactly as two machines agree."""
    return all(units <= held[coin] + held[coin] // _ACCURACY + 1 for coin, units in needed.items())


def _bindable(record: dict[str, Any]) -> dict[str, Any]:
    """A unit as a ledger binds it."""
    if bound(unit_from_json(record)) != record:
        raise Fault("binds something else than a unit")
    return record


def _require_texts(entry: Entry, *names: str) -> None:
    """Texts of a book are short and plain: one that hides or forges a line was not entered by a ledger."""
    for name in names:
        if entry_text.optional(entry.body[name], name) != entry.body[name]:
            raise Fault("holds a text that no ledger keeps")
