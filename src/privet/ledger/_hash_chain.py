"""The chain of entries: each hash covers the entry's text and the hash before it.

hash = SHA-256(previous hash, as 64 hexadecimal digits, followed by the canonical JSON of the body, in UTF-8).
The first entry's predecessor is 64 zeros, and the first entry's hash is the ledger's public identity. An
edited, removed, inserted or reordered entry changes every hash after it; see `verification`.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from privet.errors import LedgerTampered

GENESIS = "0" * 64


@dataclass(frozen=True, slots=True)
class EntryRow:
    """One stored entry: its place, its text, its hash."""

    number: int
    body: str
    hash: str

    @classmethod
    def of(cls, number: object, body: object, digest: object) -> EntryRow:
        """The row as stored; a doctored column type ends in a hash that does not match."""
        return cls(_count(number), str(body), str(digest))


@dataclass(frozen=True, slots=True)
class Head:
    """The end of the chain: how many entries there are, and the hash of the last."""

    count: int
    hash: str

    @classmethod
    def of(cls, count: object, digest: object) -> Head:
        """The head as stored."""
        return cls(_count(count), str(digest))


def _count(value: object) -> int:
    # SQLite keeps any type in any column: a text here would compare and count in ways nobody meant.
    if not isinstance(value, int) or value < 0:
        raise LedgerTampered("a stored count is not a whole number.", "Run `privet ledger verify`.")
    return value


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry as read: `kind` is open, unit, budget, spend, promise, release or anchor."""

    number: int
    hash: str
    previous: str
    body: dict[str, Any]

    @property
    def kind(self) -> str:
        """What was entered."""
        return str(self.body["kind"])

    @property
    def at(self) -> str:
        """When, in UTC."""
        return str(self.body["at"])

    @property
    def why(self) -> str | None:
        """The reason the caller gave, where there is one."""
        return self.body.get("why")

    @property
    def cost(self) -> dict[str, str]:
        """What was booked, in exact decimals; empty for entries that cost nothing."""
        return dict(self.body.get("cost", {}))

    def to_json(self) -> dict[str, Any]:
        """The entry with its place in the chain."""
        return {"number": self.number, "previous": self.previous, "hash": self.hash, **self.body}


def canonical(body: dict[str, Any]) -> str:
    """The one text of a body: sorted keys, no spaces, plain ASCII."""
    # ASCII alone: the same bytes are hashed whatever encoding a store, an export or a terminal keeps the text
    # in.
    return json.dumps(body, sort_keys=True, separators=(",", ":"), allow_nan=False)


def link(previous: str, body: str) -> str:
    """The hash of an entry with this text after that hash."""
    return hashlib.sha256((previous + body).encode("utf-8", "surrogatepass")).hexdigest()


def read(row: EntryRow, previous: str) -> Entry:
    """The entry a row holds, checked against the hash before it."""
    if link(previous, row.body) != row.hash:
        raise LedgerTampered(
            f"entry {row.number} does not match its hash: it, or the one before it, was changed.",
            "Run `privet ledger verify` and compare with a copy or an export.",
            entry=row.number,
        )
    body = parsed(row)
    return Entry(row.number, row.hash, previous, body)


def parsed(row: EntryRow) -> dict[str, Any]:
    """A row's body; refuses text that is not an entry of this place."""
    try:
        body = json.loads(row.body)
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict) or body.get("number") != row.number or "kind" not in body:
        raise LedgerTampered(
            f"entry {row.number} is not an entry of this place.",
            "Run `privet ledger verify`.",
            entry=row.number,
        )
    return body
