"""A site's side of one round of a secure sum (Bonawitz et al. 2017, Figure 4, with the consistency check of the active model).

A request that is repeated byte by byte gets the same answer again. Any other request that does not fit ends the session: a
site that has seen the coordinator contradict itself answers nothing more in this round.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from privet.errors import BadCohort, MessageRefused, PrivetError
from privet.evidence import SeedSigner
from privet.sharing._cohort import Cohort
from privet.sharing._contribution import Contribution, masked_copy
from privet.sharing._pairwise_keys import (
    KEY_BYTES,
    TAG_BYTES,
    add_mask,
    agreed,
    boxed,
    derived,
    public_key,
    unboxed,
)
from privet.sharing._protocol_messages import (
    COORDINATOR,
    FRAME_BYTES,
    Frame,
    Stage,
    packed_list,
    pieces,
    unpacked_list,
)
from privet.sharing._shamir import SHARE_BYTES, split

BOX_BYTES = 2 * SHARE_BYTES + TAG_BYTES


class SiteSession:
    """One site in one round. Its methods are called in order: `advertise`, `share`, `mask`, `confirm`, `reveal`.

    Args:
        cohort: The terms, as this site holds them, and not as the coordinator says they are.
        number: Of the round. A number is used for one round and never again.
        signer: This site's identity.
        fresh: Gives so many secret bytes from the operating system; keys and shares are made of them.

    Guarantee:
        Of this site's summand, the coordinator and up to `cohort.colluders` other sites learn no more than the sum
        over at least `cohort.honest` honest sites tells, even where they deviate from the protocol (Bonawitz et al. 2017, Theorem 6.5).
    Assumes:
        The identities in the cohort were exchanged by a way the coordinator does not control; X25519, AES-256 and SHA-256
        are not broken; `fresh` gives uniform secret bytes. The right sum is not guaranteed: a site may add whatever it likes.
    """

    def __init__(
        self, cohort: Cohort, number: int, signer: SeedSigner, fresh: Callable[[int], bytes]
    ) -> None:
        if signer.public not in cohort.sites:
            raise BadCohort(
                "this site's key is none of the cohort's.", "Join with the key that was pinned for it."
            )
        self.cohort, self.number, self.site = cohort, number, cohort.sites.index(signer.public)
        self._frame, self._signer, self._fresh = Frame(cohort, number), signer, fresh
        self._stage: Stage | None = Stage.ADVERTISE
        self._answered: dict[bytes, bytes] = {}
        self._mask_key, self._box_key, self._self_seed = fresh(KEY_BYTES), fresh(KEY_BYTES), fresh(KEY_BYTES)
        self._advertised: dict[int, tuple[bytes, bytes]] = {}
        self._own_shares: tuple[bytes, bytes] = (b"", b"")
        self._boxes: dict[int, bytes] = {}
        self._masked: tuple[int, ...] = ()
        self._survivors: tuple[int, ...] = ()

    def advertise(self) -> bytes:
        """The first message: two public keys, signed."""
        if self._stage is not Stage.ADVERTISE:
            raise MessageRefused("this site has advertised its keys already.")
        self._stage = Stage.SHARE
        body = public_key(self._mask_key) + public_key(self._box_key)
        return self._signed(Stage.ADVERTISE, body)

    def share(self, request: bytes) -> bytes:
        """The others' keys come in; shares of both of this site's secrets go out, each in a box for one other site."""
        return self._step(Stage.SHARE, request, self._shares)

    def mask(self, request: bytes, contribute: Callable[[], Contribution]) -> bytes:
        """The others' boxes come in; the masked summand goes out.

        `contribute` is called once, and only after all that can be refused was refused: it books, noises and
        hands over what is added.
        """
        return self._step(Stage.MASK, request, lambda body: self._masked_words(body, contribute))

    def confirm(self, request: bytes) -> bytes:
        """The list of survivors comes in; this site's signature on it goes out."""
        return self._step(Stage.CONFIRM, request, self._confirmed)

    def reveal(self, request: bytes) -> bytes:
        """Enough signatures on that list come in; one share for each site goes out, of the one or the other secret and never of both."""
        return self._step(Stage.REVEAL, request, self._revealed)

    # --- what is done at each stage ---

    def _step(self, stage: Stage, request: bytes, answer: Callable[[bytes], bytes]) -> bytes:
        seen = hashlib.sha256(bytes([stage]) + request).digest()
        if seen in self._answered:
            return self._answered[seen]
        if self._stage is not stage:
            self._end()
            raise MessageRefused(
                "a request came out of turn, or contradicts one that was answered.",
                "This site leaves the round.",
            )
        # Whatever goes wrong on the way, this stage is not entered a second time.
        self._stage = None
        try:
            message = self._frame.opened(request, stage, COORDINATOR)
            reply = self._signed(stage, answer(message.body))
        except PrivetError:
            self._end()
            raise
        self._answered[seen] = reply
        self._stage = Stage(stage + 1)
        return reply

    def _signed(self, stage: Stage, body: bytes) -> bytes:
        return self._frame.signed(stage, self.site, body, self._signer)

    def _end(self) -> None:
        """Forget the secrets of the round."""
        self._stage, self._answered, self._boxes = None, {}, {}
        self._mask_key = self._box_key = self._self_seed = b""
        self._own_shares = (b"", b"")

    def _shares(self, body: bytes) -> bytes:
        size = FRAME_BYTES + 2 * KEY_BYTES
        for part in pieces(body, size, len(body) // size):
            message = self._frame.opened(part, Stage.ADVERTISE)
            if message.sender in self._advertised:
                raise MessageRefused(f"site {message.sender} is in the list of keys twice.")
            self._advertised[message.sender] = (message.body[:KEY_BYTES], message.body[KEY_BYTES:])
        own = (public_key(self._mask_key), public_key(self._box_key))
        if self._advertised.get(self.site) != own:
            raise MessageRefused("the list of keys lacks this site's, or has others in their place.")
        if len({key for pair in self._advertised.values() for key in pair}) < 2 * len(self._advertised):
            raise MessageRefused("two sites advertise the same key.")
        self._require_enough(len(self._advertised))
        holders, threshold = sorted(self._advertised), self.cohort.threshold
        of_seed = split(self._self_seed, holders, threshold, self._fresh)
        of_key = split(self._mask_key, holders, threshold, self._fresh)
        self._own_shares = (of_seed[self.site], of_key[self.site])
        boxes = [
            boxed(self._box_with(other, self.site, other), of_seed[other] + of_key[other])
            for other in holders
            if other != self.site
        ]
        return packed_list(holders) + hashlib.sha256(self._self_seed).digest() + b"".join(boxes)

    def _masked_words(self, body: bytes, contribute: Callable[[], Contribution]) -> bytes:
        sharing, rest = unpacked_list(body)
        others = [other for other in sharing if other != self.site]
        if not set(sharing) <= set(self._advertised) or self.site not in sharing:
            raise MessageRefused(
                "the list of sites that shared has one that never advertised, or lacks this one."
            )
        self._require_enough(len(sharing))
        self._boxes = dict(zip(others, pieces(rest, BOX_BYTES, len(others)), strict=True))
        for other in others:
            self._opened_box(other)
        self._masked = sharing
        summand = contribute()
        if len(summand) != self.cohort.length or summand.width != self.cohort.width:
            raise MessageRefused(
                "what this site would add has another length or width than the cohort's sum."
            )
        words = masked_copy(summand)
        add_mask(words, self._key_for(self._self_seed, b"self", self.site), 1)
        for other in others:
            first, second = sorted((self.site, other))
            common = agreed(self._mask_key, self._advertised[other][0])
            add_mask(words, self._key_for(common, b"pair", first, second), 1 if self.site == first else -1)
        return words.tobytes()

    def _confirmed(self, body: bytes) -> bytes:
        survivors, rest = unpacked_list(body)
        if rest or not set(survivors) <= set(self._masked) or self.site not in survivors:
            raise MessageRefused("the list of survivors has a site that shared nothing, or lacks this one.")
        self._require_enough(len(survivors))
        self._survivors = survivors
        return packed_list(survivors)

    def _revealed(self, body: bytes) -> bytes:
        own = packed_list(self._survivors)
        size = FRAME_BYTES + len(own)
        confirmed = set()
        for part in pieces(body, size, len(body) // size):
            message = self._frame.opened(part, Stage.CONFIRM)
            if message.body != own or message.sender not in self._survivors:
                raise MessageRefused(
                    "sites have confirmed different lists of survivors.",
                    "The coordinator contradicts itself.",
                )
            confirmed.add(message.sender)
        self._require_enough(len(confirmed))
        shares = []
        for other in self._masked:
            of_seed, of_key = self._own_shares if other == self.site else self._opened_box(other)
            shares.append(of_seed if other in self._survivors else of_key)
        return packed_list(self._masked) + b"".join(shares)

    def _opened_box(self, other: int) -> tuple[bytes, bytes]:
        content = unboxed(self._box_with(other, other, self.site), self._boxes[other])
        return content[:SHARE_BYTES], content[SHARE_BYTES:]

    def _box_with(self, other: int, sender: int, receiver: int) -> bytes:
        return self._key_for(agreed(self._box_key, self._advertised[other][1]), b"box", sender, receiver)

    def _key_for(self, secret: bytes, purpose: bytes, *places: int) -> bytes:
        return derived(secret, self.cohort, self.number, purpose, *places)

    def _require_enough(self, count: int) -> None:
        if count < self.cohort.threshold:
            raise MessageRefused(
                f"{count} sites are left, and the threshold is {self.cohort.threshold}.",
                "Nothing is opened for so few.",
            )
