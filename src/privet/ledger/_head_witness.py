"""Whoever knows the newest entry of a book from outside of it: a copy of the book from before is told by that.

A book is one chain, so an older copy of it holds as well as the newest. What was seen of it while it was open is not forgotten
(`_open_book`); what earlier processes saw is known to a witness alone. It is told of each entry once that is on stable storage,
so it may lag behind the book, by what a kill came before, and never leads.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from privet.errors import LedgerRolledBack
from privet.ledger._entry_journal import EntryJournal


class Head(NamedTuple):
    """The newest entry of a book: its number and its hash."""

    number: int
    hash: str


class HeadWitness(Protocol):
    """What keeps a book's newest head elsewhere."""

    def newest(self) -> Head | None:
        """The newest head that it was told of; None where it was told of none yet."""

    def note(self, head: Head) -> None:
        """Keep this head, durably, in the place of the one before."""


def refuse_older(journal: EntryJournal, known: Head) -> None:
    """Refuse a book that does not hold an entry that it is known to have held."""
    entry = journal.entry(known.number)
    if entry is None or entry.hash != known.hash:
        last = 0 if journal.last is None else journal.last.number
        raise LedgerRolledBack(
            f"the ledger ends with entry {last}, or goes another way, and the data set's key noted entry {known.number} of it: "
            "an older copy stands in its place, and what was spent since is not in it.",
            "Nothing was read or spent. Put the newest ledger back. If it is lost: `privet ledger accept --why …` takes this one, "
            "and enters that it did.",
        )
