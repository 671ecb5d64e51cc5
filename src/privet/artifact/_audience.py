"""For whom something is written: two types, and the writer takes nothing else.

`OwnerOnly` holds what was measured on the rows or follows from them: exact figures, audits, journals, plans, drafts. It is
written for its owner's eyes, and there is no way from it to the other type. `Publishable` holds what may be seen by anybody,
and says by what right: it is made where a promise was kept, or from public facts alone. A test lists every place that
makes one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Literal, TypeVar

T_co = TypeVar("T_co", covariant=True)
U = TypeVar("U")
# What fills a file: its text, its bytes, or something that writes to a path that it is given.
Content = str | bytes | Callable[[Path], object]
# By what right something may be seen by anybody.
Right = Literal[
    "released under a promise",  # an answer, a table, a model: its record says which
    "built from what may be told",  # a list of what is promised, chosen and booked
    "holds nothing from the data",  # a schema of our own, made-up examples, a public key
    "made from public rows",  # rows that somebody declared public
]


@dataclass(frozen=True, slots=True)
class OwnerOnly(Generic[T_co]):
    """For the owner of the data alone."""

    content: T_co

    def becoming(self, content: U) -> OwnerOnly[U]:
        """Something that is made from this: for the same eyes."""
        return OwnerOnly(content)

    def __repr__(self) -> str:
        return "<for the owner alone>"


@dataclass(frozen=True, slots=True)
class Publishable(Generic[T_co]):
    """For anybody, by the right that is stated."""

    content: T_co
    by: Right

    def __post_init__(self) -> None:
        # A wrapper around a wrapper would be the way out that is not there.
        if isinstance(self.content, OwnerOnly):
            raise TypeError("what is for the owner alone is not published.")

    def becoming(self, content: U) -> Publishable[U]:
        """Something that is made from this and nothing else: by the same right."""
        return Publishable(content, self.by)


For = OwnerOnly[T_co] | Publishable[T_co]
