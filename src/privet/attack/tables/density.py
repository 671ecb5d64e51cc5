"""Membership by density: where the published rows crowd more than people in general do, somebody was used.

The score of a person is the density of published rows there over that of a reference, rows like the originals which
the attacker holds (van Breugel et al., "Membership Inference Attacks against Synthetic Data through Overfitting
Detection", AISTATS 2023).
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.artifact.risk import Adversary, Cost, RiskEstimate
from privet.attack.chance import repeatable_generator
from privet.attack.membership import headline, told_apart
from privet.attack.registry import Case, register
from privet.attack.tables.alike import Alike, alike
from privet.attack.tables.coding import Coded
from privet.attack.tables.criterion import GUESSES
from privet.attack.tables.distance import nearest
from privet.attack.tables.rows import promise_of, released_of
from privet.errors import BadAttack, NoPower

_LEAST = 20  # people on either side below which a curve says nothing


@register(name="membership-density", on="table", needs=("members", "control"))
def density(target: Any, case: Case) -> RiskEstimate:
    """Tell who was used by how much denser published rows lie around them than a reference does.

    The reference is `auxiliary`; without it, half of the control, which is then not scored. Settings: `density`
    "neighbours" (default) or "classifier"; `neighbours` (1); `guesses`, the people scored on either side.
    """
    started = time.process_time()
    released = released_of(target)
    tables = alike(released, case)
    reference, tables = _reference(tables, case)
    drawn = tables.drawn(case, "density", case.whole("guesses", GUESSES))
    if min(len(drawn.members), len(reference)) < _LEAST:
        raise NoPower(
            f"fewer than {_LEAST} people are left on a side.",
            "Give more members, control and auxiliary rows.",
        )
    members, control = (
        _scores(people, tables.published, reference, case) for people in (drawn.members, drawn.control)
    )
    promise = promise_of(released, case)
    return RiskEstimate(
        attack="membership-density",
        adversary=Adversary(
            "somebody who knows a person's whole row",
            ("the person's row", "other rows like the originals"),
            "the released table",
        ),
        cost=Cost(time.process_time() - started, records=2 * len(members)),
        promise=promise,
        artifact=released.name,
        notes=() if case.auxiliary is not None else ("Half of the control served as the reference.",),
        details=told_apart(members, control, promise, case.confidence),
        **headline(members, control, promise, case.confidence),
    )


def _reference(tables: Alike, case: Case) -> tuple[Coded, Alike]:
    if tables.auxiliary is not None:
        return tables.auxiliary, tables
    order = repeatable_generator(case.seed, "density reference").permutation(len(tables.control))
    half = len(order) // 2
    return tables.control.take(np.sort(order[:half])), replace(
        tables, control=tables.control.take(np.sort(order[half:]))
    )


def _scores(people: Coded, published: Coded, reference: Coded, case: Case) -> NDArray[np.float64]:
    how = case.setting("density", "neighbours")
    if how == "classifier":
        return _by_classifier(people, published, reference, case.seed)
    if how != "neighbours":
        raise BadAttack("there is no such estimate of a density.", 'Use "neighbours" or "classifier".')
    # Distances shrink with the number of rows: equally many on both sides make them comparable.
    size = min(len(published), len(reference))
    draw = repeatable_generator(case.seed, "density rows")
    neighbours = case.whole("neighbours", 1)
    to_published = nearest(people, _some(published, size, draw.permutation(len(published))), neighbours)
    to_reference = nearest(people, _some(reference, size, draw.permutation(len(reference))), neighbours)
    small = 1e-3 * max(float(np.median(to_reference)), 1e-3)
    return np.asarray(np.log(to_reference + small) - np.log(to_published + small), float)


def _some(table: Coded, size: int, order: NDArray[np.int64]) -> Coded:
    return table if size == len(table) else table.take(np.sort(order[:size]))


def _by_classifier(people: Coded, published: Coded, reference: Coded, seed: int) -> NDArray[np.float64]:
    """The log odds that a row is published rather than from the reference, by boosted trees."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from threadpoolctl import threadpool_limits

    rows = np.concatenate([_features(published), _features(reference)])
    labels = np.concatenate([np.ones(len(published)), np.zeros(len(reference))])
    learner = HistGradientBoostingClassifier(max_iter=100, class_weight="balanced", random_state=seed)
    with threadpool_limits(limits=1, user_api="openmp"):  # threads wait for each other on tables this small
        learner.fit(rows, labels)
        return np.asarray(learner.decision_function(_features(people)), float)


def _features(table: Coded) -> NDArray[np.float64]:
    codes = np.where(table.codes < 0, np.nan, table.codes)
    return np.asarray(np.where(table.is_number[None, :], table.numbers, codes), float)
