"""A book that ends with the process: for work whose results nobody sees, or for a single fit that has no ledger.

It holds one promise to its word while the work lasts. It is no budget: the next one knows nothing of it.
"""

from __future__ import annotations

from privet.guarantee import Promise
from privet.ledger._draft_ledger import MemoryStore
from privet.ledger._ledger import Ledger
from privet.ledger._open_book import OpenBook


def throwaway(limit: Promise) -> Ledger:
    """A ledger in memory with this limit; its file never exists, so none has to be deleted."""
    return Throwaway(limit)


class Throwaway(Ledger):
    """A ledger without a place."""

    def __init__(self, limit: Promise) -> None:
        self._book = OpenBook(MemoryStore())
        self._book.draft(limit, None, None, None)
        self._book.found()
