"""Membership by density: where the published rows crowd more than people in general do, somebody was used.

The score of a person is the density of published rows there over that of a reference, rows like the originals which
the attacker holds (van Breugel et al., "Membership Inference Attacks against Synthetic Data through Overfitting
Detection", AISTATS 2023).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.artifact import Adversary, AttackCost, RiskEstimate
from privet.attacks._attack_registry import Case, register
from privet.attacks._membership_scores import headline, told_apart
from privet.attacks._seeded_generator import repeatable_generator
from privet.attacks.tables._gower_distance import copied, nearest
from privet.attacks.tables._released_rows import promise_of, released_of
from privet.attacks.tables._row_groups import first_rows
from privet.attacks.tables._synthetic_alignment import AlignedRows, alike
from privet.attacks.tables._table_codes import Coded
from privet.attacks.tables._wp29_scores import GUESSES
from privet.errors import BadAttack, NoPower

_LEAST = 20  # people on either side below which a curve says nothing


@register(name="membership-density", on="table", needs=("members", "control"))
def density(target: Any, case: Case) -> RiskEstimate:
    """Tell who was used by how much denser published rows lie around them than a reference does.

    The reference is `auxiliary`; without it, half of the control, which is then not scored. Of a person with several
    rows, and of equal rows that were kept apart together, one is scored, and all are on one side: who has a row of theirs
    in the reference lies nearer to it than others, whatever was published. Settings: `density` "neighbours" (default) or
    "classifier"; `neighbours` (1); `guesses`, the people scored on either side; `unit`, the column that names a person
    with several rows.
    """
    started = time.process_time()
    released = released_of(target)
    reference, tables = _reference(alike(released, case), case)
    drawn = tables.drawn(case, "density", case.whole("guesses", GUESSES))
    if min(len(drawn.members), len(reference)) < _LEAST:
        raise NoPower(
            f"fewer than {_LEAST} people are left on a side.",
            "Give more members, control and auxiliary rows.",
        )
    members, control = _scores(drawn.members, drawn.control, tables.published, reference, case)
    promise = promise_of(released, case)
    return RiskEstimate(
        attack="membership-density",
        adversary=Adversary(
            "somebody who knows a person's whole row",
            ("the person's row", "other rows like the originals"),
            "the released table",
        ),
        cost=AttackCost(time.process_time() - started, records=2 * len(members)),
        promise=promise,
        artifact=released.name,
        notes=() if case.auxiliary is not None else ("Half of the control served as the reference.",),
        details=told_apart(members, control, promise, case.confidence),
        **headline(members, control, promise, case.confidence),
    )


def _reference(tables: AlignedRows, case: Case) -> tuple[Coded, AlignedRows]:
    """The rows to compare with, and one row of every person who is scored."""
    mine, others = tables.groups or (np.arange(len(tables.members)), np.arange(len(tables.control)))
    draw = repeatable_generator(case.seed, "density reference")
    tables = replace(tables, members=tables.members.take(first_rows(mine)), groups=None)
    if tables.auxiliary is not None:
        return tables.auxiliary, replace(tables, control=tables.control.take(first_rows(others)))
    people = draw.permutation(int(others.max(initial=-1)) + 1)
    apart = np.isin(others, people[: len(people) // 2])
    scored = np.flatnonzero(~apart)
    return tables.control.take(np.flatnonzero(apart)), replace(
        tables, control=tables.control.take(scored[first_rows(others[scored])])
    )


def _scores(
    members: Coded, control: Coded, published: Coded, reference: Coded, case: Case
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How much denser published rows lie around each person than a reference does, up to a constant."""
    how = case.setting("density", "neighbours")
    if how == "classifier":
        odds = _classifier(published, reference, case.seed)
        return _copies_first((odds(members), odds(control)), (members, control), published, reference)
    if how != "neighbours":
        raise BadAttack("there is no such estimate of a density.", 'Use "neighbours" or "classifier".')
    neighbours = case.whole("neighbours", 1)
    away = [
        (nearest(people, published, neighbours), nearest(people, reference, neighbours))
        for people in (members, control)
    ]
    apart = np.concatenate([distances.ravel() for pair in away for distances in pair]).astype(float)
    # No distance counts as less than the least that there is, for everybody alike.
    least = float(apart[apart > 0].min(initial=1.0)) / 2
    mine, others = (_nearer(*pair, least) for pair in away)
    return _copies_first((mine, others), (members, control), published, reference)


def _copies_first(
    scores: tuple[NDArray[np.float64], NDArray[np.float64]],
    people: tuple[Coded, Coded],
    published: Coded,
    reference: Coded,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Those whose very row is published, and not in the reference, come before all others.

    No estimate of a density is as sure as a copy of a row that nobody else has; a row that the reference has too may be
    anybody's.
    """
    ahead = float(np.ptp(np.concatenate(scores))) + 1
    mine, others = (
        score + ahead * (copied(side, published) & ~copied(side, reference))
        for score, side in zip(scores, people, strict=True)
    )
    return mine, others


def _nearer(
    to_published: NDArray[np.float32], to_reference: NDArray[np.float32], least: float
) -> NDArray[np.float64]:
    """Log distance to the reference less that to what was published, on average over the neighbours.

    How many rows each table has shifts everybody's score by as much, and decides nothing: all rows are used, or a
    copy could be among those left out.
    """
    logs = [
        np.log(np.maximum(each.astype(float), least)).mean(axis=1) for each in (to_reference, to_published)
    ]
    return np.asarray(logs[0] - logs[1], float)


def _classifier(published: Coded, reference: Coded, seed: int) -> Callable[[Coded], NDArray[np.float64]]:
    """The log odds that a row is published rather than from the reference, by boosted trees."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from threadpoolctl import threadpool_limits

    rows = np.concatenate([_features(published), _features(reference)])
    labels = np.concatenate([np.ones(len(published)), np.zeros(len(reference))])
    learner = HistGradientBoostingClassifier(max_iter=100, class_weight="balanced", random_state=seed)
    with threadpool_limits(limits=1, user_api="openmp"):  # threads wait for each other on tables this small
        learner.fit(rows, labels)

    def odds(people: Coded) -> NDArray[np.float64]:
        with threadpool_limits(limits=1, user_api="openmp"):
            return np.asarray(learner.decision_function(_features(people)), float)

    return odds


def _features(table: Coded) -> NDArray[np.float64]:
    codes = np.where(table.codes < 0, np.nan, table.codes)
    return np.asarray(np.where(table.is_number[None, :], table.numbers, codes), float)
