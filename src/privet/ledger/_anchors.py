"""Anchors: digests of what lies outside the book, entered at no cost, so that it cannot be rewritten afterwards.

The head of a run's journal, a public key that signs for the data set, the people who approve plans, a plan that they approved,
the run for which private samples were sent to a machine that somebody named, the state of a PAC session after each of its
releases, the newest entry that was lost when an older copy of the book was put in its place. A journal or a session that was cut back, or a key that was replaced, no longer matches the book; and the book cannot
be cut back without its receipts telling.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from privet.errors import BadBooking
from privet.ledger import _entry_text as entry_text
from privet.ledger._hash_chain import Entry

KIND = "anchor"
JOURNAL, KEYS, APPROVERS, PLAN, SENT = "journal", "keys", "approvers", "plan", "samples sent"
SESSION, RESTORED = "session", "restored"
_KINDS = (JOURNAL, KEYS, APPROVERS, PLAN, SENT, SESSION, RESTORED)
_DIGEST = re.compile(r"[0-9a-f]{64}")
_NAME = re.compile(r"[a-z][a-z_]{0,29}")
_LONGEST = 20_000


@dataclass(frozen=True, slots=True)
class Anchor:
    """One anchor as entered: what it is of, its digest, and what else is said, in short texts."""

    what: str
    digest: str
    said: dict[str, str]
    entry: int
    at: str

    @classmethod
    def of(cls, entry: Entry) -> Anchor:
        """The anchor in an entry."""
        body = entry.body
        return cls(body["what"], body["digest"], dict(body["said"]), entry.number, entry.at)


def content(what: object, digest: object, said: Mapping[Any, Any], why: object) -> dict[str, Any]:
    """What an anchor's entry holds; refuses what is no digest, or no short text."""
    if not isinstance(what, str) or what not in _KINDS:
        raise BadBooking("there is no such anchor.", f"Anchors are of: {', '.join(_KINDS)}.")
    if not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
        raise BadBooking("an anchor holds a digest.", "Give SHA-256 as 64 hexadecimal digits.")
    if not isinstance(said, Mapping):
        raise BadBooking("what an anchor says is a dictionary of texts.", 'Write said={"plan": "…"}.')
    for name, text in said.items():
        plain = isinstance(text, str) and text.isascii() and text.isprintable() and len(text) <= _LONGEST
        if not (isinstance(name, str) and _NAME.fullmatch(name) and plain):
            raise BadBooking("an anchor says short plain texts.", "Give digests and names.")
    return {"what": what, "digest": digest, "said": dict(said), "why": entry_text.text(why, "why")}
