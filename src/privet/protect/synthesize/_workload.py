"""The workload: which sets of columns the twin should get right together, and how much each matters."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from privet.engine import did_you_mean
from privet.errors import BadSynthesis
from privet.protect.synthesize._junction_tree import Clique, cells_of

Workload: TypeAlias = str | Sequence[Sequence[str]] | Mapping[tuple[str, ...], float]
MOST_COLUMNS = 4  # of one set
_TARGET = 4  # how much more a pair with the target matters
_FINEST = 100


def workload_of(said: Workload | None, names: Sequence[str]) -> dict[Clique, int]:
    """Sets of columns by their places, with whole weights.

    None: all pairs, alike. A column's name: all pairs, those with that column four times as much. A list of sets of
    columns, or such sets with weights: these alone.
    """
    at = {name: place for place, name in enumerate(names)}
    pairs: list[Clique] = list(itertools.combinations(range(len(names)), 2)) or [(0,)]
    if said is None:
        return dict.fromkeys(pairs, 1)
    if isinstance(said, str):
        _known([said], at)
        return {pair: _TARGET if at[said] in pair else 1 for pair in pairs}
    weights = dict(said) if isinstance(said, Mapping) else {tuple(one): 1.0 for one in said}
    _known([name for one in weights for name in one], at)
    for one, weight in weights.items():
        if not 1 <= len(set(one)) <= MOST_COLUMNS or len(set(one)) < len(one):
            raise BadSynthesis(
                f"a set of a workload names 1 to {MOST_COLUMNS} columns, each once.",
                'Write workload=[("age", "outcome")].',
            )
        if not 0 < weight < float("inf"):
            raise BadSynthesis(
                "a weight of a workload must be positive and finite.", "Write a number like 2."
            )
    if not weights:
        raise BadSynthesis("the workload names no columns.", "Leave it out, or name sets of columns.")
    most = max(weights.values())
    return {
        tuple(sorted(at[name] for name in one)): max(1, round(_FINEST * weight / most))
        for one, weight in weights.items()
    }


def still_modelled(said: Workload | None, names: Sequence[str]) -> Workload | None:
    """What is left of a workload where the noise left nothing of some columns; None where that is nothing."""
    if said is None or isinstance(said, str):
        return said if said in names else None
    if isinstance(said, Mapping):
        return {one: weight for one, weight in said.items() if set(one) <= set(names)} or None
    return [one for one in said if set(one) <= set(names)] or None


def candidates(workload: Mapping[Clique, int], sizes: Sequence[int], most: int) -> dict[Clique, int]:
    """All that could be measured for a workload: its sets and their subsets, with how much of it each serves.

    McKenna, Mullins, Sheldon and Miklau 2022: the weight of r is the sum over the workload's s of c_s |r ∩ s|.
    """
    closure = {
        part
        for one in workload
        for size in range(1, len(one) + 1)
        for part in itertools.combinations(one, size)
        if cells_of(part, sizes) <= most
    }
    return {
        part: sum(weight * len(set(part) & set(one)) for one, weight in workload.items())
        for part in sorted(closure)
    }


def _known(asked: Sequence[str], at: Mapping[str, int]) -> None:
    unknown = [name for name in asked if name not in at]
    if unknown:
        raise BadSynthesis(
            f"the workload names {unknown[0]!r}, which is not modelled. {did_you_mean(unknown[0], at)}",
            "Name columns of the twin that hold values; nothing was read or spent.",
        )
