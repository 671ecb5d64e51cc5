"""How far what a file says is to be believed: signed by a key of the data set, or merely claimed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from privet.errors import EvidenceBroken
from privet.evidence._key_history import KeyHistory
from privet.evidence._signature import FIELD, Signature, domain_of, short
from privet.evidence._trusted_keys import trusted_keys


@dataclass(frozen=True, slots=True)
class Standing:
    """What became of the signature of a file that was read. Where it is broken, nothing is read at all."""

    signed_by: str = ""  # the public key, where it is one that is trusted here
    stranger: str = ""  # the public key, where nobody here vouches for it
    at: str = ""

    @property
    def believed(self) -> bool:
        """Whether the promise is the data set's word."""
        return bool(self.signed_by)

    @property
    def word(self) -> str:
        """`signed` or `claimed`."""
        return "signed" if self.believed else "claimed"

    def sentence(self) -> str:
        """For people, beside every promise that was read from a file."""
        if self.believed:
            return f"Signed by {short(self.signed_by)}, {self.at[:10]}."
        if self.stranger:
            return f"Claimed: it is signed by {short(self.stranger)}, a key that nobody here vouches for."
        return "Claimed: it carries no signature, so anybody may have written what it promises."

    def to_json(self) -> dict[str, Any]:
        """A stable record."""
        return {
            "standing": self.word,
            "key": self.signed_by or self.stranger or None,
            "at": self.at or None,
            "sentence": self.sentence(),
        }


CLAIMED = Standing()


def standing_of(record: Mapping[str, Any], keys: KeyHistory | None = None) -> Standing:
    """The standing of a record that was read, by keys that were given or that are trusted here; a broken one is refused."""
    if FIELD not in record:
        return CLAIMED
    found = Signature.from_json(record[FIELD])
    if not found.covers(record, domain_of(record)):
        raise EvidenceBroken(
            "the signature is not one of this record: it was changed after it was signed, or taken from another.",
            "Use the file as it was signed; `privet verify` says what fails.",
        )
    known = keys if keys is not None else trusted_keys()
    key = None if known is None else known.find(found.key)
    if key is None:
        return Standing(stranger=found.key, at=found.at)
    if not key.signs_at(found.at):
        raise EvidenceBroken(
            f"key {short(found.key)} signed this after it had been retired.",
            "Somebody kept using a key that was rotated out: ask the owner of the data.",
        )
    return Standing(signed_by=found.key, at=found.at)
