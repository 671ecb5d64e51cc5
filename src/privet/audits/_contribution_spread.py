"""How much each person contributes: what a release that hides persons will need as bounds.

Bounds decide how much noise a release needs. What is found here is derived from the data, so it is advice for
the owner: whoever states a bound takes it from what is known about the world, and may use this as a check.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.audits._person_records import PersonRecords

SHARES = (0.5, 0.9, 0.95, 0.99, 1.0)
_HEAVY = 0.01  # the part of people whose share of all rows is shown
_KEPT = 0.95  # a suggested cap keeps at least this share of what is counted


@dataclass(frozen=True)
class ContributionSpread:
    """How many of something people have: at each share of people, the number that they do not exceed."""

    quantiles: tuple[tuple[float, int], ...]
    suggested: int  # the smallest cap that keeps at least 95 % of the total
    kept: float  # the share of the total that the suggested cap keeps

    @property
    def highest(self) -> int:
        """The most that anyone has."""
        return self.quantiles[-1][1]

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "quantiles": {f"{share:g}": number for share, number in self.quantiles},
            "suggested_cap": self.suggested,
            "kept": self.kept,
        }


@dataclass(frozen=True)
class Contributions:
    """Rows and groups of each person; derived from the data, for the owner only."""

    unit: str
    people: int
    rows: ContributionSpread
    heavy_share: float  # of all rows, those of the heaviest 1 % of people
    groups: dict[str, ContributionSpread]  # by column: in how many of its values a person has rows
    without_person: int  # rows whose unit is missing

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "unit": self.unit,
            "people": self.people,
            "rows": self.rows.to_json(),
            "heaviest_percent_share_of_rows": self.heavy_share,
            "groups": {name: spread.to_json() for name, spread in self.groups.items()},
            "rows_without_person": self.without_person,
            "origin": "read off the data: advice for the owner, not a public bound",
        }


def contributions(people: PersonRecords, unit: str, columns: Sequence[str]) -> Contributions | None:
    """Summarise what each person contributes, to the table and to groups of these columns; None without persons."""
    rows = people.rows_of_owner
    if rows is None or not len(rows):
        return None
    heavy = np.sort(rows)[::-1][: max(1, round(len(rows) * _HEAVY))]
    return Contributions(
        unit,
        len(rows),
        spread(rows),
        float(heavy.sum() / rows.sum()),
        {name: spread(people.groups_of_owner[name]) for name in columns if name in people.groups_of_owner},
        people.rows - int(rows.sum()),
    )


def spread(numbers: NDArray[np.int64]) -> ContributionSpread:
    """Quantiles of a list of numbers, and the cap that keeps most of their sum."""
    ordered = np.sort(numbers)
    at = [min(len(ordered) - 1, max(0, int(np.ceil(share * len(ordered))) - 1)) for share in SHARES]
    caps, times = np.unique(ordered, return_counts=True)
    # Under a cap c the total is the sum of min(x, c): what lies below counts whole, the rest counts c each.
    below = np.cumsum(caps * times)
    above = len(ordered) - np.cumsum(times)
    kept = (below + caps * above) / max(int(ordered.sum()), 1)
    chosen = int(np.argmax(kept >= _KEPT))
    quantiles = tuple((share, int(ordered[place])) for share, place in zip(SHARES, at, strict=True))
    return ContributionSpread(quantiles, int(caps[chosen]), float(kept[chosen]))
