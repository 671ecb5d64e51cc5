"""The vault: random tokens, and a key for each subject, in one SQLite file of the owner's alone.

A row stands for one value of one scope. It is found by a keyed digest and holds the value sealed, so that the file
without the key shows nobody. Two kinds of pseudonym rest on it:

- *random tokens*: the token is drawn, and only the row links it to the value;
- *subject keys*: each subject has a key of its own, which lies in the row wrapped by the ring's key; the subject's
  values in any column are sealed under it (AES-SIV).

Erasing a subject deletes the row: its token leads nowhere, and what was sealed under its key cannot be opened by
anybody, wherever copies of the table lie (crypto-shredding). Other subjects keep theirs. SQLite overwrites deleted
content; copies of the vault file itself (backups) must be let go by whoever keeps them.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from privet.artifact import empty_file, refuse_planted_journal
from privet.errors import BadPseudonym, NoSuchSubject, PrivetError, VaultUnavailable, checked
from privet.mechanism import fresh_bytes
from privet.protect.transform.pseudonyms._key_ring import Key, KeyRing, KeyScope, subkey
from privet.protect.transform.pseudonyms._key_storage import check_private
from privet.protect.transform.pseudonyms._pseudonym_tokens import (
    TOKEN_BYTES,
    digest,
    lettered,
    padded,
    unlettered,
    unpadded,
)

TOKEN, SUBJECT = "v", "s"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS entries (
  handle BLOB PRIMARY KEY, kind TEXT NOT NULL, scope BLOB NOT NULL, lookup BLOB NOT NULL,
  key_id TEXT NOT NULL, value BLOB NOT NULL, subject_key BLOB,
  UNIQUE (kind, scope, lookup));
CREATE TABLE IF NOT EXISTS made (inode INTEGER NOT NULL);
PRAGMA application_id = 1886545258;
"""
_APPLICATION = 1886545258
_PATIENCE = 30.0


class _Entry(NamedTuple):
    handle: bytes
    subject_key: bytes


class Vault:
    """Random tokens and subject keys in a file, opened with a ring of keys."""

    @checked
    def __init__(self, file: str | Path, keys: KeyRing) -> None:
        self.file = Path(file)
        self.keys = keys
        self._prepare()

    def __repr__(self) -> str:
        return f"<vault {self.file.name}>"

    def tokens(self, values: Sequence[str], scope: KeyScope) -> list[str]:
        """A random token for each value: the one it has, or a new one."""
        with self._changing() as book:
            return [f"{TOKEN}.{lettered(self._entry(book, TOKEN, value, scope).handle)}" for value in values]

    def values(self, tokens: Sequence[str], scope: KeyScope) -> list[str | None]:
        """The values behind random tokens; None for erased ones."""
        handles = _handles(tokens, TOKEN)
        with self._changing() as book:
            return [self._value(book, handle, scope) for handle in handles]

    def sealed_for(
        self, subjects: Sequence[str], values: Sequence[str], whose: KeyScope, scope: KeyScope
    ) -> list[str]:
        """Each value sealed under the key of the subject beside it."""
        bound = [scope.encoded()]
        known: dict[str, tuple[str, _Cipher]] = {}
        found = []
        with self._changing() as book:
            for subject, value in zip(subjects, values, strict=True):
                if subject not in known:
                    entry = self._entry(book, SUBJECT, subject, whose)
                    known[subject] = lettered(entry.handle), _siv(entry.subject_key)
                handle, cipher = known[subject]
                found.append(f"{SUBJECT}.{handle}.{lettered(cipher.encrypt(padded(value), bound))}")
        return found

    def opened_for(self, tokens: Sequence[str], scope: KeyScope) -> list[str | None]:
        """The values sealed under subjects' keys; None for erased subjects."""
        handles = _handles(tokens, SUBJECT)
        with self._changing() as book:
            ciphers = {handle: self._subject_cipher(book, handle) for handle in set(handles)}
        bound = [scope.encoded()]
        pairs = zip(tokens, handles, strict=True)
        return [_opened(token, ciphers[handle], bound) for token, handle in pairs]

    def erase(self, subjects: Sequence[str], scope: KeyScope) -> int:
        """Erase the rows of these ids in a scope, and say how many; an error, and nothing erased, if one is unknown."""
        with self._changing() as book:
            found = [self._rows_of(book, subject, scope) for subject in subjects]
            return _deleted(book, [set(rows) for rows in found])

    def erase_tokens(self, tokens: Sequence[str]) -> int:
        """Erase the rows that these tokens name, and say how many."""
        handles = [_handles([token], token.partition(".")[0])[0] for token in tokens]
        with self._changing() as book:
            known = [
                set(book.execute("SELECT handle FROM entries WHERE handle = ?", (handle,)).fetchall())
                for handle in handles
            ]
            return _deleted(book, [{row[0] for row in rows} for rows in known])

    def rewrap(self) -> int:
        """Seal everything anew under the ring's current key, so that retired keys can be dropped. Tokens stay."""
        with self._changing() as book:
            old = book.execute(
                "SELECT handle, kind, scope, key_id, value, subject_key FROM entries WHERE key_id != ?",
                (self.keys.current.id,),
            ).fetchall()
            for handle, kind, scope_bytes, key_id, value, wrapped in old:
                scope = _decoded(scope_bytes)
                before = self._key(key_id)
                text = unpadded(_cipher(before, "value", scope).decrypt(value, [handle]))
                secret = _unwrapped(before, scope, handle, wrapped)
                book.execute(
                    "UPDATE entries SET lookup = ?, key_id = ?, value = ?, subject_key = ? WHERE handle = ?",
                    (*self._sealed(kind, scope, text, handle, secret), handle),
                )
            return len(old)

    def _entry(self, book: sqlite3.Connection, kind: str, value: str, scope: KeyScope) -> _Entry:
        """The row of a value; a new one if it has none under any key of the ring."""
        for key in self.keys.keys:
            row = book.execute(
                "SELECT handle, key_id, subject_key FROM entries WHERE kind = ? AND scope = ? AND lookup = ?",
                (kind, scope.encoded(), _lookup(key, kind, scope, value)),
            ).fetchone()
            if row is not None:
                return _Entry(row[0], _unwrapped(self._key(row[1]), scope, row[0], row[2]))
        handle = fresh_bytes(TOKEN_BYTES)
        secret = fresh_bytes(64) if kind == SUBJECT else b""
        sealed = self._sealed(kind, scope, value, handle, secret)
        book.execute(
            "INSERT INTO entries (handle, kind, scope, lookup, key_id, value, subject_key) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (handle, kind, scope.encoded(), *sealed),
        )
        return _Entry(handle, secret)

    def _sealed(
        self, kind: str, scope: KeyScope, value: str, handle: bytes, secret: bytes
    ) -> tuple[bytes, str, bytes, bytes | None]:
        """What a row holds: lookup, key id, sealed value, wrapped subject key. Bound to the row by its handle."""
        key = self.keys.current
        wrapped = _cipher(key, "subject key", scope).encrypt(secret, [handle]) if secret else None
        value_sealed = _cipher(key, "value", scope).encrypt(padded(value), [handle])
        return _lookup(key, kind, scope, value), key.id, value_sealed, wrapped

    def _value(self, book: sqlite3.Connection, handle: bytes, scope: KeyScope) -> str | None:
        row = book.execute("SELECT scope, key_id, value FROM entries WHERE handle = ?", (handle,)).fetchone()
        if row is None:
            return None
        if row[0] != scope.encoded():
            raise BadPseudonym(
                "a token belongs to another data set or domain.", "Check --dataset and --domain."
            )
        return unpadded(_cipher(self._key(row[1]), "value", scope).decrypt(row[2], [handle]))

    def _subject_cipher(self, book: sqlite3.Connection, handle: bytes) -> _Cipher | None:
        row = book.execute(
            "SELECT scope, key_id, subject_key FROM entries WHERE handle = ? AND kind = ?", (handle, SUBJECT)
        ).fetchone()
        if row is None:
            return None
        return _siv(_unwrapped(self._key(row[1]), _decoded(row[0]), handle, row[2]))

    def _rows_of(self, book: sqlite3.Connection, subject: str, scope: KeyScope) -> list[bytes]:
        return [
            row[0]
            for key in self.keys.keys
            for kind in (TOKEN, SUBJECT)
            for row in book.execute(
                "SELECT handle FROM entries WHERE kind = ? AND scope = ? AND lookup = ?",
                (kind, scope.encoded(), _lookup(key, kind, scope, subject)),
            )
        ]

    def _key(self, name: str) -> Key:
        key = self.keys.find(name)
        if key is None:
            raise VaultUnavailable(
                f"the vault was sealed with key {name}, which is not on the ring.",
                "Name the place of that key; if it is lost, so is what it sealed.",
            )
        return key

    def _prepare(self) -> None:
        try:
            empty_file(self.file)
        except FileExistsError:
            check_private(self.file)
        except OSError as problem:
            raise VaultUnavailable(
                f"the vault {self.file.name} could not be made ({problem.strerror}).",
                "Check that its folder exists.",
            ) from None
        with self._changing() as book:
            name = book.execute("PRAGMA application_id").fetchone()[0]
            tables = book.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            if name != _APPLICATION and tables:
                raise VaultUnavailable(
                    f"{self.file.name} is a database, and not a vault.", "Name another file."
                )
            if not tables:
                for statement in filter(str.strip, _SCHEMA.split(";")):
                    book.execute(statement)
                # By this the file is known for the one that was made, and a copy of it for a copy.
                book.execute("INSERT INTO made VALUES (?)", (self.file.stat().st_ino,))

    @contextlib.contextmanager
    def _changing(self) -> Iterator[sqlite3.Connection]:
        """The book in one transaction: all of it happens or nothing does."""
        book: sqlite3.Connection | None = None
        refuse_planted_journal(self.file)
        try:
            book = sqlite3.connect(self.file, timeout=_PATIENCE, isolation_level=None)
            book.execute("PRAGMA trusted_schema = OFF")
            book.execute("PRAGMA secure_delete = ON")
            book.execute("BEGIN IMMEDIATE")
            yield book
            book.execute("COMMIT")
        except sqlite3.Error as problem:
            raise VaultUnavailable(
                f"the vault {self.file.name} cannot be used ({type(problem).__name__}).",
                "Check that it is a vault, that no other program holds it, and that there is room.",
            ) from None
        finally:
            if book is not None:
                if book.in_transaction:
                    book.execute("ROLLBACK")
                book.close()


def data_sets_in(file: Path) -> set[str | None] | None:
    """The data sets whose pseudonyms a vault holds, which it shows without a key; None if it is not a vault that was made here.

    A copy of one is another file, and so is one that has a second name elsewhere.
    """
    if file.is_symlink() or not file.is_file() or file.stat().st_nlink != 1:
        return None
    book: sqlite3.Connection | None = None
    try:
        book = sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True, timeout=_PATIENCE)
        book.execute("PRAGMA trusted_schema = OFF")
        if book.execute("PRAGMA application_id").fetchone() != (_APPLICATION,):
            return None
        if book.execute("SELECT inode FROM made").fetchall() != [(file.stat().st_ino,)]:
            return None
        return {_decoded(scope).dataset for (scope,) in book.execute("SELECT DISTINCT scope FROM entries")}
    except (sqlite3.Error, ValueError, TypeError, PrivetError):
        return None
    finally:
        if book is not None:
            book.close()


class _Cipher:
    """AES-SIV whose failures say what they mean here."""

    def __init__(self, key: bytes) -> None:
        from cryptography.hazmat.primitives.ciphers.aead import AESSIV

        self._cipher = AESSIV(key)

    def encrypt(self, content: bytes, bound: list[bytes]) -> bytes:
        return self._cipher.encrypt(content, bound)

    def decrypt(self, content: bytes, bound: list[bytes]) -> bytes:
        from cryptography.exceptions import InvalidTag

        try:
            return self._cipher.decrypt(content, bound)
        except InvalidTag:
            raise BadPseudonym(
                "a sealed value does not open: another key of the same id made it, or it was changed.",
                "Check --keys, --dataset and --domain.",
            ) from None


def _siv(key: bytes) -> _Cipher:
    return _Cipher(key)


def _cipher(key: Key, purpose: str, scope: KeyScope) -> _Cipher:
    return _Cipher(subkey(key, f"vault {purpose}", scope, 64))


def _lookup(key: Key, kind: str, scope: KeyScope, value: str) -> bytes:
    return digest(subkey(key, f"vault lookup {kind}", scope), value)


def _unwrapped(key: Key, scope: KeyScope, handle: bytes, wrapped: bytes | None) -> bytes:
    return _cipher(key, "subject key", scope).decrypt(wrapped, [handle]) if wrapped else b""


def _handles(tokens: Sequence[str], kind: str) -> list[bytes]:
    found = []
    for token in tokens:
        word, _, rest = token.partition(".")
        handle = unlettered(rest.partition(".")[0])
        if word != kind or kind not in (TOKEN, SUBJECT) or handle is None or len(handle) != TOKEN_BYTES:
            raise BadPseudonym("a value is not a token of this kind.", "Check the column and --method.")
        found.append(handle)
    return found


def _opened(token: str, cipher: _Cipher | None, bound: list[bytes]) -> str | None:
    if cipher is None:
        return None
    content = unlettered(token.rpartition(".")[2])
    if content is None:
        raise BadPseudonym("a value is not a token of this kind.", "Check the column and --method.")
    return unpadded(cipher.decrypt(content, bound))


def _deleted(book: sqlite3.Connection, found: list[set[bytes]]) -> int:
    unknown = sum(not rows for rows in found)
    if unknown or not found:
        raise NoSuchSubject(
            f"{unknown} of {len(found)} subjects are not in the vault; nothing was erased.",
            "Check the id, --dataset and --domain. One-way and key-only pseudonyms are not in a vault: they end with their key.",
        )
    handles = set().union(*found)
    book.executemany("DELETE FROM entries WHERE handle = ?", [(handle,) for handle in handles])
    return len(handles)


def _decoded(encoded: bytes) -> KeyScope:
    size = int.from_bytes(encoded[:4], "big")
    return KeyScope(encoded[4 : 4 + size].decode(), encoded[8 + size :].decode())
