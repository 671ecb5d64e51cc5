"""What may be said about how a function is released: the keywords of `release` and `explain` for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict

from privet.mechanism import Basis

WORLDS = 128


class PacPlanned(TypedDict, total=False):
    """How a function is run and noised."""

    worlds: int
    basis: Basis | None
    processes: int | None


class PacOptions(PacPlanned, total=False):
    """The keywords of `release` for a function."""

    purpose: str | None
    analyst: str | None
    again: bool
    progress: Callable[[str], None] | None
