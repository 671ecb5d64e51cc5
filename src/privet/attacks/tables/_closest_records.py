"""Copies, and rows too near to an original: simple checks of synthetic tables, with what they cannot see.

Neither is evidence of privacy. A table that passes both may still give away who was used, through what it says of
groups and outliers (Yao et al., "The DCR Delusion", 2025): they catch copying, and nothing else.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.artifact import Adversary, AttackCost, RiskEstimate
from privet.attacks._attack_registry import Case, register
from privet.attacks._seeded_generator import repeatable_generator
from privet.attacks.tables._gower_distance import copied, nearest_row, occurrences
from privet.attacks.tables._released_rows import Released, promise_of, released_of
from privet.attacks.tables._synthetic_alignment import AlignedRows, alike
from privet.attacks.tables._table_codes import Coded
from privet.attacks.tables._wp29_scores import GUESSES, GuessRound, concluded, repeated, share
from privet.errors import NoPower

_READER = Adversary("anybody who reads the published table", (), "the released table")
_CATCHES = (
    "This catches copying and nothing else: passing it is no evidence of privacy, since rows that are far from every "
    "original still tell of groups and outliers."
)
_CHANCE = "In a table with few columns rows are equal by chance: read it beside the control."


@register(name="exact-match", on="table", needs=("members", "control"))
def exact_match(target: Any, case: Case) -> RiskEstimate:
    """Look for originals that were published as they are."""
    started = time.process_time()
    released = released_of(target)
    tables = alike(released, case)
    if tables.generalized:
        raise NoPower(
            f"cells of {', '.join(map(repr, tables.generalized))} are generalized: nobody is published as they are.",
            "linkage-exact says whose row can be pointed at.",
        )

    def play(at: int) -> GuessRound:
        drawn = tables.drawn(case, f"exact {at}")
        mine, others, mixed = _found(drawn, case.seed + at)
        size = len(drawn.members)
        return GuessRound(int(mine.sum()), int(others.sum()), int(mixed.sum()), size, size)

    rounds = repeated(case, "exact-match", play)
    mine, _, _ = _found(tables, case.seed)
    rare = occurrences(tables.members) == 1
    return concluded(
        "exact-match",
        "share of originals published as they are",
        rounds,
        case,
        released,
        adversary=_READER,
        started=started,
        notes=[_CATCHES, _CHANCE],
        details={"of_unique_originals": float(mine[rare].mean()) if rare.any() else None},
    )


@register(name="distance-to-closest", on="table", needs=("members", "control"))
def distance_to_closest(target: Any, case: Case) -> RiskEstimate:
    """Ask of each published row whether it lies closer to an original than to somebody who was not used.

    Half of the rows do by chance. Settings: `guesses`, the published rows looked at; `columns`.
    """
    started = time.process_time()
    released = released_of(target)
    tables = alike(released, case)
    rounds = max(1, case.whole("repeats", 3))
    found = [_closer(tables, case, at) for at in range(rounds)]
    order = sorted(range(rounds), key=lambda at: found[at].share)
    return _closest(found[order[(rounds - 1) // 2]], [one.share for one in found], released, case, started)


class _Closer:
    """How many published rows lie closer to members, closer to control and equally near to both."""

    def __init__(self, looked: Coded, members: Coded, control: Coded) -> None:
        (mine, own), (other, theirs) = nearest_row(looked, members), nearest_row(looked, control)
        gap = mine.astype(float) - other
        self.rows = len(gap)
        self.members = int((gap < -1e-6).sum())
        self.equal = int((np.abs(gap) <= 1e-6).sum())
        self.medians = (float(np.median(mine)), float(np.median(other)))
        self.copies = float((mine <= 1e-6).mean())
        # Rows nearest to one person fall on one side together, and are worth one (Kish 1965).
        weights = np.bincount(np.where(gap <= 0, own, len(members) + theirs)).astype(float)
        self.independent = self.rows**2 / float(weights @ weights)

    @property
    def share(self) -> float:
        return (self.members + self.equal / 2) / self.rows


def _closer(tables: AlignedRows, case: Case, at: int) -> _Closer:
    drawn = tables.drawn(case, f"closest {at}")
    draw = repeatable_generator(case.seed, f"closest {at}")
    most = case.whole("guesses", GUESSES)
    rows = np.sort(draw.permutation(len(tables.published))[:most])
    return _Closer(tables.published.take(rows), drawn.members, drawn.control)


def _closest(
    one: _Closer, shares: list[float], released: Released, case: Case, started: float
) -> RiskEstimate:
    return RiskEstimate(
        attack="distance-to-closest",
        measure="share of published rows closer to an original than to control",
        success=share(one.share, one.independent, case.confidence),
        baseline=0.5,
        adversary=_READER,
        cost=AttackCost(time.process_time() - started, records=one.rows),
        promise=promise_of(released, case),
        detectable=share(1.0, one.independent, case.confidence).low,
        artifact=released.name,
        notes=(_CATCHES,),
        details={
            "median_to_members": one.medians[0],
            "median_to_control": one.medians[1],
            "copies": one.copies,
            "rows_independent": one.independent,
            "shares_of_rounds": shares,
        },
    )


def _found(tables: AlignedRows, seed: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
    """Members, control, and members with their columns shuffled apart, that were published as they are."""
    draw = repeatable_generator(seed, "shuffled apart")
    shuffled = np.stack([draw.permutation(column) for column in tables.members.codes.T], axis=1)
    mine, others, mixed = (
        copied(people, tables.published)
        for people in (tables.members, tables.control, replace(tables.members, codes=shuffled))
    )
    return mine, others, mixed
