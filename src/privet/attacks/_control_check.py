"""Whether members and control can be compared: nobody on both sides, and no telling them apart without what is attacked.

A control from another year or another place is told from the members by any attack, and nothing has leaked (Das, Zhang
and Tramèr, "Blind Baselines Beat Membership Inference Attacks for Foundation Models", 2024). A control with members in
it hides what has. The first is found by a learner that sees records alone, the second by counting copies.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.artifact import IntervalEstimate
from privet.attacks._attack_records import AttackRecords, coded, matrix, records_of, stacked
from privet.attacks._attack_registry import Case
from privet.attacks._attack_scores import area
from privet.attacks._seeded_generator import repeatable_generator
from privet.errors import BadAttack

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOST_ROWS = 2_000  # of each side that the learner sees
_MOST_COLUMNS = 50
_MOST_COUNTED = 50_000  # of each side whose copies are counted
_FEWEST = 40  # on a side, below which the learner could find nothing
_SURE = 0.999  # a fair control is called unfair less than once in a thousand times
_PARTINGS = 200
_DEVIATIONS = 5.0


def as_numbers(
    members: AttackRecords, control: AttackRecords
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Both sides as numbers in the same codes, labels included where both have them."""
    shared = [name for name in members.columns if name in control.columns]
    if members.kind != "array" and control.kind != "array":
        members, control = (
            replace(one, features=one.features.select(shared), kind="arrow") for one in (members, control)
        )
    both = stacked(members, control)
    found = matrix(both)
    if both.labels is not None:
        found = np.column_stack([found, coded(np.asarray(both.labels))])
    return found[: len(members)], found[len(members) :]


def refuse_overlap(members: NDArray[np.float64], control: NDArray[np.float64], seed: int = 0) -> None:
    """Refuse a control that holds members.

    People may be alike by chance, and then as often on one side as across. So equal rows are counted across the sides,
    and the sides are dealt anew to see how many to expect.
    """
    draw = repeatable_generator(seed, "overlap")
    rows = np.ascontiguousarray(np.concatenate([members, control]) + 0.0)  # one nought only
    whole = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()  # gaps are equal, too
    names = np.unique(whole, return_inverse=True)[1].ravel()
    occurs = np.bincount(names)
    several = occurs[names] > 1
    names = np.unique(names[several], return_inverse=True)[1]
    mine = (np.arange(len(rows)) < len(members))[several]
    if not len(names):
        return

    def across(side: NDArray[np.bool_]) -> float:
        here = np.bincount(names, weights=side)
        return float(here @ (np.bincount(names) - here))

    found, share = across(mine), len(members) / len(rows)
    expected = np.array([across(draw.random(len(names)) < share) for _ in range(_PARTINGS)])
    inside = np.isin(names[~mine], names[mine])
    copied = int(inside.sum())
    distinct = len(np.unique(names[~mine])) >= 0.9 * len(control)
    if found > expected.mean() + _DEVIATIONS * max(float(expected.std()), 1.0) or (
        distinct and copied == len(control)
    ):
        raise BadAttack(
            f"{copied:,} records of the control are also among the members, more than by chance.",
            "Take them out: a control was not used, or what leaks about members does not show.",
        )


def apart(
    members: NDArray[np.float64], control: NDArray[np.float64], seed: int = 0
) -> IntervalEstimate | None:
    """How well members are told from control by a learner that never saw what is attacked; None if too few are left.

    Each half is judged by trees fitted on the other.
    """
    from privet.attacks.models import classifier

    draw = repeatable_generator(seed, "apart")
    size = min(len(members), len(control), _MOST_ROWS)
    if size < _FEWEST:
        return None
    columns = np.sort(draw.permutation(members.shape[1])[:_MOST_COLUMNS])
    sides = [part[draw.permutation(len(part))[:size]][:, columns] for part in (members, control)]
    seen = np.concatenate(sides)
    used = np.arange(2 * size) < size
    half = np.arange(2 * size) % 2 == 0
    scores = np.empty(2 * size)
    for fold in (half, ~half):
        scores[~fold] = classifier(seen[fold], used[fold], rounds=25).decision(seen[~fold])
    return area(scores[used], scores[~used], _SURE)


def unfairness(thing: Any, kind: str, case: Case) -> str:
    """Why members and control cannot be compared, in a sentence; empty where they can. Refuses an overlap."""
    if kind == "table":
        from privet.attacks.tables import rows_of

        sides = [AttackRecords(rows_of(one), kind="arrow") for one in (case.members, case.control)]
    else:
        from privet.attacks._attack_target import label_of

        label = label_of(thing, case.setting("label", None))
        sides = [records_of(one, label) for one in (case.members, case.control)]
    whose = _unit_column(thing, case)
    sides = [_one_each(side, whose) for side in sides]
    if not all(len(side) and len(side.columns) for side in sides):
        return ""
    draw = repeatable_generator(case.seed, "comparable")
    some = [side.take(np.sort(draw.permutation(len(side))[:_MOST_COUNTED])) for side in sides]
    numbers = as_numbers(some[0], some[1])
    if not numbers[0].shape[1]:
        return ""
    refuse_overlap(*numbers, seed=case.seed)
    found = apart(*numbers, seed=case.seed)
    if found is None or found.low <= 0.5:
        return ""
    return (
        f"Members and control are told apart without what is attacked (AUC {found.text()}): they are not people of the "
        "same kind, and nothing follows from a difference between them. Deal both from one heap."
    )


def _unit_column(thing: Any, case: Case) -> str | None:
    """The column that says whose a record is, where the original or the model names it."""
    unit = getattr(case.members, "unit", None) or getattr(thing, "unit", None)
    found = unit.get("column") if isinstance(unit, dict) else getattr(unit, "column", None)
    return found if isinstance(found, str) else None


def _one_each(side: AttackRecords, column: str | None) -> AttackRecords:
    """One record of each person, without the person's name.

    Where people have several, a learner that has seen one knows on which side the others are: fair sides would be
    told apart.
    """
    if column is None or column not in side.columns:
        return side
    first = np.unique(coded(side.column(column)), return_index=True)[1]
    return side.take(np.sort(first)).without(column)
