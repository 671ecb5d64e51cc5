"""Downcoding: that a cell was not left finer says what is in it (Cohen, "Attacks on Deidentification's Defenses", 2022).

Who knows that the least generalization was chosen knows that one level less would have left somebody among fewer
than k. A class of k rows whose cell has two halves is then split by them: had all rows been in one half, it would
have been published.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.artifact import Adversary, AttackCost, IntervalEstimate, RiskEstimate
from privet.attacks._attack_registry import Case, register
from privet.attacks.tables._generalized_cells import paths_of
from privet.attacks.tables._possible_worlds import (
    compositions,
    number_of_compositions,
    refuse_many,
    ways,
)
from privet.attacks.tables._record_matching import Matched, matched
from privet.attacks.tables._released_rows import (
    columns_with,
    promise_of,
    refuse_empty,
    released_of,
    rows_of,
)
from privet.attacks.tables._table_codes import as_text
from privet.errors import BadAttack, NoPower
from privet.guarantee import AlphaK, KAnonymity, Promise, parts


@dataclass(frozen=True)
class Finer:
    """One cell of one class: how many rows lie in each of its parts, in every way that there could be."""

    weights: dict[tuple[int, ...], float]  # chance of each way before anything is known of the search
    allowed: frozenset[tuple[int, ...]]  # the ways that would have been published as they are
    truth: tuple[int, ...]

    @property
    def chance_allowed(self) -> float:
        """How likely it would have been published finer."""
        return sum(self.weights[way] for way in self.allowed)

    def posterior(self, elsewhere: float) -> dict[tuple[int, ...], float]:
        """The chance of each way, given that here or elsewhere something stood against it.

        `elsewhere` is the chance that nothing does in the other classes; 1 where each class is judged by itself.
        """
        found = {
            way: weight * (1 - elsewhere) if way in self.allowed else weight
            for way, weight in self.weights.items()
        }
        total = sum(found.values())
        return (
            {way: weight / total for way, weight in found.items() if weight > 0}
            if total > 0
            else self.weights
        )


@register(name="downcoding", on="table", needs=("members", "hierarchies"))
def downcoding(target: Any, case: Case) -> RiskEstimate:
    """Tell how the rows of a class lie in the parts of its cells, knowing that no finer cell would have done.

    Settings: `hierarchies`, paths by column; `k` (by the promise if left out); `recoding` "local" (default: each
    class was generalized as little as it could) or "global" (the table as a whole was).
    """
    started = time.process_time()
    released = released_of(target)
    original = rows_of(case.members)
    refuse_empty(published=released.rows, members=original)
    hierarchies = {name: paths_of(one) for name, one in dict(case.settings["hierarchies"]).items()}
    quasi = columns_with("quasi", released, case)
    promise = promise_of(released, case)
    k = _k(promise, case)
    found = matched(released.rows, original, [(name, name) for name in quasi], hierarchies)
    cells = _cells(
        released.rows, original, found, {name: hierarchies[name] for name in quasi if name in hierarchies}, k
    )
    if not cells:
        raise NoPower("no cell can be taken apart.", "Give the hierarchies of columns that were generalized.")
    told, blind, sure = _told(cells, local=case.setting("recoding", "local") == "local")
    return RiskEstimate(
        attack="downcoding",
        measure="share of cells told one level finer",
        success=IntervalEstimate(told, told, told, case.confidence),
        baseline=blind,
        adversary=Adversary(
            "somebody who knows how the table was made",
            ("the hierarchies", "k", "that the least generalization was chosen"),
            "the released table",
        ),
        cost=AttackCost(time.process_time() - started, records=sum(len(one) for one in cells.values())),
        promise=promise,
        detectable=1.0,
        artifact=released.name,
        notes=(
            "The promise is about rows that look alike, not about what the search for it gives away.",
            "Computed over all cells, not sampled: it has no interval.",
        ),
        details={"cells": sum(len(one) for one in cells.values()), "certain": sure},
    )


def _k(promise: Promise | None, case: Case) -> int:
    stated = case.setting("k", None)
    ks = [part.k for part in parts(promise) if isinstance(part, KAnonymity | AlphaK)] if promise else []
    if stated is None and not ks:
        raise BadAttack("nothing says what k is.", "Set k=5, or give the promise.")
    return int(stated) if stated is not None else max(ks)


def _told(cells: dict[str, list[Finer]], *, local: bool) -> tuple[float, float, float]:
    """The share of cells whose likeliest way is the true one, with and without knowledge; and the share that is certain."""
    told, blind, sure = [], [], []
    for column in cells.values():
        chances = np.array([cell.chance_allowed for cell in column])
        for at, cell in enumerate(column):
            elsewhere = 1.0 if local else float(np.prod(np.delete(chances, at)))
            after = cell.posterior(elsewhere)
            told.append(_likeliest(after, cell.truth))
            blind.append(_likeliest(cell.weights, cell.truth))
            sure.append(len(after) == 1 and cell.truth in after)
    return float(np.mean(told)), float(np.mean(blind)), float(np.mean(sure))


def _likeliest(chances: dict[tuple[int, ...], float], truth: tuple[int, ...]) -> float:
    """1 if the truth is the likeliest way; its part if several are equally likely."""
    most = max(chances.values())
    best = [way for way, chance in chances.items() if chance >= most * (1 - 1e-9)]
    return 1 / len(best) if truth in best else 0.0


def _cells(
    published: Any, original: Any, found: Matched, hierarchies: dict[str, list[tuple[str, ...]]], k: int
) -> dict[str, list[Finer]]:
    """Every generalized cell of every class, by column; classes whose people are not known exactly are left out."""
    once = np.diff(found.fits.indptr) == 1
    class_of_person = np.full(found.fits.shape[0], -1, np.int64)
    class_of_person[once] = found.fits.indices[found.fits.indptr[:-1][once]]
    known = np.bincount(class_of_person[once], minlength=len(found.sizes))
    example = np.unique(found.class_of, return_index=True)[1]
    cells: defaultdict[str, list[Finer]] = defaultdict(list)
    for name, paths in hierarchies.items():
        labels = as_text(published.column(name)).to_pylist()
        values = as_text(original.column(name)).to_pylist()
        for which in np.flatnonzero(known == found.sizes).tolist():
            split = parts_of(paths, labels[example[which]])
            inside = [values[at] for at in np.flatnonzero(class_of_person == which)]
            if split and {*inside} <= {value for part in split.values() for value in part}:
                cells[name].append(_finer(split, inside, k))
    return dict(cells)


def parts_of(paths: Sequence[tuple[str, ...]], label: str | None) -> dict[str, list[str]]:
    """The parts of a cell one level down, each with its values; empty where there are not several."""
    levels = [level for path in paths for level, text in enumerate(path) if text == label]
    found: defaultdict[str, list[str]] = defaultdict(list)
    level = min(levels, default=0)
    for path in paths:
        if level and len(path) > level and path[level] == label:
            found[path[level - 1]].append(path[0])
    return dict(found) if len(found) > 1 else {}


def _finer(split: dict[str, list[str]], values: Sequence[str | None], k: int) -> Finer:
    refuse_many(number_of_compositions(len(values), len(split)))
    part_of = {value: at for at, inside in enumerate(split.values()) for value in inside}
    truth: NDArray[np.int64] = np.bincount([part_of[str(value)] for value in values], minlength=len(split))
    leaves = np.array([len(inside) for inside in split.values()], float)
    chance = leaves / leaves.sum()
    weights = {
        way: ways(way) * float(np.prod(chance ** np.array(way)))
        for way in compositions(len(values), len(split))
    }
    allowed = frozenset(way for way in weights if all(rows == 0 or rows >= k for rows in way))
    return Finer(weights, allowed, tuple(truth.tolist()))
