"""Messages of a secure sum as bytes: a header, a body, and the sender's Ed25519 signature over both.

The header binds the cohort's digest, the round, the stage and the sender, so that no message is of use in another run, round or
stage, or as somebody else's. Nothing here is parsed beyond fixed places, and lengths are checked before anything is read.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise
from typing import TYPE_CHECKING

from privet.errors import MessageRefused
from privet.evidence import is_valid

if TYPE_CHECKING:
    from privet.evidence import SeedSigner
    from privet.sharing._cohort import Cohort

_MAGIC = b"PVS1"
_HEADER = struct.Struct("<4sBHQ32s")
_SIGNATURE = 64
FRAME_BYTES = _HEADER.size + _SIGNATURE
COORDINATOR = 0xFFFF


class Stage(IntEnum):
    """What is said when; the coordinator's request of a stage is answered by the sites' message of the same stage."""

    ADVERTISE = 0
    SHARE = 1
    MASK = 2
    CONFIRM = 3
    REVEAL = 4
    OPENED = 5


@dataclass(frozen=True)
class Message:
    """A message whose signature is right."""

    sender: int
    stage: Stage
    body: bytes


@dataclass(frozen=True)
class Frame:
    """What all messages of one round have in common."""

    cohort: Cohort
    number: int

    def signed(self, stage: Stage, sender: int, body: bytes, signer: SeedSigner) -> bytes:
        """A whole message."""
        content = _HEADER.pack(_MAGIC, stage, sender, self.number, self.cohort.digest) + body
        return content + signer.sign(content)

    def opened(self, message: bytes, stage: Stage, sender: int | None = None) -> Message:
        """The message, if it is of this cohort, round and stage, and signed by the pinned key of its sender."""
        if len(message) < FRAME_BYTES:
            raise MessageRefused("a message is too short to be one.")
        content, signature = message[:-_SIGNATURE], message[-_SIGNATURE:]
        magic, found_stage, found_sender, number, digest = _HEADER.unpack_from(content)
        if magic != _MAGIC or digest != self.cohort.digest:
            raise MessageRefused(
                "a message belongs to another cohort.",
                "Check that everybody holds the same study and the same keys.",
            )
        if number != self.number or found_stage != stage:
            raise MessageRefused(
                f"a message of round {number} and stage {found_stage} came in round {self.number} and stage {int(stage)}.",
                "Late and repeated messages are left aside.",
            )
        if sender is not None and found_sender != sender:
            raise MessageRefused("a message names another sender than it should have.")
        if not is_valid(self._key(found_sender), signature, content):
            raise MessageRefused(f"a message is not signed with the pinned key of {_named(found_sender)}.")
        return Message(found_sender, stage, content[_HEADER.size :])

    def _key(self, sender: int) -> str:
        if sender == COORDINATOR:
            return self.cohort.coordinator
        if sender >= len(self.cohort.sites):
            raise MessageRefused("a message comes from a site that the cohort does not have.")
        return self.cohort.sites[sender]


def _named(sender: int) -> str:
    return "the coordinator" if sender == COORDINATOR else f"site {sender}"


def packed_list(sites: Iterable[int]) -> bytes:
    """A list of sites, in order."""
    ordered = sorted(sites)
    return struct.pack(f"<H{len(ordered)}H", len(ordered), *ordered)


def unpacked_list(body: bytes) -> tuple[tuple[int, ...], bytes]:
    """A list of sites and what follows it. Lists out of order or with a repetition are refused: there is one way to write each."""
    if len(body) < 2 or len(body) < 2 + 2 * (count := struct.unpack_from("<H", body)[0]):
        raise MessageRefused("a list of sites is cut off.")
    sites = struct.unpack_from(f"<{count}H", body, 2)
    if any(left >= right for left, right in pairwise(sites)):
        raise MessageRefused("a list of sites is out of order, or names one twice.")
    return sites, body[2 + 2 * count :]


def pieces(body: bytes, size: int, count: int) -> list[bytes]:
    """A body as so many pieces of one size, which it must be exactly."""
    if len(body) != size * count:
        raise MessageRefused("a message is shorter or longer than what it says it holds.")
    return [body[start : start + size] for start in range(0, len(body), size)]
