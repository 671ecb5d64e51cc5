"""Incidents: computations that failed after they were booked, told to the ledger's owner and to nobody else.

Whether a computation fails may depend on the data, so the asker learns nothing of it. The owner has to: the log says
which entry it was, when, the failure's code, and what was being done; never a value. It is kept beside the book and is
no part of it: not of the chain, the history, an export or a verification, all of which others may see.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from privet.artifact import Receipt
from privet.errors import BadBooking, LedgerMismatch
from privet.ledger import _entry_text as entry_text
from privet.ledger._entry_journal import EntryJournal

_CODE = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,79}")


@dataclass(frozen=True, slots=True)
class Incident:
    """One computation that failed after its entry was booked: for the owner alone."""

    entry: int
    at: str
    code: str
    doing: str

    def to_json(self) -> dict[str, int | str]:
        """A stable record."""
        return {"entry": self.entry, "at": self.at, "code": self.code, "doing": self.doing}


def report(journal: EntryJournal, ledger: str, receipt: Receipt, code: object, doing: object) -> None:
    """Log a failure under the entry that had paid for what failed."""
    if not isinstance(code, str) or not _CODE.fullmatch(code):
        raise BadBooking("code must be an error's code or class.", 'Write "E-ENGINE-003", for example.')
    said = entry_text.text(doing, "doing")
    booked = journal.entry(receipt.entry) if receipt.ledger == ledger else None
    if booked is None or booked.hash != receipt.head:
        raise LedgerMismatch("this receipt is not from this ledger.", "Use the ledger that was charged.")
    journal.transaction.put_incident(booked.number, journal.at, code, said)


def reported(journal: EntryJournal) -> list[Incident]:
    """All incidents, oldest first."""
    return [Incident(*found) for found in journal.transaction.incidents()]
