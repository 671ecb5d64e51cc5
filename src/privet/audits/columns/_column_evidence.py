"""What speaks for a category: sentences and shares, never a value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Evidence:
    """One observation about a column. `share` is the part of `tested` distinct values that showed it."""

    source: str  # "values", "name", "inside", "cardinality", "type", "presidio" or "stated"
    says: str
    category: str
    share: float | None = None
    tested: int | None = None

    def to_json(self) -> dict[str, Any]:
        """For `--json`; holds no value of the data."""
        shown: dict[str, Any] = {"source": self.source, "says": self.says, "category": self.category}
        if self.share is not None:
            shown |= {"share": round(self.share, 4), "tested": self.tested}
        return shown


@dataclass(frozen=True, slots=True)
class Detector:
    """Tells whether one value, in text form and without white space at its ends, is of a category.

    `chance` is how often it says so of a value that only looks alike (of the same length and letters, say);
    `typical` how often of a true one. Both decide how much a share of matches is worth. `needs_name` is set where
    values alone can never tell, such as the age of people: such matches count only beside a column's name. `checked`
    detectors verify a check digit, which a value of another category passes by chance only: they go first.
    """

    category: str
    matches: Callable[[str], bool]
    chance: float
    typical: float = 0.97
    needs_name: bool = False
    checked: bool = False
    says: str = "have the form of"
