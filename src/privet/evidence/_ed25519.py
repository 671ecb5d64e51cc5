"""Ed25519 (RFC 8032) by `cryptography`: the only place that signs with a key in memory, or checks a signature."""

from __future__ import annotations

from typing import NoReturn

from privet.errors import BadKeyRing

SEED_BYTES, PUBLIC_BYTES, SIGNATURE_BYTES = 32, 32, 64


class SeedSigner:
    """Signs with a seed that is held in memory. It never prints, and is never pickled."""

    def __init__(self, seed: bytes) -> None:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        if len(seed) != SEED_BYTES:
            raise BadKeyRing("a signing key has 32 bytes.", "Make one: privet keys signing.")
        self._key = Ed25519PrivateKey.from_private_bytes(seed)

    @property
    def public(self) -> str:
        """The public key, as 64 hexadecimal digits."""
        return self._key.public_key().public_bytes_raw().hex()

    def sign(self, message: bytes) -> bytes:
        """The signature of a message."""
        return self._key.sign(message)

    def __repr__(self) -> str:
        return f"<signer {self.public[:16]}>"

    def __reduce__(self) -> NoReturn:
        raise BadKeyRing("signing keys are not written down.", "Keep them where they are.")


def is_valid(public: str, value: bytes, message: bytes) -> bool:
    """Whether this is that key's signature of the message."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(value, message)
    except (InvalidSignature, ValueError):
        return False
    return True
