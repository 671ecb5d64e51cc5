"""A ledger in PostgreSQL, for books that several machines share.

Each ledger has a database schema of its own, `privet_ledger_<name>`; the name comes from the address
(`postgresql://host/db#clinic` or `…?ledger=clinic`) and is "main" when it gives none. Writers queue at the
head row (`SELECT … FOR UPDATE`), and commits wait for the disk whatever the server's default is.
"""

from __future__ import annotations

import importlib
import os
import re
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from privet.errors import LedgerBusy, LedgerTampered, LedgerUnavailable, MissingExtra, PrivetError
from privet.ledger.chain import Head, Row
from privet.ledger.store import LAYOUT, PAGE

if TYPE_CHECKING:
    import psycopg

_TABLES = """
CREATE SCHEMA {0};
CREATE TABLE {0}.layout (version integer NOT NULL);
CREATE TABLE {0}.head (one integer PRIMARY KEY CHECK (one = 1), count bigint NOT NULL, hash text NOT NULL);
CREATE TABLE {0}.entries (number bigint PRIMARY KEY, body text NOT NULL, hash text NOT NULL);
CREATE TABLE {0}.states (scope text PRIMARY KEY, content text NOT NULL);
CREATE TABLE {0}.releases (question text PRIMARY KEY, entry bigint NOT NULL, release bytea NOT NULL);
CREATE FUNCTION {0}.refuse() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'entries are never changed or deleted' USING ERRCODE = 'integrity_constraint_violation'; END $$;
CREATE TRIGGER entries_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON {0}.entries
  FOR EACH STATEMENT EXECUTE FUNCTION {0}.refuse();
INSERT INTO {0}.layout VALUES ({1});
INSERT INTO {0}.head VALUES (1, 0, '')
"""

_INCIDENTS = """
CREATE TABLE IF NOT EXISTS {0}.incidents (number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  entry bigint NOT NULL, at text NOT NULL, code text NOT NULL, doing text NOT NULL)
"""

# A forked child must not end its parent's session, so it keeps the connection and never touches it.
_LEFT_TO_THE_PARENT: list[Any] = []


class PostgresTransaction:
    """One view of the tables, inside a PostgreSQL transaction."""

    def __init__(self, connection: psycopg.Connection[Any], schema: str, *, locking: bool) -> None:
        self._connection = connection
        self._schema = schema
        self._end = self._read_head(" FOR UPDATE" if locking else "")

    def _run(self, statement: str, *values: object) -> psycopg.Cursor[Any]:
        # The schema name is checked against a pattern; values always travel as parameters.
        return self._connection.execute(statement.replace("{0}", self._schema).encode(), values or None)

    def _read_head(self, lock: str) -> Head | None:
        found = self._run(f"SELECT count, hash FROM {{0}}.head WHERE one = 1{lock}").fetchone()  # noqa: S608
        return Head.of(*found) if found and found[0] else None

    def head(self) -> Head | None:
        """The end of the chain."""
        return self._end

    def entry(self, number: int) -> Row | None:
        """The entry at this place."""
        found = self._run("SELECT number, body, hash FROM {0}.entries WHERE number = %s", number).fetchone()
        return Row.of(*found) if found else None

    def page(self, after: int) -> list[Row]:
        """The entries that follow the place."""
        rows = self._run(
            "SELECT number, body, hash FROM {0}.entries WHERE number > %s ORDER BY number LIMIT %s",
            after,
            PAGE,
        )
        return [Row.of(*row) for row in rows]

    def append(self, row: Row) -> None:
        """Add an entry and move the head."""
        self._run("INSERT INTO {0}.entries VALUES (%s, %s, %s)", row.number, row.body, row.hash)
        moved = self._run("UPDATE {0}.head SET count = %s, hash = %s WHERE one = 1", row.number, row.hash)
        if moved.rowcount != 1:
            raise LedgerTampered("the ledger's head row is gone.", "Run `privet ledger verify`.")
        self._end = Head(row.number, row.hash)

    def state(self, scope: str) -> str | None:
        """The running state of one scope."""
        found = self._run("SELECT content FROM {0}.states WHERE scope = %s", scope).fetchone()
        return str(found[0]) if found else None

    def states(self) -> dict[str, str]:
        """All running states."""
        return dict(self._run("SELECT scope, content FROM {0}.states ORDER BY scope").fetchall())

    def put_state(self, scope: str, content: str) -> None:
        """Replace the running state of a scope."""
        self._run(
            "INSERT INTO {0}.states VALUES (%s, %s) ON CONFLICT (scope) DO UPDATE SET content = EXCLUDED.content",
            scope,
            content,
        )

    def release(self, question: str) -> tuple[int, bytes] | None:
        """The stored release for a question."""
        found = self._run("SELECT entry, release FROM {0}.releases WHERE question = %s", question).fetchone()
        return (int(found[0]), bytes(found[1])) if found else None

    def releases(self) -> Iterable[tuple[str, int, bytes]]:
        """Every stored release."""
        for question, entry, release in self._run("SELECT question, entry, release FROM {0}.releases"):
            yield str(question), int(entry), bytes(release)

    def put_release(self, question: str, entry: int, release: bytes) -> None:
        """Keep a release."""
        self._run("INSERT INTO {0}.releases VALUES (%s, %s, %s)", question, entry, release)

    def put_incident(self, entry: int, at: str, code: str, doing: str) -> None:
        """Log an incident."""
        if not self._has_incidents():
            self._run(_INCIDENTS)
        self._run(
            "INSERT INTO {0}.incidents (entry, at, code, doing) VALUES (%s, %s, %s, %s)",
            entry,
            at,
            code,
            doing,
        )

    def incidents(self) -> list[tuple[int, str, str, str]]:
        """Every incident."""
        if not self._has_incidents():
            return []
        rows = self._run("SELECT entry, at, code, doing FROM {0}.incidents ORDER BY number")
        return [(int(entry), str(at), str(code), str(doing)) for entry, at, code, doing in rows]

    def _has_incidents(self) -> bool:
        """Whether the table is there: `CREATE … IF NOT EXISTS` asks for the right to create even where it is."""
        found = self._run(
            "SELECT 1 FROM pg_tables WHERE schemaname = %s AND tablename = 'incidents'", self._schema
        )
        return found.fetchone() is not None


class PostgresStore:
    """One database schema that holds one ledger."""

    def __init__(self, where: str, *, timeout: float) -> None:
        self._driver = _driver()
        self._address, self._name = _split(where)
        self._schema = f"privet_ledger_{self._name}"
        self._timeout = timeout
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._connection: psycopg.Connection[Any] | None = None

    @property
    def place(self) -> str:
        """Server, database and ledger; no user, no password."""
        parts = urlsplit(self._address)
        host = parts.hostname or "local server"
        return f"postgresql://{host}{parts.path}#{self._name}"

    def exists(self) -> bool:
        """Whether the database holds a ledger of this name."""
        with self._turn() as connection, connection.transaction():
            return self._holds_ledger(connection)

    def create(self) -> None:
        """Make the schema and its tables, unless another process was faster."""
        with self._turn() as connection, connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", (self._schema,))
            if not self._holds_ledger(connection):
                connection.execute(_TABLES.replace("{0}", self._schema).replace("{1}", str(LAYOUT)).encode())

    @contextmanager
    def writing(self) -> Iterator[PostgresTransaction]:
        """The one writer's turn: on the server's disk when the block ends."""
        with self._turn() as connection, connection.transaction():
            connection.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED READ WRITE")
            # In each transaction: behind a pooler, what a session sets may reach another one.
            connection.execute("SET LOCAL synchronous_commit = on")
            yield PostgresTransaction(connection, self._schema, locking=True)

    @contextmanager
    def reading(self) -> Iterator[PostgresTransaction]:
        """One consistent moment."""
        with self._turn() as connection, connection.transaction():
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield PostgresTransaction(connection, self._schema, locking=False)

    def close(self) -> None:
        """End the session."""
        if self._process == os.getpid() and self._connection is not None:
            with self._lock:
                self._connection.close()
                self._connection = None

    @contextmanager
    def _turn(self) -> Iterator[psycopg.Connection[Any]]:
        """This process's connection, for one thread at a time; a lost one is opened anew."""
        if self._process != os.getpid():
            _LEFT_TO_THE_PARENT.append(self._connection)
            self._process, self._connection, self._lock = os.getpid(), None, threading.Lock()
        with self._lock:
            try:
                if self._connection is None or self._connection.closed:
                    self._connection = self._connect()
                yield self._connection
            except self._driver.Error as error:
                # The driver's own words may repeat the address, password included.
                raise self._translated(error) from None

    def _connect(self) -> psycopg.Connection[Any]:
        connection: psycopg.Connection[Any] = self._driver.connect(
            self._address, autocommit=True, connect_timeout=max(2, round(self._timeout))
        )
        connection.execute(
            "SELECT set_config('lock_timeout', %s, false)", (str(round(self._timeout * 1000)),)
        )
        return connection

    def _holds_ledger(self, connection: psycopg.Connection[Any]) -> bool:
        # The catalogues themselves, not to_regnamespace(): its cache may not know what was committed just now.
        there = connection.execute(
            "SELECT 1 FROM pg_namespace WHERE nspname = %s", (self._schema,)
        ).fetchone()
        if there is None:
            return False
        table = connection.execute(
            "SELECT 1 FROM pg_tables WHERE schemaname = %s AND tablename = 'layout'", (self._schema,)
        ).fetchone()
        if table is None:
            raise LedgerUnavailable(
                f"the schema {self._schema} holds something else than a ledger.",
                "Name another ledger in the address.",
            )
        found = connection.execute(f"SELECT version FROM {self._schema}.layout".encode()).fetchone()  # noqa: S608
        layout = int(found[0]) if found else 0
        if layout > LAYOUT:
            raise LedgerUnavailable(
                f"{self.place} was written by a newer version (layout {layout}, known here: {LAYOUT}).",
                "Upgrade Privet: pip install -U privet.",
            )
        return True

    def _translated(self, error: Exception) -> PrivetError:
        state = str(getattr(error, "sqlstate", None) or "")
        if state in ("55P03", "40P01"):
            return LedgerBusy(
                f"another process kept {self.place} locked for too long.",
                "Try again; find out what holds it.",
            )
        if state.startswith("23"):
            return LedgerTampered(
                f"{self.place} refused an entry: its rows contradict each other.",
                "Run `privet ledger verify`.",
            )
        if state in ("42P01", "42703", "3F000"):
            return LedgerTampered(
                f"{self.place} lacks a table or a column that a ledger has.", "Restore a copy that verifies."
            )
        if state.startswith("42501"):
            return LedgerUnavailable(
                f"{self.place} does not let this user in.",
                "Ask for the right to use, or to create, the ledger's schema.",
            )
        return LedgerUnavailable(
            f"{self.place} cannot be reached or used{f' (SQLSTATE {state})' if state else ''}.",
            "Check the address, the password and that the server runs.",
        )


def _driver() -> Any:
    try:
        return importlib.import_module("psycopg")
    except ImportError:
        raise MissingExtra(
            "a ledger in PostgreSQL needs the psycopg library.", "pip install 'privet[postgres]'"
        ) from None


def _split(where: str) -> tuple[str, str]:
    """The server's address, and the ledger's name in it."""
    try:
        parts = urlsplit(where)
        query = parse_qsl(parts.query, keep_blank_values=True)
    except ValueError:
        raise LedgerUnavailable(
            "the address of the ledger cannot be read.", "Write postgresql://user@host/database#name."
        ) from None
    named = [value for key, value in query if key == "ledger"]
    name = parts.fragment or (named[0] if named else "main")
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,39}", name):
        # The name is not repeated: an unescaped # in a password would end up in it.
        raise LedgerUnavailable(
            "the ledger's name in the address must be lower-case letters, digits and underscores.",
            "Write postgresql://user@host/database#clinic, and escape special characters in the password.",
        )
    rest = urlencode([(key, value) for key, value in query if key != "ledger"], quote_via=quote)
    server = where.partition("#")[0].partition("?")[0]
    return (f"{server}?{rest}" if rest else server), name
