"""Which store a place names."""

from __future__ import annotations

from privet.errors import BadBooking
from privet.ledger._store import Store

LONGEST = 86_400.0


def open_store(where: str, *, timeout: float) -> Store:
    """The store of a place: PostgreSQL for an address, SQLite for a file."""
    if not 0 <= timeout <= LONGEST:
        raise BadBooking("patience is a number of seconds, and at most a day.", "Write patience=60.")
    if where.startswith(("postgresql://", "postgres://")):
        from privet.ledger._postgres_store import PostgresStore

        return PostgresStore(where, timeout=timeout)
    from privet.ledger._sqlite_store import SqliteStore

    return SqliteStore(where, timeout=timeout)
