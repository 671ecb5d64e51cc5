"""What a table still gives away, by the measures that audits use, as the artifact states it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privet.artifact import Risks
from privet.disclosure import (
    Codes,
    ContingencyCells,
    Missing,
    cells,
    distinct_l,
    diversity,
    prosecutor,
    sizes_of_each,
)


@dataclass(frozen=True)
class RiskView:
    """How an outsider looks at a table: by which columns, what a gap means, and whether rows or people are counted."""

    quasi: Sequence[str]
    sensitive: Sequence[str]
    missing: Missing = "own value"
    persons: str | None = None

    def look_alikes(self, codes: Codes) -> NDArray[np.int64]:
        """For each tuple, how many rows (or people) look like it; 0 where its row belongs to no class."""
        if self.persons is None:
            return sizes_of_each(codes, self.quasi, self.missing)
        people = distinct_l(cells(codes, self.quasi, self.persons))
        found = np.asarray(people, np.int64)[codes.groups(self.quasi).labels]
        return np.where(sizes_of_each(codes, self.quasi, self.missing) > 0, found, 0)


def risks(codes: Codes, view: RiskView) -> Risks:
    """The risks of a table whose rows are these codes; an empty table has none."""
    sizes = view.look_alikes(codes) if len(codes) else np.zeros(0, np.int64)
    classes = np.unique(codes.groups(view.quasi).labels[sizes > 0])
    risk = prosecutor(sizes, codes.counts)
    return Risks(
        rows=codes.rows,
        classes=len(classes),
        smallest_class=int(sizes[sizes > 0].min(initial=codes.rows)),
        unique_rows=int(codes.counts[sizes == 1].sum()),
        highest_risk=risk.highest,
        mean_risk=risk.mean,
        rows_above={f"{threshold:g}": share for threshold, share in risk.above.items()},
        sensitive=worst_classes(
            {name: cells(codes, view.quasi, name) for name in view.sensitive if len(codes)}
        ),
    )


def worst_classes(found: Mapping[str, ContingencyCells]) -> dict[str, dict[str, float]]:
    """The diversity of each sensitive column in its worst class."""
    every = {}
    for name, column in found.items():
        worst = diversity(column)
        every[name] = {
            "distinct_l": float(worst.distinct_l),
            "entropy_l": worst.entropy_l,
            "t_equal": worst.t_equal,
            "t_ordered": worst.t_ordered,
            "beta": worst.beta_basic,
            "alpha": worst.alpha,
            "rows_of_one_value": float(worst.single_valued_rows),
        }
    return every
