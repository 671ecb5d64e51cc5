"""Ibis remembers which of its expressions are equal, by their addresses, in one place for all threads.

When an expression goes, Ibis takes it out of that memory in steps which another thread can come between: it then
stumbles, and what it leaves behind says of a later expression at the same address what was true of the first. Here
an expression goes in steps that stand any order: its own entry at once, and then its place in the entries of others,
where those still are. An entry goes with its expression only, so nobody writes into one that is gone.
"""

from __future__ import annotations

from typing import Any


def mend() -> None:
    """Make Ibis forget expressions in a way that is safe in threads; once does, and again does no harm."""
    from ibis.common.bases import Comparable

    Comparable.__del__ = _forgotten


def _forgotten(self: Any) -> None:
    known, mine = self.__cache__, id(self)
    for other in tuple(known.pop(mine, ())):
        known.get(other, {}).pop(mine, None)
