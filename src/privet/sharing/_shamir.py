"""Shamir's secret sharing (1979) of 32-byte secrets over the integers modulo 2^521 - 1.

Any `threshold` shares give the secret back, and fewer are uniformly distributed whatever it is. The coefficients come from
the source that the caller hands in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from privet.errors import RoundFailed

PRIME = 2**521 - 1
SHARE_BYTES = 66
SECRET_BYTES = 32


def split(
    secret: bytes, holders: Sequence[int], threshold: int, fresh: Callable[[int], bytes]
) -> dict[int, bytes]:
    """A share for each holder, by its number; a holder's place on the polynomial is its number plus one."""
    coefficients = [int.from_bytes(secret, "big"), *(_uniform(fresh) for _ in range(threshold - 1))]
    return {holder: _value(coefficients, holder + 1).to_bytes(SHARE_BYTES, "big") for holder in holders}


def joined(shares: Mapping[int, bytes], threshold: int) -> bytes:
    """The secret of at least `threshold` shares. Wrong shares give a wrong secret: whoever asks compares it with what is known of it."""
    if len(shares) < threshold:
        raise RoundFailed("there are fewer shares of a secret than are needed to open it.")
    points = {holder + 1: int.from_bytes(share, "big") for holder, share in sorted(shares.items())}
    needed = dict(list(points.items())[:threshold])
    secret = _interpolated(needed, 0)
    if secret >> (8 * SECRET_BYTES):
        raise RoundFailed("the shares of a secret do not fit each other.")
    return secret.to_bytes(SECRET_BYTES, "big")


def _interpolated(points: Mapping[int, int], at: int) -> int:
    """Lagrange's polynomial through the points."""
    total = 0
    for own, value in points.items():
        above, below = 1, 1
        for other in points:
            if other != own:
                above = above * (at - other) % PRIME
                below = below * (own - other) % PRIME
        total += value * above * pow(below, -1, PRIME)
    return total % PRIME


def _value(coefficients: Sequence[int], at: int) -> int:
    total = 0
    for coefficient in reversed(coefficients):
        total = (total * at + coefficient) % PRIME
    return total


def _uniform(fresh: Callable[[int], bytes]) -> int:
    """Exactly uniform below the prime: of 2^521 numbers of 521 bits one is drawn again."""
    while True:
        drawn = int.from_bytes(fresh(SHARE_BYTES), "big") & PRIME
        if drawn != PRIME:
            return drawn
