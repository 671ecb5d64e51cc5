"""What attackers find who know one row of somebody, or all of them: figures about people with several rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.disclosure import (
    PeopleClasses,
    PeopleDiversity,
    all_rows,
    any_row,
    labels_of,
    mixed_radix,
    people_diversity,
)

if TYPE_CHECKING:
    from privet.engine import FrequencyTable

ANY_ROW, ALL_ROWS = "any one row", "all rows"


@dataclass(frozen=True)
class Attacker:
    """Somebody who knows the quasi-identifiers of one row of a person, or of all rows; what they find and learn."""

    knows: str  # ANY_ROW or ALL_ROWS
    k: int  # people in the smallest class
    alone: int  # people whom nobody else is like
    diversity: dict[str, PeopleDiversity]

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "knows": self.knows,
            "k": self.k,
            "alone": self.alone,
            "sensitive": {
                name: {
                    "l": found.distinct_l,
                    "certain": found.certain_people,
                    "t": {"equal": found.t_equal, "ordered": found.t_ordered},
                }
                for name, found in self.diversity.items()
            },
        }


@dataclass(frozen=True)
class SeveralRows:
    """Both attackers, and what counting rows would have said instead."""

    row_k: int
    units: int
    attackers: tuple[Attacker, ...]

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "row_k": self.row_k,
            "units": self.units,
            "attackers": [one.to_json() for one in self.attackers],
        }


def several_rows(found: FrequencyTable, quasi: Sequence[str], sensitive: Sequence[str]) -> SeveralRows | None:
    """The figures of a table whose first column says whose rows they are; None if nobody has several."""
    labels = found.labels[0]
    nobody = len(labels) - 1 if labels.null_count else -1
    kept = found.codes[:, 0] != nobody
    owners, counts = found.codes[kept, 0].astype(np.int64), found.counts[kept]
    units = np.count_nonzero(np.diff(owners, prepend=-1))  # in order of persons
    if not quasi or counts.sum() == units:
        return None
    at = [found.columns.index(name) for name in quasi]
    keys, space = mixed_radix(
        [found.codes[kept, j].astype(np.int64) for j in at], [max(1, len(found.labels[j])) for j in at]
    )
    rows = labels_of(keys, space)
    values = {name: found.codes[kept, found.columns.index(name)].astype(np.int64) for name in sensitive}

    def attacker(knows: str, classes: PeopleClasses) -> Attacker:
        learned = {name: people_diversity(classes, owners, each, counts) for name, each in values.items()}
        return Attacker(knows, classes.k, classes.alone, learned)

    return SeveralRows(
        int(np.bincount(rows, weights=counts).min()),
        int(units),
        (
            attacker(ANY_ROW, any_row(owners, rows)),
            attacker(ALL_ROWS, all_rows(owners, rows, counts)),
        ),
    )
