"""Which store a place names."""

from __future__ import annotations

from privet.ledger.store import Store


def open_store(where: str, *, timeout: float) -> Store:
    """The store of a place: PostgreSQL for an address, SQLite for a file."""
    if where.startswith(("postgresql://", "postgres://")):
        from privet.ledger.postgres import PostgresStore

        return PostgresStore(where, timeout=timeout)
    from privet.ledger.sqlite import SqliteStore

    return SqliteStore(where, timeout=timeout)
