"""What a sweep found: each technique at each strength, with what it keeps and what attacks make of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from privet.artifact import IntervalEstimate
from privet.guarantee import Promise

REFERENCE = "reference"
# Beyond an epsilon of ten the promise is called weak to non-existent (Ponomareva et al., "How to DP-fy ML", 2023, section 5.2).
MOST_MEANINGFUL = 10


@dataclass(frozen=True)
class SweepPoint:
    """One technique at one strength, measured."""

    technique: str
    strength: dict[str, Any]
    label: str
    utility: IntervalEstimate
    risk: IntervalEstimate
    attack: str  # the one that got farthest
    attacks: dict[str, IntervalEstimate]
    promise: Promise | None = None
    allowed: float | None = None  # the most that the promise allows, in its own family
    meaningless: bool = False
    booked: bool = False
    notes: tuple[str, ...] = ()

    @property
    def family(self) -> str:
        """Promises are compared with those of the same technique, about the same columns."""
        return f"{self.technique}, all columns" if "also_quasi" in self.strength else self.technique


@dataclass(frozen=True)
class SweepFinding:
    """All points, and what could not be tried and why."""

    points: tuple[SweepPoint, ...]
    left_out: tuple[str, ...]
