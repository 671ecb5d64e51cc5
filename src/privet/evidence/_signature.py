"""A signature that stands in the record it is about: who signed when, what the record follows from, and the value.

What is signed is a text that begins with the version and the kind of the record, so that a signature on one kind is none
on another, followed by the canonical form of the whole record and of everything in the signature but its value.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from typing import Any, ClassVar, Protocol

from pydantic import ConfigDict, TypeAdapter, ValidationError

from privet.errors import EvidenceBroken
from privet.evidence._canonical_form import canonical
from privet.evidence._ed25519 import is_valid
from privet.evidence._key_history import KeyHistory

FIELD = "signature"
SCHEMA, ALGORITHM = 1, "ed25519"
_KEY, _VALUE = re.compile(r"[0-9a-f]{64}"), re.compile(r"[0-9a-f]{128}")


class Signer(Protocol):
    """What signs: a key in memory, or a module or service that never lets its key out (HSM, KMS)."""

    @property
    def public(self) -> str:
        """The Ed25519 public key, as 64 hexadecimal digits."""

    def sign(self, message: bytes) -> bytes:
        """The 64 bytes of the signature."""


@dataclass(frozen=True)
class Signature:
    """One signature, without the record that it is on."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    domain: str
    key: str
    at: str  # UTC, ISO 8601, as the signer's clock had it
    follows: dict[str, str] = field(default_factory=dict)  # digests of what the record was made from
    value: str = ""
    schema: int = SCHEMA
    algorithm: str = ALGORITHM

    def to_json(self) -> dict[str, Any]:
        """A stable record."""
        return asdict(self)

    @classmethod
    def from_json(cls, record: Any) -> Signature:
        """The signature a record describes; anything that is none is broken."""
        try:
            found = _signatures().validate_python(record)
            moment = datetime.datetime.fromisoformat(found.at)
            same = canonical(found.to_json()) == canonical(record)  # no number was taken for another
        except (ValidationError, ValueError):
            same = False
        if not same:
            raise EvidenceBroken(
                "a signature is not written as signatures are.", "Ask for the file as it was signed."
            )
        known = found.schema == SCHEMA and found.algorithm == ALGORITHM and moment.tzinfo is not None
        if not (known and _KEY.fullmatch(found.key) and _VALUE.fullmatch(found.value)):
            raise EvidenceBroken(
                "a signature is of a kind that is not known here.", "Was it written by a newer version?"
            )
        return found

    def covers(self, record: Mapping[str, Any], domain: str) -> bool:
        """Whether it is its key's signature of this very record, as a record of this kind."""
        return self.domain == domain and is_valid(self.key, bytes.fromhex(self.value), self.message(record))

    def message(self, record: Mapping[str, Any]) -> bytes:
        """What is signed."""
        said = {name: value for name, value in asdict(self).items() if name != "value"}
        return f"privet signature {SCHEMA}\n{self.domain}\n".encode() + canonical(
            {"record": unsigned(record), FIELD: said}
        )


@cache
def _signatures() -> TypeAdapter[Signature]:
    return TypeAdapter(Signature)  # dear to make, and a journal has a signature on every line


@dataclass(frozen=True, eq=False)
class Signing:
    """A signer with the keys it is known by, and what everything that it signs now follows from."""

    signer: Signer
    keys: KeyHistory
    follows: dict[str, str] = field(default_factory=dict)

    def following(self, **digests: str) -> Signing:
        """The same, for what also follows from these."""
        return replace(self, follows={**self.follows, **digests})

    def signature(self, record: Mapping[str, Any], domain: str, *, at: str | None = None) -> Signature:
        """The signature of a record of this kind."""
        blank = Signature(domain, self.signer.public, at or now(), dict(self.follows))
        made = replace(blank, value=self.signer.sign(blank.message(record)).hex())
        # A module or service that signs something else would be found out by others first.
        if not made.covers(record, domain):
            raise EvidenceBroken(
                "the signer gave a signature that is not valid.", "Check what PRIVET_SIGNER names."
            )
        return made

    def signed(self, record: Mapping[str, Any], domain: str | None = None) -> dict[str, Any]:
        """The record with its signature in it."""
        bare = unsigned(record)
        return {**bare, FIELD: self.signature(bare, domain or domain_of(record)).to_json()}


def unsigned(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record without its signature."""
    return {name: value for name, value in record.items() if name != FIELD}


def domain_of(record: Mapping[str, Any]) -> str:
    """The kind that a record says it is of."""
    return f"privet/{record.get('artifact', '')}"


def now() -> str:
    """This moment."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="microseconds")


def short(key: str) -> str:
    """How people are shown a key: its first 16 digits."""
    return key[:16]
