"""Why a hash without a key is no pseudonym: whoever can list the possible values can hash them all.

There are a thousand million social security numbers: a laptop hashes them in minutes. E-mail addresses leak in lists of
thousands of millions. So an unkeyed hash is refused for anything that can be guessed, and that is nearly everything;
what remains are long texts, such as documents or random identifiers.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from privet.engine import ColumnKind
from privet.errors import GuessableHash

_SHAPES = (
    ("e-mail addresses", re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+"), "lists of them are for sale"),
    (
        "dates",
        re.compile(r"\d{4}-\d{2}-\d{2}.*|\d{1,2}[./]\d{1,2}[./]\d{2,4}"),
        "there are fewer than 50,000",
    ),
    (
        "phone or national numbers",
        re.compile(r"\+?[\d\s()./-]{4,24}|[A-Z]{1,3}[\d\s.-]{5,20}[A-Z\d]?"),
        "there are so few that all can be hashed in minutes",
    ),
)
_NAMED = re.compile(r"e?-?mail|phone|mobile|tel|ssn|social|national|passport|tax|iban|birth|born|name", re.I)
_SHORT = 32


def unkeyed(values: Sequence[str], kind: ColumnKind, column: str) -> list[str]:
    """The SHA-256 of each value; refused, with the reason, if the values can be guessed."""
    reason = guessable(values, kind, column)
    if reason:
        raise GuessableHash(
            f"a hash without a key hides nothing in column {column!r}: {reason}.",
            "Use a keyed pseudonym: --method hmac with a key from privet keys create.",
        )
    return [hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest() for value in values]


def guessable(values: Sequence[str], kind: ColumnKind, column: str) -> str:
    """Why the values of a column could be guessed, or an empty text. Values are judged, never repeated."""
    if kind is not ColumnKind.TEXT:
        return f"it holds {kind.value} values, and anybody can hash all of those"
    for what, shape, why in _SHAPES:
        if any(shape.fullmatch(value.strip()) for value in values):
            return f"it holds {what}, and {why}"
    if _NAMED.search(column):
        return "by its name it holds what names a person, and such values are known elsewhere"
    short = sum(len(value) < _SHORT for value in values)
    if short:
        return f"{short} of its distinct values have fewer than {_SHORT} characters, which can be guessed"
    return ""
