"""Where a ledger is kept: the little that a store must do, and all that it may know.

A store keeps texts and hashes; it knows nothing of budgets. It promises three things:

1. `writing()` admits one writer at a time, over all processes, and what it wrote is on stable storage when
   the block ends without an exception; with an exception nothing was written.
2. `reading()` shows one consistent moment.
3. entries are only ever appended; the store refuses to change or delete one.
4. a place that no longer holds what was opened there is refused: what is booked in a file without a name, or in a
   second file of the same name, is booked nowhere.

Everything else (the chain, the filters, the checks) is the same code above every store.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from privet.ledger._hash_chain import EntryRow, Head

# The layout of the tables. A store refuses a layout newer than it knows.
LAYOUT = 1
PAGE = 500
# How a body names its question: bodies are canonical JSON, in which a quotation mark inside a text is escaped.
QUESTION = '"question":"'
DIGEST = 64


@dataclass(frozen=True, slots=True)
class WantedRows:
    """What a transaction is about to read: a store far away may fetch it all at once. It changes no answer."""

    scopes: tuple[str, ...] = ()
    entries: tuple[int, ...] = ()
    question: str | None = None


NOTHING = WantedRows()


class Transaction(Protocol):
    """One consistent view, in which a writer may append."""

    def head(self) -> Head | None:
        """The end of the chain, or None in a ledger without entries."""

    def entry(self, number: int) -> EntryRow | None:
        """The entry at this place."""

    def asked(self, question: str) -> list[EntryRow]:
        """The entries that bear this question's digest, in order; found by an index where there is one."""

    def page(self, after: int) -> list[EntryRow]:
        """Up to `PAGE` entries that follow the place, in order."""

    def append(self, row: EntryRow) -> None:
        """Add an entry and move the head to it."""

    def state(self, scope: str) -> str | None:
        """The running state of one scope."""

    def states(self) -> dict[str, str]:
        """All running states by scope."""

    def put_state(self, scope: str, content: str) -> None:
        """Replace the running state of a scope."""

    def release(self, question: str) -> tuple[int, bytes] | None:
        """The stored release for a question's digest, with the number of the entry that vouches for it."""

    def releases(self) -> Iterable[tuple[str, int, bytes]]:
        """Every stored release: question digest, entry, bytes."""

    def put_release(self, question: str, entry: int, release: bytes) -> None:
        """Keep a release."""

    def put_incident(self, entry: int, at: str, code: str, doing: str) -> None:
        """Log an incident; makes the table where a ledger has none yet."""

    def incidents(self) -> list[tuple[int, str, str, str]]:
        """Every incident in the order they were logged."""


class Store(Protocol):
    """A place that holds one ledger."""

    @property
    def place(self) -> str:
        """Where it is, for people; never with a password."""

    def exists(self) -> bool:
        """Whether a ledger is there; refuses a place that holds something else."""

    def create(self) -> None:
        """Make the empty tables, unless they are there."""

    def writing(self, wanted: WantedRows = NOTHING) -> AbstractContextManager[Transaction]:
        """The one writer's turn."""

    def reading(self, wanted: WantedRows = NOTHING) -> AbstractContextManager[Transaction]:
        """One consistent moment."""

    def close(self) -> None:
        """Let go of the place."""
