"""A column laid out for detectors: its sampled values without blanks and placeholders."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from privet.engine import ColumnKind, Profile

TESTED = 400  # values that detectors look at
FIRST_LOOK = 40  # values after which a detector that found none gives up
_PLACEHOLDERS = frozenset(
    [
        "",
        "-",
        "--",
        "?",
        ".",
        "na",
        "n/a",
        "n.a.",
        "nan",
        "nil",
        "null",
        "none",
        "unknown",
        "unk",
        "missing",
        "other",
        "not available",
        "not applicable",
        "not specified",
        "unspecified",
        "prefer not to say",
        "tbd",
        "test",
        "xxx",
        "declined",
        "refused",
        "undisclosed",
        "keine angabe",
        "unbekannt",
        "inconnu",
        "desconocido",
        "void",
        "(blank)",
    ]
)
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")


@dataclass(frozen=True, eq=False)
class SampledColumn:
    """One column: its name, its profile, and up to `TESTED` distinct values spread over the sample."""

    name: str
    profile: Profile = field(repr=False)
    texts: tuple[str, ...] = field(repr=False)

    @classmethod
    def of(cls, name: str, profile: Profile) -> SampledColumn:
        """Values trimmed, placeholders dropped, whole numbers without their `.0`."""
        trimmed = (_tidy(value, profile.kind) for value, _ in profile.values)
        usable = [text for text in trimmed if text.casefold() not in _PLACEHOLDERS]
        return cls(name, profile, tuple(spread(usable, TESTED)))

    @property
    def kind(self) -> ColumnKind:
        """What the engine says it holds."""
        return self.profile.kind

    @functools.cached_property
    def numbers(self) -> tuple[float, ...]:
        """The values as numbers; empty unless all of them are."""
        if not all(_NUMBER.fullmatch(text) for text in self.texts):
            return ()
        return tuple(float(text) for text in self.texts)

    @functools.cached_property
    def words(self) -> float:
        """Words in a value, on average."""
        return sum(len(text.split()) for text in self.texts) / max(len(self.texts), 1)

    @functools.cached_property
    def length(self) -> float:
        """Characters in a value, on average."""
        return sum(map(len, self.texts)) / max(len(self.texts), 1)

    @property
    def distinct_share(self) -> float:
        """Distinct values for each row that has one."""
        return self.profile.distinct / max(self.profile.present, 1)

    def share(self, holds: Sequence[bool]) -> float:
        """The part of the tested values that a test holds for."""
        return sum(holds) / max(len(self.texts), 1)


def spread(values: Sequence[str], most: int) -> Sequence[str]:
    """At most so many of the values, evenly from all over the sample, which may be sorted."""
    if len(values) <= most:
        return values
    return [values[at * len(values) // most] for at in range(most)]


def _tidy(value: str, kind: ColumnKind) -> str:
    text = value.strip()
    return text.removesuffix(".0") if kind is ColumnKind.REAL else text
