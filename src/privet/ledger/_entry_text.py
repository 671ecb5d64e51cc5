"""The free text a ledger keeps: short, printable, and chosen by the caller.

A ledger is kept for ever and shown to auditors, so its texts are bounded in length and free of control
characters (a forged line break or a right-to-left mark could make a listing say something else).
Questions may quote values, so only their digest is kept.
"""

from __future__ import annotations

import hashlib
import unicodedata

from privet.errors import BadBooking

LONGEST = {"why": 500, "purpose": 100, "analyst": 100, "data": 200, "doing": 200}
# Control, format (also bidirectional marks), surrogate, private use, unassigned, line and paragraph separators.
_REFUSED = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def text(value: object, name: str) -> str:
    """`value` in one normal form; refuses what is empty, too long or not printable."""
    if not isinstance(value, str) or not value.strip():
        raise BadBooking(f"{name} must be a text that says something.", f'Write {name}="weekly bed plan".')
    normal = unicodedata.normalize("NFC", value.strip())
    if len(normal) > LONGEST[name]:
        raise BadBooking(
            f"{name} is longer than {LONGEST[name]} characters.",
            "Shorten it: a ledger holds no data and no documents.",
        )
    if any(unicodedata.category(character) in _REFUSED for character in normal):
        raise BadBooking(f"{name} holds control characters.", "Write it as one plain line.")
    return normal


def optional(value: object, name: str) -> str | None:
    """Like `text`, for what may be left out."""
    return None if value is None else text(value, name)


def digest(question: object) -> str:
    """The key of a question: its text is not kept, since a question may quote values."""
    if not isinstance(question, str) or not question:
        raise BadBooking("question must be a text.", "Give the canonical text of the query and data version.")
    return hashlib.sha256(question.encode("utf-8", "surrogatepass")).hexdigest()
