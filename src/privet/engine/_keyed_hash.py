"""In which order a person's groups are kept: a keyed hash of person and group, equal on every engine.

When a person has more groups than allowed, the first ones in hashed order are kept. The hash must depend on
that person and those keys alone. A rank or a dictionary code would depend on who else is in the table, so
removing one person could change which groups *another* person keeps, and the sensitivity would be lost.

Whole numbers are mixed modulo the prime 2^31 - 1 in 64-bit integers: every product stays below 2^63, so no
engine overflows. Text goes through MD5 (as a mixer, not as a secret). Two rounds of "xor the upper bits into
the lower, multiply" follow the combination of person and group; with one round, keys that are powers of two
are visibly not treated alike. The constants are drawn from the bounding key by SHA-256.

Two keys of one person may collide; the keys themselves then decide, which is still nobody else's business.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from privet.engine._dialects import canonical, digest_word, floor, keep_if, real, whole
from privet.engine._relation import ColumnKind, kind_of

PRIME = 2**31 - 1
SHIFTS = (15, 13)
# What a missing key counts as; any number of the right size.
MISSING_WORD = 1_779_033_703


def constant(bounding_key: str, label: str) -> int:
    """A multiplier between 2^28 and 2^30 that only the bounding key and the label determine."""
    digest = hashlib.sha256(f"{bounding_key}|{label}".encode()).digest()
    return int(2**28 + int.from_bytes(digest[:8], "big") % (2**30 - 2**28))


def word(value: Any, engine: str, bounding_key: str) -> Any:
    """A value as a whole number in [0, 2^32), the same on every engine; missing values have one too."""
    return _present_word(value, engine, bounding_key).fill_null(whole(MISSING_WORD))


def _present_word(value: Any, engine: str, bounding_key: str) -> Any:
    import ibis

    dtype = value.type()
    kind = kind_of(dtype)
    if kind is ColumnKind.INTEGER:
        return _whole_word(value)
    if kind is ColumnKind.BOOLEAN:
        return ibis.cases((value, whole(1)), (~value, whole(0)), else_=ibis.null("int64"))
    if kind is ColumnKind.REAL:
        return _real_word(value, engine)
    if kind is ColumnKind.TEXT:
        return digest_word(ibis.literal(f"{bounding_key}|") + value.cast("string"), engine)
    # Dates outside the years 1 to 9999 have no year on some engines.
    return _time_word(canonical(value, engine), kind)


def _whole_word(value: Any) -> Any:
    dtype = value.type()
    if dtype.is_uint64():
        return (value % PRIME).cast("uint32").cast("int64")
    if dtype.nbytes < 8:
        return value.cast("int64") + whole(0 if dtype.is_unsigned_integer() else 2**31)
    return value % whole(PRIME) + whole(PRIME)


def _real_word(value: Any, engine: str) -> Any:
    """From the whole part (up to 2^52) and 31 binary places. What this does not tell apart is a collision."""
    import ibis

    number = canonical(value, engine)
    inside = keep_if(number.notnull(), ibis.greatest(ibis.least(number, real(2**52)), real(-(2**52))))
    below = floor(inside)
    places = floor((inside - below) * real(2**31)).cast("int64")
    return (below.cast("int64") % PRIME + PRIME + places * 65_537) % PRIME


def _time_word(value: Any, kind: ColumnKind) -> Any:
    """Date and time of day to the second, as digits."""
    day = (value.year().cast("int64") * 100 + value.month().cast("int64")) * 100 + value.day().cast("int64")
    if kind is ColumnKind.DATE:
        return day
    clock = (value.hour().cast("int64") * 60 + value.minute().cast("int64")) * 60
    return (day * 86_400 + clock + value.second().cast("int64")) % PRIME


def combined(words: Sequence[Any], bounding_key: str) -> Any:
    """The words of the key columns as one number in [0, 2^31 - 1): a polynomial in them."""
    total: Any = None
    for at, each in enumerate(words):
        # Below 2^32 * 2^30 + 2^30 + 2^31 * 2^30 < 2^63.
        term = each * whole(constant(bounding_key, f"key {at}")) + whole(constant(bounding_key, f"add {at}"))
        total = term if total is None else total * whole(constant(bounding_key, "power")) + term
        # After each term: unreduced, the next product would not fit 64 bits.
        total = total % whole(PRIME)
    return total


def person_word(word_: Any, bounding_key: str) -> Any:
    """The person's word, spread over [0, 2^31 - 1)."""
    return (
        word_ * whole(constant(bounding_key, "person")) + whole(constant(bounding_key, "person add"))
    ) % whole(PRIME)


def round_of(mixed: Any, at: int, bounding_key: str) -> Any:
    """One round: the upper bits into the lower ones, then a product."""
    turned = mixed ^ (mixed >> SHIFTS[at])
    return (turned * whole(constant(bounding_key, f"round {at}"))) % whole(PRIME)
