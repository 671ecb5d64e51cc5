"""Where a collector keeps reports: a SQLite file or a PostgreSQL database, one row for each report and nothing about who sent it.

A row is a random name that the sender chose for the report, and the report as a line of JSON. In SQLite rows lie in the order of
these names, in which nothing is left of when they came. What is stored is on disk before `put` returns.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from privet.artifact import connectable, empty_file, refuse_planted_journal
from privet.errors import MissingExtra, PrivetError, StoreProblem

ACCEPTED, DUPLICATE, CONFLICT = "accepted", "duplicate", "conflict"
# The table of a store, and its column of lines.
STORED = ("reports", "report")
_PATIENCE = 10.0
_BEGINNING = 0x7072_6976_6574  # the name of a lock among all of a database's
_TABLES = (
    "CREATE TABLE IF NOT EXISTS reports (id TEXT PRIMARY KEY, report TEXT NOT NULL){0}",
    "CREATE TABLE IF NOT EXISTS counts (what TEXT PRIMARY KEY, many BIGINT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS specification (one INTEGER PRIMARY KEY CHECK (one = 1), content TEXT NOT NULL)",
)


class ReportStore(ABC):
    """Reports of one collection. Each method is one transaction."""

    def begin(self, specification: str) -> None:
        """Make the tables where there are none; refuses a store of another specification."""
        with self._transaction() as run:
            run("INSERT INTO specification VALUES (1, ?) ON CONFLICT DO NOTHING", (specification,))
            ((held,),) = run("SELECT content FROM specification", ()).fetchall()
            if held != specification:
                raise StoreProblem(
                    "this store holds the reports of another specification.",
                    "Use one store for each collection.",
                )

    def put(self, reports: Sequence[tuple[str, str]], refused: dict[str, int]) -> dict[str, int]:
        """Store reports by name, and count what was refused before: how many were accepted, known, or in conflict.

        A name that is there with the same report is a report that was sent again; with another one, it is refused.
        """
        found = dict.fromkeys((ACCEPTED, DUPLICATE, CONFLICT), 0)
        with self._transaction() as run:
            for name, report in sorted(
                reports
            ):  # in one order for all: two batches never wait for each other
                added = run(
                    "INSERT INTO reports VALUES (?, ?) ON CONFLICT (id) DO NOTHING",
                    (name, report),
                )
                if added.rowcount == 1:
                    found[ACCEPTED] += 1
                    continue
                ((held,),) = run("SELECT report FROM reports WHERE id = ?", (name,)).fetchall()
                found[DUPLICATE if held == report else CONFLICT] += 1
            for what, many in {**refused, **found}.items():
                if many:
                    run(
                        "INSERT INTO counts VALUES (?, ?) "
                        "ON CONFLICT (what) DO UPDATE SET many = counts.many + excluded.many",
                        (what, many),
                    )
        return found

    def counts(self) -> dict[str, int]:
        """What came so far, by what became of it."""
        with self._transaction() as run:
            return {
                str(what): int(many) for what, many in run("SELECT what, many FROM counts", ()).fetchall()
            }

    def lines(self) -> Iterator[str]:
        """All reports, in the order of their random names."""
        last = ""
        while True:
            with self._transaction() as run:
                page = run(
                    "SELECT id, report FROM reports WHERE id > ? ORDER BY id LIMIT 10000",
                    (last,),
                ).fetchall()
            if not page:
                return
            yield from (str(report) for _, report in page)
            last = str(page[-1][0])

    @abstractmethod
    def _transaction(self) -> contextlib.AbstractContextManager[Any]:
        """One transaction, which gives a function that runs statements with ? for values; on disk when it ends."""


class SqliteReportStore(ReportStore):
    """A file for its owner alone."""

    def __init__(self, path: Path) -> None:
        self._path = path
        if not os.path.lexists(path):
            try:
                empty_file(path)
            except FileExistsError:  # made this moment by another collector
                pass
            except OSError as problem:
                raise _unusable(problem.strerror or "unwritable") from None
        with self._transaction() as run:
            for statement in _TABLES:
                run(statement.format(" WITHOUT ROWID"))

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[Any]:
        refuse_planted_journal(self._path)
        try:
            with contextlib.closing(
                sqlite3.connect(self._path, timeout=_PATIENCE, isolation_level=None)
            ) as book:
                book.execute("PRAGMA trusted_schema = OFF")
                _write_ahead(book)
                book.execute("PRAGMA synchronous = FULL")
                book.execute("BEGIN IMMEDIATE")
                yield book.execute
                book.execute("COMMIT")
        except sqlite3.Error as problem:
            raise _unusable(type(problem).__name__) from None


def _write_ahead(book: sqlite3.Connection) -> None:
    """Keep a write-ahead log, as the file remembers. Changing to it needs the file for oneself, and is tried again."""
    until = time.monotonic() + _PATIENCE
    while book.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        try:
            book.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            if time.monotonic() > until:
                raise
            time.sleep(0.02)


class PostgresReportStore(ReportStore):
    """The tables `reports`, `counts` and `specification` of a database. Rows of one batch lie in the order of their random names."""

    def __init__(self, address: str) -> None:
        self._address = address
        with self._transaction() as run:
            # Two collectors that begin at once would each make the tables, and one of them would fail.
            run(f"SELECT pg_advisory_xact_lock({_BEGINNING})")
            for statement in _TABLES:
                run(statement.format(""))

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[Any]:
        try:
            import psycopg
        except ImportError:
            raise MissingExtra("PostgreSQL needs a driver.", "pip install 'privet[postgres]'") from None
        try:
            with psycopg.connect(connectable(self._address), connect_timeout=10) as connection:
                connection.execute("SET synchronous_commit = on")
                yield lambda statement, values=(): connection.execute(
                    statement.replace("?", "%s").encode(), values or None
                )
        except PrivetError:
            raise
        except psycopg.Error as problem:
            raise _unusable(type(problem).__name__) from None


def report_store(where: str) -> ReportStore:
    """The store at a path or an address."""
    if where.startswith(("postgresql://", "postgres://")):
        return PostgresReportStore(where)
    if "://" in where or not where:
        raise StoreProblem(
            "reports cannot be kept there.", "Name a file such as reports.db, or postgresql://…."
        )
    return SqliteReportStore(Path(where))


def _unusable(reason: str) -> StoreProblem:
    return StoreProblem(
        f"the store of reports cannot be used ({reason}).",
        "Check that it is one, that it can be written, and that there is room.",
    )
