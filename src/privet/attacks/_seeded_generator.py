"""Chance for attacks: repeatable, so that a finding can be shown again.

An attack protects nobody: its draws need no secrecy, only evenness. Anything that protects draws from the
mechanisms instead.
"""

from __future__ import annotations

import hashlib
from typing import TypeAlias

import numpy as np

Draw: TypeAlias = np.random.Generator  # what an attack draws from


def repeatable_generator(seed: int | str, name: str = "") -> Draw:
    """The same generator for the same seed and name, and unrelated ones for different names."""
    digest = hashlib.sha256(f"{seed}\x1f{name}".encode()).digest()
    return np.random.Generator(np.random.PCG64DXSM(int.from_bytes(digest, "big")))
