"""Derived keys differ in everything they are bound to; masks are the key stream of AES-256-CTR."""

import os

import numpy as np
import pytest
from tests.sharing.loopback import cohort_of

from privet.errors import MessageRefused
from privet.sharing._pairwise_keys import add_mask, agreed, boxed, derived, public_key, unboxed


def test_agreement_is_that_of_the_standard() -> None:
    """The example of RFC 7748, Section 6.1: Bob's private key and Alice's public one."""
    bob = bytes.fromhex("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb")
    alice = bytes.fromhex("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a")
    assert public_key(bob).hex() == "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"
    assert agreed(bob, alice).hex() == "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"


def test_a_degenerate_key_is_refused() -> None:
    with pytest.raises(MessageRefused):
        agreed(os.urandom(32), bytes(32))


def test_everything_is_bound_into_a_key() -> None:
    secret, cohort, other = bytes(32), cohort_of(3, 2), cohort_of(3, 3)
    keys = {
        derived(secret, cohort, 1, b"pair", 0, 1),
        derived(secret, cohort, 1, b"pair", 1, 0),
        derived(secret, cohort, 1, b"box", 0, 1),
        derived(secret, cohort, 2, b"pair", 0, 1),
        derived(secret, other, 1, b"pair", 0, 1),
        derived(b"\1" * 32, cohort, 1, b"pair", 0, 1),
    }
    assert len(keys) == 6


def test_boxes_open_for_their_key_and_unchanged_only() -> None:
    key = os.urandom(32)
    box = boxed(key, b"content")
    assert unboxed(key, box) == b"content"
    for changed, with_key in ((box[:-1] + bytes([box[-1] ^ 1]), key), (box, os.urandom(32)), (b"", key)):
        with pytest.raises(MessageRefused):
            unboxed(with_key, changed)


def test_the_mask_is_the_key_stream_of_the_standard() -> None:
    """AES-256 of counter blocks under the all-zero key (NIST AESAVS, GFSbox style): the first block of zeros."""
    words = np.zeros(4, "<u4")
    add_mask(words, bytes(32), 1)
    assert words.tobytes().hex() == "dc95c078a2408989ad48a21492842087"


@pytest.mark.parametrize("width", ["<u4", "<u8"])
@pytest.mark.parametrize("length", [1, 2**16 - 1, 2**16, 2**17 + 3])
def test_masks_cancel_and_do_not_repeat(width: str, length: int) -> None:
    key, words = os.urandom(32), np.arange(length).astype(width)
    masked = words.copy()
    add_mask(masked, key, 1)
    assert length < 2 or (masked != words).any()
    assert len(np.unique(masked - words)) > 0.99 * length
    add_mask(masked, key, -1)
    assert (masked == words).all()
