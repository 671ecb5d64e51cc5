"""Fast pseudo-random generators for work whose privacy does not rest on a proof about the noise.

For shuffles, splits, initial weights, simulated attacks, swapping. *Not* for noise that carries a proof: a
float normal from here has gaps that leak (Mironov 2012), and the generator is not a cryptographic one. Such
noise comes from the mechanisms of this room.
"""

from __future__ import annotations

import hashlib
import random
import secrets
from typing import Any, TypeAlias

import numpy as np

Draws: TypeAlias = np.random.Generator  # for those who are handed one


def fresh_generator() -> np.random.Generator:
    """A generator of its own, seeded with 256 bits from the operating system; no seed can be given."""
    return np.random.Generator(np.random.PCG64DXSM(np.random.SeedSequence(secrets.randbits(256))))


def shared_state() -> bytes:
    """A digest of where the generators stand that all code of a process shares, Python's and NumPy's: who drew shows."""
    total = hashlib.sha256(repr(random.getstate()).encode())
    numpy: Any = np.random.get_state(legacy=False)
    total.update(numpy["state"]["key"].tobytes())
    total.update(f"{numpy['state']['pos']} {numpy['has_gauss']} {numpy['gauss']}".encode())
    return total.digest()
