"""Keys for pseudonyms: a ring of them, of which the first makes new pseudonyms and the others still open old ones.

A key never prints, is never pickled and has no JSON form. Each use has its own subkey, derived by HKDF (RFC 5869)
from the key, the purpose, the data set and the domain: pseudonyms of one column say nothing about those of another,
and columns that share a domain (the patient's number in two tables) get the same ones.
"""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass
from typing import NoReturn

from privet.errors import BadKeyRing, BadTransform, checked_class
from privet.mechanism import fresh_bytes

SECRET_BYTES = 32
_ID = re.compile(r"[a-z][a-z0-9]{0,15}")
_RESERVED = ("v", "s")  # they begin the tokens of a vault


@dataclass(frozen=True, eq=False, repr=False)
class Key:
    """One key: an id that stands in pseudonyms, a secret that stands nowhere, and the day it was made."""

    id: str
    secret: bytes
    created: str = ""

    def __post_init__(self) -> None:
        if not _ID.fullmatch(self.id) or self.id in _RESERVED:
            raise BadKeyRing(
                "a key's id is not a short word.",
                "Use small letters and digits, as in k1; v and s are taken.",
            )
        if len(self.secret) < SECRET_BYTES or len(set(self.secret)) < 8:
            raise BadKeyRing(
                f"the secret of key {self.id} is too short or not random.",
                f"A secret has at least {SECRET_BYTES} random bytes: openssl rand -base64 32.",
            )

    def __repr__(self) -> str:
        return f"<key {self.id}>"

    def __reduce__(self) -> NoReturn:
        raise BadKeyRing(
            "keys are not written down.", "Keep them in a key file, a key ring or the environment."
        )


@checked_class
@dataclass(frozen=True, eq=False, repr=False)
class KeyRing:
    """Keys, the current one first."""

    keys: tuple[Key, ...]

    def __post_init__(self) -> None:
        ids = [key.id for key in self.keys]
        if not ids:
            raise BadKeyRing("there is no key on the ring.", "Make one: privet keys create.")
        if len(set(ids)) < len(ids):
            raise BadKeyRing("two keys have the same id.", "Give each key an id of its own.")

    def __repr__(self) -> str:
        return f"<key ring: {', '.join(self.ids)}>"

    @classmethod
    def fresh(cls) -> KeyRing:
        """A ring with one new key, k1."""
        return cls((_new("k1"),))

    @property
    def current(self) -> Key:
        """The key that makes new pseudonyms."""
        return self.keys[0]

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of all keys, the current one first."""
        return tuple(key.id for key in self.keys)

    def find(self, name: str) -> Key | None:
        """The key of an id, if it is on the ring."""
        return next((key for key in self.keys if key.id == name), None)

    def rotated(self) -> KeyRing:
        """The ring with a new current key; the old ones stay, so that what they made can still be opened."""
        numbers = [int(key.id[1:]) for key in self.keys if re.fullmatch(r"k[0-9]+", key.id)]
        return KeyRing((_new(f"k{max(numbers, default=0) + 1}"), *self.keys))

    def without(self, name: str) -> KeyRing:
        """The ring without a retired key: whatever only that key opens is lost for good."""
        if self.find(name) is None or name == self.current.id:
            raise BadKeyRing(
                f"key {name} is not a retired key of this ring.",
                f"Retired are: {', '.join(self.ids[1:]) or 'none'}.",
            )
        return KeyRing(tuple(key for key in self.keys if key.id != name))


@dataclass(frozen=True, slots=True)
class KeyScope:
    """Where pseudonyms are the same: in one data set (a project), for one domain (persons, e-mail addresses, …)."""

    dataset: str
    domain: str

    def __post_init__(self) -> None:
        if not (self.dataset.strip() and self.domain.strip()):
            raise BadTransform(
                "pseudonyms belong to a data set and a domain, and one of these has no name.",
                'Write dataset="hospital"; the domain is the column\'s name if left out.',
            )

    def encoded(self) -> bytes:
        """The scope as bytes that no other scope has: each part with its length before it."""
        parts = (self.dataset.encode(), self.domain.encode())
        return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


def subkey(key: Key, purpose: str, scope: KeyScope, length: int = 32) -> bytes:
    """The key for one purpose in one scope (HKDF with SHA-256, RFC 5869)."""
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    info = b"privet pseudonyms 1 " + purpose.encode() + b"\0" + scope.encoded()
    return HKDF(algorithm=SHA256(), length=length, salt=None, info=info).derive(key.secret)


def _new(name: str) -> Key:
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    return Key(name, fresh_bytes(SECRET_BYTES), today)
