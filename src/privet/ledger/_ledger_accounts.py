"""The accounts of an open ledger: its terms, whose budgets there are, and what is left of each. Nothing is spent here."""

from __future__ import annotations

import datetime
from typing import Any

from privet.artifact import FORGETS, IN_MEMORY
from privet.errors import BadBooking, BadUnit, checked, checked_names
from privet.guarantee import PacPrivacy, Promise, Unit, unit_from_json, unit_to_json
from privet.ledger import _approval_demand as approval
from privet.ledger import _budget_lookup as budgets
from privet.ledger import _entry_text as entry_text
from privet.ledger import _owner_keys as owner
from privet.ledger._account_statements import Balance
from privet.ledger._account_states import DATA_SET, NATS, Account, scope_of
from privet.ledger._entry_journal import UNIT, EntryJournal
from privet.ledger._in_memory_store import identity
from privet.ledger._ledger_terms import LedgerTerms, bound, last_day
from privet.ledger._open_book import OpenBook
from privet.ledger._privacy_filters import FILTERS, PacFilter
from privet.ledger._spend import bind, require_unit
from privet.ledger._store import WantedRows


class LedgerAccounts:
    """What `Ledger` knows of itself and of its budgets."""

    _book: OpenBook

    # --- terms ---------------------------------------------------------------------------------

    @property
    def id(self) -> str:
        """The ledger's public identity: the hash of its first entry."""
        return identity(self._book.store, self._book.id)

    @property
    def place(self) -> str:
        """Where it is kept, or will be with the first booking, without any password."""
        return self._book.store.place

    @property
    def note(self) -> str:
        """What whoever relies on it must know; empty where it is kept."""
        return FORGETS if self.id.startswith(IN_MEMORY) else ""

    @property
    def limit(self) -> Promise:
        """What all releases together promise."""
        return self._terms.limit

    @property
    def accounting(self) -> str:
        """The filter's name."""
        return self._terms.accounting

    @property
    def expires(self) -> datetime.date | None:
        """The last day of the data set's budget."""
        return self._terms.expires

    @property
    def unit(self) -> Unit | None:
        """Whose presence is hidden, or None while nothing was booked and none was stated."""
        stated = self._book.unit
        return None if stated is None else unit_from_json(stated)

    @checked
    def refuse_other_unit(self, unit: Unit) -> None:
        """Refuse what would be booked for another unit than the ledger's, before anything is read for it."""
        self._stated(unit)

    # --- budgets -------------------------------------------------------------------------------

    @checked_names
    def open_budget(
        self,
        limit: Promise,
        *,
        purpose: str | None = None,
        analyst: str | None = None,
        expires: datetime.date | None = None,
    ) -> None:
        """Cap one purpose or one analyst below the data set's cap. Opening the same budget again changes nothing.

        A `PacPrivacy` limit opens the account of nats, which PAC releases are charged to, beside a limit in differential
        privacy: neither is ever added to the other.
        """
        ends = last_day(expires)
        if isinstance(limit, PacPrivacy) and self.accounting != PacFilter.name:
            if purpose is not None or analyst is not None:
                raise BadBooking(
                    "the account of nats is the data set's: purposes and analysts have no share of it.",
                    "Leave purpose and analyst out.",
                )
            own = FILTERS[PacFilter.name].caps(limit)
            self._book.write(lambda journal: budgets.open_beside(journal, limit, own, expires=ends))
            return
        if (purpose is None) == (analyst is None):
            raise BadBooking("a budget is for one purpose or for one analyst.", 'Write purpose="research".')
        named = {
            "purpose": entry_text.optional(purpose, "purpose"),
            "analyst": entry_text.optional(analyst, "analyst"),
        }
        caps = self._terms.filter.caps(limit)
        self._book.write(lambda journal: budgets.open_below(journal, limit, caps, named=named, expires=ends))

    @checked_names
    def balance(
        self, purpose: str | None = None, analyst: str | None = None, *, nats: bool = False
    ) -> Balance:
        """The data set's balance, or that of one purpose or one analyst; with `nats`, that of PAC releases."""
        if not isinstance(nats, bool):
            raise BadBooking("nats is True or False.", "Leave it out.")
        if [purpose is not None, analyst is not None, nats].count(True) > 1:
            raise BadBooking("a balance is that of one purpose or one analyst.", "Ask twice.")
        scope = scope_of(
            purpose=entry_text.optional(purpose, "purpose"), analyst=entry_text.optional(analyst, "analyst")
        )
        if nats and self.accounting != PacFilter.name:
            scope = NATS
        return self._book.read(
            lambda journal: self._balance(budgets.account(journal, scope), journal.today),
            WantedRows(scopes=(scope,)),
        )

    def balances(self) -> list[Balance]:
        """All balances, the data set's first."""

        def each(journal: EntryJournal) -> list[Balance]:
            scopes = sorted(
                set(journal.transaction.states()) - {UNIT, approval.APPROVAL, owner.SIGNERS},
                key=lambda scope: (scope != DATA_SET, scope),
            )
            return [self._balance(budgets.account(journal, scope), journal.today) for scope in scopes]

        return self._book.read(each)

    # --- inside --------------------------------------------------------------------------------

    def _balance(self, account: Account, today: datetime.date) -> Balance:
        counted = PacFilter.name if account.scope == NATS else self.accounting
        return Balance.of(account, counted, today)

    @property
    def _terms(self) -> LedgerTerms:
        return self._book.terms

    def _stated(self, unit: Unit | None) -> dict[str, Any]:
        """The unit of a booking: the one given, which must be the ledger's, or the ledger's own."""
        own = self.unit
        if unit is None:
            if own is None:
                raise BadUnit(
                    "this ledger has no privacy unit yet, and this booking states none.",
                    'Give unit=Person("patient_id") with the first booking; it then stays for ever.',
                )
            return unit_to_json(own)
        wanted = bound(unit)
        if own is not None:
            require_unit(bound(own), wanted)
        return unit_to_json(unit)

    def _bind_now(self, unit: Unit) -> None:
        stated = self._stated(unit)
        if self.unit is None:
            self._book.write(lambda journal: bind(journal, stated))
