"""What an adversary of PAC privacy plays against: all worlds with their outputs, and releases from secret ones.

The adversary knows the universe, the function, the worlds and how noise is made; only which world was drawn is secret.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privet.artifact import Adversary
from privet.guarantee import PacPrivacy

Floats = NDArray[np.float64]
INSIDER = Adversary(
    "somebody who knows every record, and not which half was used",
    ("every record", "the function", "who is in which world", "how noise is made"),
    "the released output",
)


class WorldSession(Protocol):
    """One secret that is asked about in turn."""

    drawn: int  # for the scoring alone

    def ask(self, outputs: ArrayLike, mutual_information: float) -> Floats:
        """The answer to a function with these outputs on all worlds."""


@runtime_checkable
class WorldGame(Protocol):
    """A function on all worlds, and the mechanism that releases it. `privet.pac_trials` makes one with the real mechanism."""

    @property
    def outputs(self) -> Floats:
        """One row for each world."""

    @property
    def inside(self) -> NDArray[np.bool_]:
        """Who is in which world: worlds × people."""

    @property
    def promise(self) -> PacPrivacy:
        """What each release promises."""

    @property
    def basis(self) -> str | Floats:
        """In which coordinates noise is independent."""

    def play(self, releases: int) -> tuple[Floats, NDArray[np.int64]]:
        """So many releases with fresh secrets; and which world each was drawn from, for the scoring alone."""

    def session(self) -> WorldSession:
        """One secret to be asked in turn."""

    def without(self, person: int) -> WorldGame:
        """The game in the universe without one person."""
