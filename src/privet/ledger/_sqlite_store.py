"""A ledger in one SQLite file: write-ahead log, every commit synced to disk, one writer at a time.

The file must lie on a local disk: SQLite's write-ahead log needs shared memory and honest locks, which
network file systems do not give. Keep a ledger that several machines share in PostgreSQL.

Whether the path still names the file that was opened is looked at inside each transaction, and after each commit once
more: a booking counts only if it stands where the next reader will look (`_file_identity`).
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from privet.artifact import LEDGER_MARK, empty_file, refuse_planted_journal
from privet.errors import LedgerBusy, LedgerReplaced, LedgerTampered, LedgerUnavailable, PrivetError
from privet.evidence import refuse_special
from privet.ledger._file_identity import FileIdentity, log_of
from privet.ledger._hash_chain import EntryRow, Head
from privet.ledger._process_locks import Turns
from privet.ledger._store import DIGEST, LAYOUT, NOTHING, PAGE, QUESTION, WantedRows

# Marks the file as a ledger, where SQLite keeps such marks.
APPLICATION = LEDGER_MARK

_BOOK = """
CREATE TABLE head (one INTEGER PRIMARY KEY CHECK (one = 1), count INTEGER NOT NULL, hash TEXT NOT NULL);
CREATE TABLE entries (number INTEGER PRIMARY KEY, body TEXT NOT NULL, hash TEXT NOT NULL);
CREATE TABLE states (scope TEXT PRIMARY KEY, content TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE releases (question TEXT PRIMARY KEY, entry INTEGER NOT NULL, release BLOB NOT NULL);
CREATE TRIGGER entries_stay BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, 'entries are never changed'); END;
CREATE TRIGGER entries_last BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, 'entries are never deleted'); END
"""

# Found in the text itself, so that the index can neither miss an entry nor name a wrong one.
_BEARS = f"instr(body, '{QUESTION}') > 0"
_ASKED = f"substr(body, instr(body, '{QUESTION}') + {len(QUESTION)}, {DIGEST})"
_INDEX = f"CREATE INDEX IF NOT EXISTS entries_by_question ON entries ({_ASKED}) WHERE {_BEARS}"
_BY_QUESTION = f"SELECT number, body, hash FROM entries WHERE {_ASKED} = ? AND {_BEARS} ORDER BY number"  # noqa: S608
_INCIDENTS = """
CREATE TABLE IF NOT EXISTS incidents (
  number INTEGER PRIMARY KEY, entry INTEGER NOT NULL, at TEXT NOT NULL, code TEXT NOT NULL, doing TEXT NOT NULL)
"""

_Kind = TypeVar("_Kind", int, str, bytes)
TABLES = (*_BOOK.strip().split(";\n"), _INDEX, _INCIDENTS)


def _stored(value: object, kind: type[_Kind]) -> _Kind:
    """What a column holds, if it is of its kind: SQLite keeps any type in any column, and `bytes` of a number is as long."""
    if not isinstance(value, kind):
        raise LedgerTampered("something stored is not of its kind.", "Run `privet ledger verify`.")
    return value


class SqliteTransaction:
    """One view of the file, inside a SQLite transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._run = connection.execute

    def head(self) -> Head | None:
        """The end of the chain."""
        found = self._run("SELECT count, hash FROM head").fetchone()
        return Head.of(*found) if found else None

    def entry(self, number: int) -> EntryRow | None:
        """The entry at this place."""
        found = self._run("SELECT number, body, hash FROM entries WHERE number = ?", (number,)).fetchone()
        return EntryRow.of(*found) if found else None

    def page(self, after: int) -> list[EntryRow]:
        """The entries that follow the place."""
        rows = self._run(
            "SELECT number, body, hash FROM entries WHERE number > ? ORDER BY number LIMIT ?", (after, PAGE)
        )
        return [EntryRow.of(*row) for row in rows]

    def asked(self, question: str) -> list[EntryRow]:
        """The entries that bear this question's digest."""
        return [EntryRow.of(*row) for row in self._run(_BY_QUESTION, (question,))]

    def append(self, row: EntryRow) -> None:
        """Add an entry and move the head."""
        self._run("INSERT INTO entries VALUES (?, ?, ?)", (row.number, row.body, row.hash))
        self._run("INSERT OR REPLACE INTO head VALUES (1, ?, ?)", (row.number, row.hash))

    def state(self, scope: str) -> str | None:
        """The running state of one scope."""
        found = self._run("SELECT content FROM states WHERE scope = ?", (scope,)).fetchone()
        return _stored(found[0], str) if found else None

    def states(self) -> dict[str, str]:
        """All running states."""
        rows = self._run("SELECT scope, content FROM states ORDER BY scope")
        return {_stored(scope, str): _stored(content, str) for scope, content in rows}

    def put_state(self, scope: str, content: str) -> None:
        """Replace the running state of a scope."""
        self._run("INSERT OR REPLACE INTO states VALUES (?, ?)", (scope, content))

    def release(self, question: str) -> tuple[int, bytes] | None:
        """The stored release for a question."""
        found = self._run("SELECT entry, release FROM releases WHERE question = ?", (question,)).fetchone()
        return (_stored(found[0], int), _stored(found[1], bytes)) if found else None

    def releases(self) -> Iterable[tuple[str, int, bytes]]:
        """Every stored release."""
        for question, entry, release in self._run("SELECT question, entry, release FROM releases"):
            yield _stored(question, str), _stored(entry, int), _stored(release, bytes)

    def put_release(self, question: str, entry: int, release: bytes) -> None:
        """Keep a release."""
        self._run("INSERT INTO releases VALUES (?, ?, ?)", (question, entry, release))

    def put_incident(self, entry: int, at: str, code: str, doing: str) -> None:
        """Log an incident."""
        self._run(_INCIDENTS)
        self._run(
            "INSERT INTO incidents (entry, at, code, doing) VALUES (?, ?, ?, ?)", (entry, at, code, doing)
        )

    def incidents(self) -> list[tuple[int, str, str, str]]:
        """Every incident."""
        if not self._run("SELECT 1 FROM sqlite_master WHERE name = 'incidents'").fetchone():
            return []
        rows = self._run("SELECT entry, at, code, doing FROM incidents ORDER BY number")
        return [
            (_stored(entry, int), _stored(at, str), _stored(code, str), _stored(doing, str))
            for entry, at, code, doing in rows
        ]


@dataclass
class _Held:
    """An open connection, the file it was opened on, and once there is one, the log beside it."""

    connection: sqlite3.Connection
    file: FileIdentity
    log: tuple[FileIdentity, ...] = ()


class SqliteStore:
    """One file that holds one ledger."""

    def __init__(self, where: str, *, timeout: float) -> None:
        if where == ":memory:" or where.startswith("file:"):
            raise LedgerUnavailable(
                "a ledger must outlive the process, so it needs a plain file.",
                'Write "patients.ledger"; to try things out, Ledger.in_memory(limit=…).',
            )
        self._path = Path(where).expanduser()
        # What is opened stays what it is when the process changes its folder.
        self._file = self._path.absolute()
        self._timeout = timeout
        self._turns: Turns[_Held] = Turns()

    @property
    def place(self) -> str:
        """The file's path."""
        return str(self._path)

    def exists(self) -> bool:
        """Whether the file holds a ledger; refuses files of other kinds."""
        self._refuse_special()
        if self._path.is_dir():
            raise LedgerUnavailable(
                f"{self.place} is a directory.", "Name a file in it, such as patients.ledger."
            )
        if not self._path.exists():
            return False
        with self._turn() as connection:
            return self._holds_ledger(connection)

    def create(self) -> None:
        """Make the file, readable by its owner alone, and its tables, unless another process was faster."""
        try:
            # With its final rights from the start: narrowed afterwards, somebody could have opened it in
            # between.
            empty_file(self._path)
        except FileExistsError:
            pass
        except OSError as error:
            raise LedgerUnavailable(
                f"{self.place} cannot be created: {(error.strerror or 'unknown').lower()}.",
                "Check that the folder exists and that you may write to it.",
            ) from None
        with self._turn() as connection:
            if self._holds_ledger(connection):
                return
            # An empty file with a second name is somebody else's: it stays empty.
            FileIdentity.of(self._file).require()
            self._set_write_ahead(connection)
            # Asked again under the lock: two processes may both have found an empty file.
            connection.execute("BEGIN IMMEDIATE")
            if not self._holds_ledger(connection):
                for statement in TABLES:
                    connection.execute(statement)
                connection.execute(f"PRAGMA application_id = {APPLICATION}")
                connection.execute(f"PRAGMA user_version = {LAYOUT}")
            connection.execute("COMMIT")
        # A file whose name is lost in a power cut takes its bookings with it, however well they were synced.
        _sync_folder(self._path.absolute().parent)

    @contextmanager
    def writing(self, wanted: WantedRows = NOTHING) -> Iterator[SqliteTransaction]:  # noqa: ARG002
        """The one writer's turn: synced to disk when the block ends, in the file that the path names."""
        with self._turn() as connection:
            # Pages are read anew: SQLite does not notice when somebody copies another book over this one.
            connection.execute("PRAGMA shrink_memory")
            connection.execute("BEGIN IMMEDIATE")
            self._require_same()
            # Ledgers from before the index get it with their next booking.
            connection.execute(_INDEX)
            yield SqliteTransaction(connection)
            connection.execute("COMMIT")
            self._require_same()

    @contextmanager
    def reading(self, wanted: WantedRows = NOTHING) -> Iterator[SqliteTransaction]:  # noqa: ARG002
        """One consistent moment."""
        with self._turn() as connection:
            connection.execute("BEGIN")
            # A read of the tables fixes the moment, and opens the log.
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            self._require_same()
            yield SqliteTransaction(connection)
            connection.execute("COMMIT")

    def close(self) -> None:
        """Close the file."""
        with self._turns.taken():
            if self._turns.held is not None:
                self._turns.held.connection.close()
                self._turns.held = None

    @contextmanager
    def _turn(self) -> Iterator[sqlite3.Connection]:
        """This process's connection, for one thread at a time; every failure leaves no transaction open."""
        with self._turns.taken():
            try:
                if self._turns.held is None:
                    self._turns.held = self._connect()
                yield self._turns.held.connection
            except sqlite3.Error as error:
                raise _translated(error, self.place) from None
            finally:
                held = self._turns.held
                if held is not None and held.connection.in_transaction:
                    held.connection.rollback()

    def _require_same(self) -> None:
        """Refuse a file, or a log of it, that is not the one our connection writes to."""
        held = self._turns.held
        assert held is not None
        held.file.require()
        if not held.log:
            held.log = log_of(self._file)
        for beside in held.log:
            beside.require()

    def _connect(self) -> _Held:
        self._refuse_special()
        refuse_planted_journal(self._file)
        self._refuse_emptied()
        before = FileIdentity.of(self._file) if self._file.exists() else None
        connection = sqlite3.connect(
            # Never "rwc": a ledger that was moved away would come back empty, with a full budget.
            self._file.as_uri() + "?mode=rw",
            uri=True,
            timeout=self._timeout,
            # Transactions begin and end where we say: the driver would open one of its own, without the lock,
            # before the first write.
            isolation_level=None,
            check_same_thread=False,
        )
        # FULL syncs the log on every commit; fullfsync does so through the drive's cache where the system has it.
        for pragma in ("synchronous = FULL", "fullfsync = ON", "foreign_keys = ON", "trusted_schema = OFF"):
            connection.execute(f"PRAGMA {pragma}")
        if self._holds_ledger(connection):
            self._set_write_ahead(connection)
        # The same file before and after: it is the one that was opened in between.
        file = FileIdentity.of(self._file)
        if before != file:
            connection.close()
            raise LedgerReplaced(f"{self.place} was replaced while it was being opened.", "Open it anew.")
        return _Held(connection, file)

    def _refuse_emptied(self) -> None:
        """Refuse an empty file beside which a log lies: SQLite would delete the log unread, with the bookings in it.

        No kill leaves that: the log is begun once the file has its first page on disk.
        """
        log = self._file.with_name(f"{self._file.name}-wal")
        if log.exists() and log.stat().st_size and self._file.exists() and not self._file.stat().st_size:
            raise LedgerTampered(
                f"{self.place} is empty or new, and a log with bookings lies beside it: the ledger was cut off or removed.",
                "Restore a copy that verifies, with its log.",
            )

    def _refuse_special(self) -> None:
        """A link, a pipe, a device or a socket in the place of the book, or of what SQLite keeps beside it, is not followed."""
        for suffix in ("", "-wal", "-shm"):
            refuse_special(f"{self._file}{suffix}")

    def _holds_ledger(self, connection: sqlite3.Connection) -> bool:
        application, layout, objects = _at_one_moment(
            connection,
            ("PRAGMA application_id", "PRAGMA user_version", "SELECT count(*) FROM sqlite_master"),
        )
        if (application, layout, objects) == (0, 0, 0):
            return False
        if application != APPLICATION:
            raise LedgerUnavailable(f"{self.place} is a database of something else.", "Name another file.")
        if layout > LAYOUT:
            raise LedgerUnavailable(
                f"{self.place} was written by a newer version (layout {layout}, known here: {LAYOUT}).",
                "Upgrade Privet: pip install -U privet.",
            )
        return True

    def _set_write_ahead(self, connection: sqlite3.Connection) -> None:
        """Switch the log on. SQLite answers "locked" at once when two do so together, so we wait ourselves."""
        deadline = time.monotonic() + self._timeout
        while True:
            try:
                connection.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.01)
            else:
                return


def _at_one_moment(connection: sqlite3.Connection, questions: tuple[str, ...]) -> list[int]:
    """One number for each question, with nobody's commit between them: a file half seen looks like somebody else's."""
    own = not connection.in_transaction
    if own:
        connection.execute("BEGIN")
    # A read of the tables fixes the moment; whether a pragma does is not said.
    connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    found = [int(connection.execute(question).fetchone()[0]) for question in questions]
    if own:
        connection.execute("COMMIT")
    return found


def _sync_folder(folder: Path) -> None:
    """Make the new file's name durable as well, where the system lets folders be synced."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _translated(error: sqlite3.Error, place: str) -> PrivetError:
    """What SQLite's refusal means to the caller. SQLite's own words name no data, but are left out all the same."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return LedgerBusy(
            f"another process kept {place} locked for too long.", "Try again; find out what holds the file."
        )
    if code == sqlite3.SQLITE_CONSTRAINT:
        return LedgerTampered(
            f"{place} refused an entry: its rows contradict each other.", "Run `privet ledger verify`."
        )
    if code == sqlite3.SQLITE_ERROR:
        # Our statements never vary, so what they fail on is the layout of the tables.
        return LedgerTampered(
            f"{place} lacks a table or a column that a ledger has.", "Restore a copy that verifies."
        )
    meanings = {
        sqlite3.SQLITE_NOTADB: ("is not a ledger", "Name another file."),
        sqlite3.SQLITE_CORRUPT: ("is damaged", "Restore a copy, and check it with the receipts you hold."),
        sqlite3.SQLITE_CANTOPEN: ("cannot be opened", "Check the path and your permissions."),
        sqlite3.SQLITE_READONLY: ("cannot be written", "Check the permissions of the file and its folder."),
        sqlite3.SQLITE_FULL: ("cannot be written: the disk is full", "Free some space. Nothing was booked."),
    }
    fact, hint = meanings.get(code, ("cannot be used", "Check the disk and the file's permissions."))
    return LedgerUnavailable(f"{place} {fact}.", hint)
