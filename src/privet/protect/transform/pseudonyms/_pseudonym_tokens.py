"""One-way and reversible pseudonyms of values, made by a key alone.

A token is the key's id, a dot and letters: `k1.mfrggzdfmztwq2lk…`. One-way tokens are the first 128 bits of an
HMAC-SHA256; reversible ones are AES-SIV (RFC 5297) of the padded value, with the scope as associated data, so that a
token of another column or data set does not open. Equal values have equal tokens: that is what makes joins work, and
what shows who occurs often.

Whoever has the key can try values against one-way tokens; nobody else can. Such tokens cannot be erased for one
person while the key lives: see `privet.protect.transform.pseudonyms._vault` for that.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import unicodedata
from collections.abc import Sequence
from typing import Any

from privet.errors import BadPseudonym
from privet.protect.transform.pseudonyms._key_ring import Key, KeyRing, KeyScope, subkey

TOKEN_BYTES = 16
_BLOCK = 16


def worded(value: Any, *, fold: bool = False) -> str:
    """A value as the text that is pseudonymised: 4711 and "4711" are the same; `fold` also unites letter case."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return unicodedata.normalize("NFKC", text).strip().casefold() if fold else text


def one_way(values: Sequence[str], key: Key, scope: KeyScope) -> list[str]:
    """One token for each value, that only the key's owner can test guesses against."""
    secret = subkey(key, "one-way", scope)
    return [f"{key.id}.{lettered(digest(secret, value))}" for value in values]


def sealed(values: Sequence[str], key: Key, scope: KeyScope) -> list[str]:
    """One token for each value, that the key's owner can open."""
    from cryptography.hazmat.primitives.ciphers.aead import AESSIV

    cipher = AESSIV(subkey(key, "reversible", scope, 64))
    bound = [scope.encoded()]
    return [f"{key.id}.{lettered(cipher.encrypt(padded(value), bound))}" for value in values]


def opened(tokens: Sequence[str], keys: KeyRing, scope: KeyScope) -> list[str]:
    """The values behind reversible tokens; refuses, with a count, what these keys did not make in this scope."""
    from cryptography.hazmat.primitives.ciphers.aead import AESSIV

    ciphers = {key.id: AESSIV(subkey(key, "reversible", scope, 64)) for key in keys.keys}
    bound = [scope.encoded()]
    found = [_opened(token, ciphers, bound) for token in tokens]
    failed = sum(value is None for value in found)
    if failed:
        raise BadPseudonym(
            f"{failed} of {len(tokens)} distinct values are no pseudonyms of these keys, this data set and this domain.",
            f"Check --dataset and --domain; the keys here are {', '.join(keys.ids)}.",
            values=failed,
        )
    return [value for value in found if value is not None]


def digest(secret: bytes, value: str) -> bytes:
    """The first 128 bits of a value's HMAC-SHA256."""
    return hmac.digest(secret, value.encode("utf-8", "surrogatepass"), "sha256")[:TOKEN_BYTES]


def lettered(content: bytes) -> str:
    """Bytes as small letters and digits, safe in file names and where letter case gets lost."""
    return base64.b32encode(content).decode().rstrip("=").lower()


def unlettered(text: str) -> bytes | None:
    """The bytes, or None if the text is not of that form."""
    try:
        return base64.b32decode(text.upper() + "=" * (-len(text) % 8))
    except (binascii.Error, ValueError):
        return None


def padded(value: str) -> bytes:
    """The value's bytes, filled up to whole blocks, so that a token does not show the exact length."""
    content = value.encode("utf-8", "surrogatepass") + b"\x80"
    return content + bytes(-len(content) % _BLOCK)


def unpadded(content: bytes) -> str:
    """What `padded` was given."""
    return content.rstrip(b"\0")[:-1].decode("utf-8", "surrogatepass")


def _opened(token: str, ciphers: dict[str, Any], bound: list[bytes]) -> str | None:
    from cryptography.exceptions import InvalidTag

    name, _, letters = token.partition(".")
    content = unlettered(letters)
    if name not in ciphers or content is None or len(content) <= _BLOCK:
        return None
    try:
        return unpadded(ciphers[name].decrypt(content, bound))
    except InvalidTag:
        return None
