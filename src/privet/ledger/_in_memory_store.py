"""A ledger in memory, for trying out: it forgets everything when the process ends, and says so wherever it shows.

The book above it is the same as above any other store, so refusals, receipts and balances are real as long as the
process lives. What it cannot give is what a budget is for: whoever starts again starts with a full one.
"""

from __future__ import annotations

from privet.artifact import IN_MEMORY
from privet.ledger._draft_ledger import MemoryStore
from privet.ledger._store import Store


def identity(store: Store, first: str) -> str:
    """A ledger's public identity by the hash of its first entry; it says so where nothing is kept."""
    return f"{IN_MEMORY}{first}" if isinstance(store, InMemoryStore) else first


class InMemoryStore(MemoryStore):
    """Tables that hold one ledger, in the process that made them and nowhere else."""

    @property
    def place(self) -> str:
        """That there is none."""
        return "memory (forgets everything when the process ends; no budget holds beyond it)"

    def close(self) -> None:
        """Nothing is held open: the tables last as long as the ledger does."""
