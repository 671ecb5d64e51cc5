"""Coarser counts from the same bounded rows: each person is bounded once, and every table adds up to the others.

A question with public keys counts rows for each key. A roll-up adds those counts up over classes of keys (the
counties of a state, both sexes of an age). Because a person's rows were chosen once, for the finest table, all
roll-ups describe the same rows; a question of its own for each table would choose again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.engine._contribution_bounds import Contribution
from privet.engine._group_measures import Measure
from privet.errors import BadAggregate
from privet.sealed import Sealed


@dataclass(frozen=True, eq=False)
class RollUp:
    """The rows of classes of keys: the key at position i counts in entry `into[i]` of `entries`."""

    measure: str
    into: NDArray[Any]
    entries: int


def check_rolls(rolls: Mapping[str, RollUp], measured: Mapping[str, Measure], known: int | None) -> None:
    """Refuse roll-ups that are not of public counts of rows: a person in two groups is still one person."""
    for name, roll in rolls.items():
        measure = measured.get(roll.measure)
        if measure is None or measure.kind != "rows" or name in measured:
            raise BadAggregate(f"the roll-up {name!r} is not one of a count of rows under a name of its own.")
        if known is None or len(roll.into) != known:
            raise BadAggregate("a roll-up needs public keys, and a class for each of them.")
        if not 0 <= int(np.min(roll.into)) <= int(np.max(roll.into)) < roll.entries:
            raise BadAggregate("a roll-up names a class that there is not.")


def rolled_up(roll: RollUp, counts: NDArray[np.int64], bound: Contribution) -> Sealed:
    """The counts of the classes under seal, with the sensitivity that follows from the bound on the finest table."""
    totals = np.zeros(roll.entries, np.int64)
    np.add.at(totals, roll.into, counts)
    return Sealed(totals, bound.rolled_up_sensitivity(len(roll.into), roll.entries))
