"""Fast pseudo-random generators for work whose privacy does not rest on a proof about the noise.

For shuffles, splits, initial weights, simulated attacks, swapping. *Not* for noise that carries a proof: a
float normal from here has gaps that leak (Mironov 2012), and the generator is not a cryptographic one. Such
noise comes from the mechanisms of this room.
"""

from __future__ import annotations

import secrets

import numpy as np


def fresh_generator() -> np.random.Generator:
    """A generator of its own, seeded with 256 bits from the operating system; no seed can be given or read back."""
    return np.random.Generator(np.random.PCG64DXSM(np.random.SeedSequence(secrets.randbits(256))))
