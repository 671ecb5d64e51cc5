"""The ledger that is at a place already, if there is one.

A file is not yet a ledger: a process that is killed while it makes one leaves an empty file, one without tables, or tables
without an entry. Nothing was booked there, so whoever comes next begins the ledger anew in the same file. What tells a ledger
is its first entry, which states its budget for ever; it is written in one transaction, by one of those who come at once.
"""

from __future__ import annotations

import os
from pathlib import Path

from privet.guarantee import Promise
from privet.ledger._ledger import Ledger
from privet.ledger._open_book import OpenBook
from privet.ledger._store_places import open_store

_PATIENCE = 60.0  # seconds to wait for another writer


def existing_ledger(where: str | Path, *, limit: Promise | None = None) -> Ledger | None:
    """The ledger at a place, or None where none was begun. Nothing is written; a limit that differs from its own is refused."""
    store = open_store(os.fspath(where), timeout=_PATIENCE)
    try:
        found = Ledger(store, limit=limit) if OpenBook(store).load() else None
    except BaseException:
        store.close()
        raise
    if found is None:
        store.close()
    return found
