"""The coordinator's side of one round of a secure sum.

It takes messages in any order within a stage, leaves aside what does not fit (naming the site), and closes a stage when
its caller says so: then whoever has not answered is lost for this round. It holds one running total, not the summands.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.errors import BadCohort, MessageRefused, RoundFailed
from privet.evidence import SeedSigner
from privet.sharing._cohort import Cohort
from privet.sharing._contribution import words_of
from privet.sharing._pairwise_keys import KEY_BYTES, add_mask, agreed, derived, public_key
from privet.sharing._protocol_messages import (
    COORDINATOR,
    Frame,
    Stage,
    packed_list,
    pieces,
    unpacked_list,
)
from privet.sharing._shamir import SHARE_BYTES, joined
from privet.sharing._site_session import BOX_BYTES


@dataclass(frozen=True)
class OpenedSum:
    """The sum over the survivors, as residues, and who they are."""

    words: NDArray[Any]
    survivors: tuple[int, ...]


class CoordinatorSession:
    """One round. `accept` every message of a stage, then `proceed` to the next; after the last, `opened` is the sum.

    Assumes:
        Nothing for the sites' privacy, which their own sessions guard. That the sum is right assumes that sites follow the protocol; wrong
        shares are noticed, and then nothing is opened.
    """

    def __init__(self, cohort: Cohort, number: int, signer: SeedSigner) -> None:
        if signer.public != cohort.coordinator:
            raise BadCohort(
                "this key is not the coordinator's.", "Sign with the key that the sites have pinned."
            )
        self.cohort, self.number, self.stage = cohort, number, Stage.ADVERTISE
        self.opened: OpenedSum | None = None
        self._frame, self._signer = Frame(cohort, number), signer
        self._came: dict[int, bytes] = {}
        self._keys: dict[int, tuple[bytes, bytes]] = {}
        self._commitments: dict[int, bytes] = {}
        self._boxes: dict[int, dict[int, bytes]] = {}
        self._sharing: tuple[int, ...] = ()
        self._survivors: tuple[int, ...] = ()
        self._total: NDArray[Any] = np.zeros(cohort.length, words_of(cohort.width))

    @property
    def answered(self) -> tuple[int, ...]:
        """The sites whose messages of this stage have come."""
        return tuple(sorted(self._came))

    def accept(self, message: bytes) -> int:
        """Take a message in, and say whose it is.

        Raises:
            MessageRefused: it does not fit this stage; the round goes on without it.
        """
        opened = self._frame.opened(message, self.stage)
        sender = opened.sender
        if sender == COORDINATOR:
            raise MessageRefused("a message to the coordinator says that it is from the coordinator.")
        if sender in self._came:
            raise MessageRefused(f"site {sender} has answered already.", "Repeated messages are left aside.")
        taken: dict[Stage, Callable[[int, bytes], None]] = {
            Stage.ADVERTISE: self._take_keys,
            Stage.SHARE: self._take_boxes,
            Stage.MASK: self._take_words,
            Stage.CONFIRM: self._take_confirmation,
            Stage.REVEAL: self._take_shares,
        }
        if self.stage not in taken:
            raise MessageRefused("the round is over.")
        taken[self.stage](sender, opened.body)
        self._came[sender] = b"" if self.stage is Stage.MASK else message
        return sender

    def proceed(self) -> dict[int, bytes]:
        """Close the stage: what to send to each site that is still in the round; nothing once the sum is opened.

        Raises:
            RoundFailed: fewer sites than the threshold have answered, or what they revealed does not fit.
        """
        came = self.answered
        if len(came) < self.cohort.threshold:
            self._fail(
                f"{len(came)} of {len(self.cohort.sites)} sites have answered in stage {self.stage.name.lower()}, and the "
                f"threshold is {self.cohort.threshold}."
            )
        leave: dict[Stage, Callable[[tuple[int, ...]], dict[int, bytes]]] = {
            Stage.ADVERTISE: lambda sites: dict.fromkeys(sites, b"".join(self._came[site] for site in sites)),
            Stage.SHARE: self._forward_boxes,
            Stage.MASK: self._name_survivors,
            Stage.CONFIRM: lambda sites: dict.fromkeys(sites, b"".join(self._came[site] for site in sites)),
            Stage.REVEAL: self._open,
        }
        bodies = leave[self.stage](came)
        self.stage, self._came = Stage(self.stage + 1), {}
        return {
            site: self._frame.signed(self.stage, COORDINATOR, body, self._signer)
            for site, body in bodies.items()
        }

    # --- taking messages in ---

    def _take_keys(self, sender: int, body: bytes) -> None:
        first, second = pieces(body, KEY_BYTES, 2)
        self._keys[sender] = (first, second)

    def _take_boxes(self, sender: int, body: bytes) -> None:
        holders, rest = unpacked_list(body)
        if sender not in self._keys or holders != tuple(sorted(self._keys)):
            raise MessageRefused(f"site {sender} shares with another list of sites than it was sent.")
        others = [holder for holder in holders if holder != sender]
        boxes = pieces(rest[KEY_BYTES:], BOX_BYTES, len(others))
        self._commitments[sender] = rest[:KEY_BYTES]
        self._boxes[sender] = dict(zip(others, boxes, strict=True))

    def _take_words(self, sender: int, body: bytes) -> None:
        if sender not in self._sharing:
            raise MessageRefused(f"site {sender} adds to a sum for which it shared nothing.")
        (words,) = pieces(body, self.cohort.length * self.cohort.width // 8, 1)
        self._total += np.frombuffer(words, self._total.dtype)

    def _take_confirmation(self, sender: int, body: bytes) -> None:
        if sender not in self._survivors or body != packed_list(self._survivors):
            raise MessageRefused(f"site {sender} confirms another list of survivors than it was sent.")

    def _take_shares(self, sender: int, body: bytes) -> None:
        sites, rest = unpacked_list(body)
        if sender not in self._survivors or sites != self._sharing:
            raise MessageRefused(f"site {sender} reveals shares of other sites than were asked for.")
        pieces(rest, SHARE_BYTES, len(sites))

    # --- closing a stage ---

    def _forward_boxes(self, sites: tuple[int, ...]) -> dict[int, bytes]:
        self._sharing = sites
        head = packed_list(sites)
        return {
            site: head + b"".join(self._boxes[other][site] for other in sites if other != site)
            for site in sites
        }

    def _name_survivors(self, sites: tuple[int, ...]) -> dict[int, bytes]:
        self._survivors = sites
        return dict.fromkeys(sites, packed_list(sites))

    def _open(self, sites: tuple[int, ...]) -> dict[int, bytes]:
        """Take off the survivors' own masks, and the masks they share with those that were lost."""
        revealed = {
            site: pieces(
                unpacked_list(self._frame.opened(self._came[site], Stage.REVEAL).body)[1],
                SHARE_BYTES,
                len(self._sharing),
            )
            for site in sites
        }
        total = self._total
        for place, other in enumerate(self._sharing):
            secret = joined({site: shares[place] for site, shares in revealed.items()}, self.cohort.threshold)
            if other in self._survivors:
                self._check(hashlib.sha256(secret).digest(), self._commitments[other], other)
                add_mask(total, self._key_for(secret, b"self", other), -1)
                continue
            self._check(public_key(secret), self._keys[other][0], other)
            for survivor in self._survivors:
                first, second = sorted((survivor, other))
                common = self._key_for(agreed(secret, self._keys[survivor][0]), b"pair", first, second)
                add_mask(total, common, -1 if survivor == first else 1)
        total.setflags(write=False)
        self.opened = OpenedSum(total, self._survivors)
        return {}

    def _check(self, found: bytes, announced: bytes, site: int) -> None:
        if found != announced:
            self._fail(f"the shares of a secret of site {site} do not fit what it had announced.")

    def _fail(self, fact: str) -> None:
        self.stage, self._came = Stage.OPENED, {}
        raise RoundFailed(fact, "The sum was not opened. Start another round when enough sites are there.")

    def _key_for(self, secret: bytes, purpose: bytes, *places: int) -> bytes:
        return derived(secret, self.cohort, self.number, purpose, *places)
