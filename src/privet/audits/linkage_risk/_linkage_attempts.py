"""Who could be found in another table: attempts at it, counted and held against the truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.disclosure.linkage import Claims, Sides


@dataclass(frozen=True)
class Score:
    """How right an attacker's claims are, held against the truth.

    `findable` is the number of people who are in both tables.
    """

    right: int
    claimed: int
    findable: int

    @property
    def precision(self) -> float | None:
        """Of the claims, how many are right; None without claims."""
        return self.right / self.claimed if self.claimed else None

    @property
    def recall(self) -> float | None:
        """Of the people in both tables, how many are found; None if there are none."""
        return self.right / self.findable if self.findable else None

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "right": self.right,
            "claimed": self.claimed,
            "findable": self.findable,
            "precision": self.precision,
            "recall": self.recall,
        }


@dataclass(frozen=True)
class Attempt:
    """One way of linking: how many people have a candidate, and how many an attacker would claim to know."""

    method: str
    with_candidates: int
    claimed: int
    share: float  # of the people in the audited table
    expected_right: float | None = None  # by the model's own probabilities
    score: Score | None = None

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "method": self.method,
            "with_candidates": self.with_candidates,
            "claimed": self.claimed,
            "share": self.share,
            "expected_right": self.expected_right,
            "score": self.score.to_json() if self.score else None,
        }


def attempt(method: str, claims: Claims, people: int, truth: Truth | None, sides: Sides) -> Attempt:
    """The claims, counted and held against the truth if there is one."""
    claimed = len(claims.left)
    return Attempt(
        method,
        claims.with_candidates,
        claimed,
        claimed / people if people else 0.0,
        None if method.startswith("exact") else float(claims.probability.sum()),
        None if truth is None else truth.score(sides, claims),
    )


@dataclass(frozen=True, eq=False)
class Truth:
    """Who is who: codes of people on the left and of records on the right."""

    left: NDArray[np.int64]
    right: NDArray[np.int64]

    def score(self, sides: Sides, claims: Claims) -> Score:
        """Count the claims that are true."""
        width = int(max(self.right.max(initial=0), sides.right_ids.max(initial=0))) + 1
        true = self.left * width + self.right
        ours, theirs = sides.left_ids[claims.left], sides.right_ids[claims.right]
        named = (ours >= 0) & (
            theirs >= 0
        )  # without a number nobody is named, and -1 would be the row before
        said = ours[named] * width + theirs[named]
        present = np.isin(self.left, sides.left_ids) & np.isin(self.right, sides.right_ids)
        return Score(int(np.isin(said, true).sum()), len(claims.left), len(np.unique(self.left[present])))
