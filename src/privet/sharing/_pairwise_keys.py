"""Keys that two sites share (X25519, RFC 7748), what is derived from them (HKDF, RFC 5869), boxes, and masks.

Every derivation binds the cohort's digest, the number of the round, what the key is for, and from whom to whom. So no key
serves twice: not in another run, not in the other direction, not as a mask and for a box.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.errors import MessageRefused

if TYPE_CHECKING:
    from privet.sharing._cohort import Cohort

KEY_BYTES = 32
TAG_BYTES = 16
_PIECE = 1 << 18
_ZEROS = bytes(_PIECE)


def public_key(private: bytes) -> bytes:
    """The X25519 public key of 32 secret bytes."""
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

    return X25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()


def agreed(private: bytes, public: bytes) -> bytes:
    """What two key pairs have in common. Degenerate public keys are refused."""
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

    try:
        return X25519PrivateKey.from_private_bytes(private).exchange(
            X25519PublicKey.from_public_bytes(public)
        )
    except ValueError:
        raise MessageRefused("a site advertised a key that is none.") from None


def derived(secret: bytes, cohort: Cohort, number: int, purpose: bytes, *places: int) -> bytes:
    """A key of its own for one purpose in one round of one cohort."""
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    info = b"privet-federate-1 " + purpose + struct.pack(f"<Q{len(places)}H", number, *places)
    return HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=cohort.digest, info=info).derive(secret)


def boxed(key: bytes, content: bytes) -> bytes:
    """Content that only the holder of the key reads (AES-256-GCM). The key is for this one box, so the nonce may stand still."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    return AESGCM(key).encrypt(bytes(12), content, None)


def unboxed(key: bytes, box: bytes) -> bytes:
    """What was boxed, unless anybody changed it."""
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    try:
        return AESGCM(key).decrypt(bytes(12), box, None)
    except InvalidTag:
        raise MessageRefused("a box of shares was changed on its way, or is for somebody else.") from None


def add_mask(words: NDArray[Any], key: bytes, sign: int) -> None:
    """Add or take away the key stream of AES-256 in counter mode, in place, piece by piece."""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    encryptor = Cipher(algorithms.AES256(key), modes.CTR(bytes(16))).encryptor()
    size = words.dtype.itemsize
    room = bytearray(_PIECE + 15)
    stream = np.frombuffer(room, dtype=words.dtype, count=_PIECE // size)
    for start in range(0, len(words), _PIECE // size):
        part = words[start : start + _PIECE // size]
        encryptor.update_into(_ZEROS[: len(part) * size], room)
        (np.add if sign > 0 else np.subtract)(part, stream[: len(part)], out=part)
