"""A ledger in PostgreSQL, for books that several machines share.

Each ledger has a database schema of its own, `privet_ledger_<name>`; the name comes from the address
(`postgresql://host/db#clinic` or `…?ledger=clinic`) and is "main" when it gives none. Writers queue at the
head row (`SELECT … FOR UPDATE`), and commits wait for the disk whatever the server's default is.

The server may be far away, so a transaction speaks twice: once to lock the head and fetch all that it is about to read
(`WantedRows`), once to write and commit. Statements that are sent together still run one after another, each with a view
of its own, so what is read behind the lock is what the writer before left.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from privet.artifact import connectable
from privet.errors import LedgerBusy, LedgerTampered, LedgerUnavailable, MissingExtra, PrivetError
from privet.ledger._hash_chain import EntryRow, Head
from privet.ledger._process_locks import Turns
from privet.ledger._store import DIGEST, LAYOUT, NOTHING, PAGE, QUESTION, WantedRows

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

# Found in the text itself, so that the index can neither miss an entry nor name a wrong one.
_BEARS = f"strpos(body, '{QUESTION}') > 0"
_ASKED = f"substr(body, strpos(body, '{QUESTION}') + {len(QUESTION)}, {DIGEST})"
_INDEX = f"CREATE INDEX IF NOT EXISTS entries_by_question ON {{0}}.entries ({_ASKED}) WHERE {_BEARS}"

_BY_QUESTION = (
    f"SELECT number, body, hash FROM {{0}}.entries WHERE {_ASKED} = %s AND {_BEARS} ORDER BY number"  # noqa: S608
)
_HEAD = "SELECT count, hash FROM {0}.head WHERE one = 1"
# The entries that a transaction is about to read, with those before them, whose hashes they are checked against: the
# last one, those that wrote the states, those asked for by number or by question.
_AHEAD = f"""
WITH written AS (SELECT substring(content from '"entry":([0-9]{{1,18}})')::bigint AS number
    FROM {{0}}.states WHERE scope = ANY(%s)),
  wanted AS (SELECT count AS number FROM {{0}}.head UNION SELECT number FROM written UNION SELECT unnest(%s::bigint[])
    UNION SELECT number FROM {{0}}.entries WHERE {_ASKED} = %s AND {_BEARS})
SELECT number, body, hash FROM {{0}}.entries
  WHERE number IN (SELECT number FROM wanted UNION SELECT number - 1 FROM wanted)
"""  # noqa: S608


class PostgresTransaction:
    """One view of the tables, inside a PostgreSQL transaction."""

    def __init__(
        self,
        connection: psycopg.Connection[Any],
        schema: str,
        wanted: WantedRows,
        *,
        locking: bool,
        sync: Callable[[], None],
    ) -> None:
        self._connection = connection
        self._schema = schema
        head = self._run(_HEAD + (" FOR UPDATE" if locking else ""))
        scopes = list(wanted.scopes)
        states = self._run("SELECT scope, content FROM {0}.states WHERE scope = ANY(%s)", scopes)
        entries = self._run(_AHEAD, scopes, list(wanted.entries), wanted.question or "")
        sync()
        found = head.fetchone()
        if locking and found is None:
            raise LedgerTampered("the ledger's head row is gone.", "Run `privet ledger verify`.")
        self._end = Head.of(*found) if found and found[0] else None
        self._states: dict[str, str | None] = dict.fromkeys(wanted.scopes) | dict(states.fetchall())
        rows = [EntryRow.of(*row) for row in entries]
        self._entries: dict[int, EntryRow | None] = {row.number: row for row in rows}
        self._asked: dict[str, list[EntryRow]] = {}
        if wanted.question is not None:
            bearing = [row for row in rows if _question(row) == wanted.question]
            self._asked[wanted.question] = sorted(bearing, key=lambda row: row.number)

    def _run(self, statement: str, *values: object) -> psycopg.Cursor[Any]:
        # The schema name is checked against a pattern; values always travel as parameters.
        return self._connection.execute(statement.replace("{0}", self._schema).encode(), values or None)

    def head(self) -> Head | None:
        """The end of the chain."""
        return self._end

    def entry(self, number: int) -> EntryRow | None:
        """The entry at this place."""
        if number not in self._entries:
            found = self._run(
                "SELECT number, body, hash FROM {0}.entries WHERE number = %s", number
            ).fetchone()
            self._entries[number] = EntryRow.of(*found) if found else None
        return self._entries[number]

    def asked(self, question: str) -> list[EntryRow]:
        """The entries that bear this question's digest."""
        if question not in self._asked:
            rows = self._run(_BY_QUESTION, question)
            self._asked[question] = [EntryRow.of(*row) for row in rows]
        return self._asked[question]

    def page(self, after: int) -> list[EntryRow]:
        """The entries that follow the place."""
        rows = self._run(
            "SELECT number, body, hash FROM {0}.entries WHERE number > %s ORDER BY number LIMIT %s",
            after,
            PAGE,
        )
        return [EntryRow.of(*row) for row in rows]

    def append(self, row: EntryRow) -> None:
        """Add an entry and move the head."""
        # The head row is there: this transaction holds its lock.
        self._run("INSERT INTO {0}.entries VALUES (%s, %s, %s)", row.number, row.body, row.hash)
        self._run("UPDATE {0}.head SET count = %s, hash = %s WHERE one = 1", row.number, row.hash)
        self._end, self._entries[row.number] = Head(row.number, row.hash), row
        self._asked.clear()

    def state(self, scope: str) -> str | None:
        """The running state of one scope."""
        if scope not in self._states:
            found = self._run("SELECT content FROM {0}.states WHERE scope = %s", scope).fetchone()
            self._states[scope] = str(found[0]) if found else None
        return self._states[scope]

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
        self._states[scope] = content

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
        self._turns: Turns[psycopg.Connection[Any]] = Turns()
        self._indexed = False

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
            self._alone(connection)
            if not self._holds_ledger(connection):
                tables = ";".join([_TABLES, _INDEX, _INCIDENTS])
                connection.execute(tables.replace("{0}", self._schema).replace("{1}", str(LAYOUT)).encode())

    @contextmanager
    def writing(self, wanted: WantedRows = NOTHING) -> Iterator[PostgresTransaction]:
        """The one writer's turn: on the server's disk when the block ends."""
        with self._turn() as connection:
            self._index(connection)
            with self._transaction(connection, "READ COMMITTED READ WRITE") as sync:
                yield PostgresTransaction(connection, self._schema, wanted, locking=True, sync=sync)

    @contextmanager
    def reading(self, wanted: WantedRows = NOTHING) -> Iterator[PostgresTransaction]:
        """One consistent moment."""
        with (
            self._turn() as connection,
            self._transaction(connection, "REPEATABLE READ READ ONLY") as sync,
        ):
            yield PostgresTransaction(connection, self._schema, wanted, locking=False, sync=sync)

    def close(self) -> None:
        """End the session."""
        with self._turns.taken():
            if self._turns.held is not None:
                self._turns.held.close()
                self._turns.held = None

    @contextmanager
    def _turn(self) -> Iterator[psycopg.Connection[Any]]:
        """This process's connection, for one thread at a time; a lost one is opened anew."""
        with self._turns.taken():
            try:
                if self._turns.held is None or self._turns.held.closed:
                    self._turns.held = self._connect()
                yield self._turns.held
            except self._driver.Error as error:
                # The driver's own words may repeat the address, password included.
                raise self._translated(error) from None

    @contextmanager
    def _transaction(self, connection: psycopg.Connection[Any], mode: str) -> Iterator[Callable[[], None]]:
        """One transaction; its beginning and its end travel with the statements beside them.

        The driver's own transaction blocks would wait for each. An error in what is sent together keeps the commit from
        being carried out; that it was carried out is looked at, since a server answers one that comes too late politely.
        """
        try:
            with self._together(connection) as sync:
                connection.execute(f"BEGIN ISOLATION LEVEL {mode}".encode())
                self._set_locally(connection)
                yield sync
                committed = connection.execute("COMMIT")
            if committed.statusmessage != "COMMIT":
                raise LedgerUnavailable(f"{self.place} did not commit.", "Nothing was booked. Try again.")
        finally:
            if not connection.closed and connection.info.transaction_status:
                connection.rollback()

    @contextmanager
    def _together(self, connection: psycopg.Connection[Any]) -> Iterator[Callable[[], None]]:
        """Send statements without waiting for each other's results, where the client library can; `sync` waits for all."""
        if not self._driver.Pipeline.is_supported():
            yield lambda: None
            return
        with connection.pipeline() as pipeline:
            yield pipeline.sync

    def _set_locally(self, connection: psycopg.Connection[Any]) -> None:
        # In each transaction: behind a pooler, what a session sets may reach another one.
        connection.execute("SET LOCAL synchronous_commit = on")
        connection.execute(f"SET LOCAL lock_timeout = {round(self._timeout * 1000)}".encode())

    def _alone(self, connection: psycopg.Connection[Any]) -> None:
        """Make tables while nobody else does: `IF NOT EXISTS` alone lets two try at once."""
        self._set_locally(connection)
        connection.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", (self._schema,))

    def _index(self, connection: psycopg.Connection[Any]) -> None:
        """Give a ledger from before questions were indexed its index, once; who may not, goes without."""
        if self._indexed:
            return
        there = connection.execute(
            "SELECT 1 FROM pg_indexes WHERE schemaname = %s AND indexname = 'entries_by_question'",
            (self._schema,),
        ).fetchone()
        if there is None:
            try:
                with connection.transaction():
                    self._alone(connection)
                    connection.execute(_INDEX.replace("{0}", self._schema).encode())
            except self._driver.errors.InsufficientPrivilege:
                pass
        self._indexed = True

    def _connect(self) -> psycopg.Connection[Any]:
        # Prepared statements belong to a session, and behind a pooler the next one may be another.
        connection: psycopg.Connection[Any] = self._driver.connect(
            connectable(self._address),
            autocommit=True,
            prepare_threshold=None,
            connect_timeout=max(2, round(self._timeout)),
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


def _question(row: EntryRow) -> str:
    """The digest that a body bears, as the index finds it."""
    at = row.body.find(QUESTION)
    return "" if at < 0 else row.body[at + len(QUESTION) :][:DIGEST]


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
