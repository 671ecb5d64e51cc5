"""The public keys of a data set, oldest first: from when until when each signs, and how one handed over to the next.

A rotation is signed by the key that goes, so whoever trusts an old key can follow to the new one; and the whole list is
signed by the current key, so whoever trusts that one knows which keys came before it and when they ended.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import cache
from typing import Any, ClassVar

from pydantic import ConfigDict, TypeAdapter, ValidationError

from privet.errors import EvidenceBroken
from privet.evidence._canonical_form import canonical
from privet.evidence._ed25519 import is_valid

SCHEMA, KEYS_KIND = 1, "signing-keys"
_KEY = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class KnownKey:
    """One public key. `handed_over` is the signature of the key before it; the first has none."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    public: str
    since: str
    until: str | None = None
    handed_over: str | None = None

    def signs_at(self, at: str) -> bool:
        """Whether it was the data set's key at that time."""
        moment = datetime.fromisoformat(at)
        ended = self.until is not None and moment > datetime.fromisoformat(self.until)
        return not ended


@dataclass(frozen=True)
class KeyHistory:
    """All keys of a data set, oldest first; the last is the current one."""

    keys: tuple[KnownKey, ...]
    vouched: str = ""  # the current key's signature of the whole list

    @classmethod
    def first(cls, signer: Any, since: str) -> KeyHistory:
        """The history of a key that is new."""
        return cls((KnownKey(signer.public, since),)).vouched_by(signer)

    def vouched_by(self, signer: Any) -> KeyHistory:
        """The same list, signed by the current key."""
        return replace(self, vouched=signer.sign(self._message()).hex())

    def rotated(self, old: Any, new: Any, at: str) -> KeyHistory:
        """With a new current key: the old one ends now, and signs that it hands over."""
        if old.public != self.current.public:
            raise EvidenceBroken("the key that is to go is not the current one.", "Use the current key.")
        ended = replace(self.current, until=at)
        given = old.sign(_handing_over(ended.public, new.public, at)).hex()
        joined = KeyHistory((*self.keys[:-1], ended, KnownKey(new.public, at, None, given)))
        return joined.vouched_by(new)

    @property
    def current(self) -> KnownKey:
        """The key that signs now."""
        return self.keys[-1]

    def find(self, public: str) -> KnownKey | None:
        """The key, if it is one of them."""
        return next((key for key in self.keys if key.public == public), None)

    def to_json(self) -> dict[str, Any]:
        """A stable record; nothing in it is secret."""
        return {
            "schema": SCHEMA,
            "artifact": KEYS_KIND,
            "keys": [asdict(key) for key in self.keys],
            "vouched": self.vouched,
        }

    @classmethod
    def from_json(cls, record: Any) -> KeyHistory:
        """The history a record describes; refused where a hand-over or the list's own signature does not hold."""
        broken = EvidenceBroken(
            "the list of public keys is not as its keys signed it.", "Ask the owner of the data for it again."
        )
        if (
            not isinstance(record, dict)
            or record.get("artifact") != KEYS_KIND
            or record.get("schema") != SCHEMA
        ):
            raise EvidenceBroken("this is no list of public keys.", "`privet keys public` writes one.")
        try:
            keys = _known_keys().validate_python(tuple(record["keys"]))
            found = cls(keys, str(record["vouched"]))
            moments = [datetime.fromisoformat(at) for key in keys for at in (key.since, key.until) if at]
            # Read as written: a number that was taken for another would be signed by nobody.
            same = canonical(found.to_json()) == canonical(record)
            valid = bool(keys) and same and found._holds() and moments == sorted(moments)
        except (ValidationError, KeyError, TypeError, ValueError):
            raise broken from None
        if not valid:
            raise broken
        return found

    def _holds(self) -> bool:
        if not all(_KEY.fullmatch(key.public) for key in self.keys):
            return False
        if len({key.public for key in self.keys}) < len(self.keys) or self.keys[0].handed_over is not None:
            return False
        for old, new in zip(self.keys, self.keys[1:], strict=False):
            given = bytes.fromhex(new.handed_over or "")
            if old.until is None or new.since != old.until:
                return False
            if not is_valid(old.public, given, _handing_over(old.public, new.public, new.since)):
                return False
        if self.current.until is not None:
            return False
        return is_valid(self.current.public, bytes.fromhex(self.vouched), self._message())

    def _message(self) -> bytes:
        return b"privet signing keys 1\n" + canonical([asdict(key) for key in self.keys])


@cache
def _known_keys() -> TypeAdapter[tuple[KnownKey, ...]]:
    return TypeAdapter(tuple[KnownKey, ...])


def _handing_over(old: str, new: str, at: str) -> bytes:
    return b"privet key rotation 1\n" + canonical({"from": old, "to": new, "at": at})
