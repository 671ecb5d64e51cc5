"""What a privacy model makes of the classes at one node."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privet.disclosure import ContingencyCells
from privet.protect.anonymize._privacy_rules import AtLeast, Group, Rules
from privet.protect.anonymize.search._distinct_tuples import Classes, Tuples
from privet.protect.anonymize.search._loss_metrics import NodeVerdict
from privet.protect.anonymize.search._missing_value_classes import left_out, lonely


def judge(tuples: Tuples, classes: Classes, rules: Rules) -> NodeVerdict | None:
    """The classes that must be suppressed; None where suppression of rows cannot help.

    That is where a class without rows, of people of the population only, breaks a rule.
    """
    outside = left_out(tuples, classes)
    if rules.only_sizes:
        suppressed = (
            lonely(tuples, classes, rules.least_rows)
            if tuples.missing == "wildcard"
            else classes.sizes < rules.least_rows
        )
        suppressed = suppressed if outside is None else suppressed | outside
        return NodeVerdict(suppressed, np.where(suppressed, classes.sizes, 0))
    present = classes.present
    least = np.zeros(len(classes), np.int64)
    good = np.ones(len(classes), bool)
    alive = present
    if outside is not None:
        least[outside], good[outside] = classes.sizes[outside], False
        alive = present[good[present]]
    for rule in rules.classes:
        if isinstance(rule, AtLeast):
            small = alive[classes.sizes[alive] < rule.rows]
            least[small] = classes.sizes[small]
            good[small] = False
            alive = alive[classes.sizes[alive] >= rule.rows]
    view = _view(tuples, classes, alive)
    for rule in rules.classes:
        if isinstance(rule, AtLeast) or not len(alive):
            continue
        kept = rule.kept(view)
        good[alive] &= kept
        if not kept.all():
            np.maximum.at(least, alive, rule.least(view, kept))
    if len(present) < len(classes) and not _strangers_fit(classes, rules):
        return None
    good &= classes.sizes >= _threshold(classes.sizes[good & (classes.sizes > 0)], rules)
    return NodeVerdict(~good & (classes.sizes > 0), np.minimum(least, classes.sizes))


def _view(tuples: Tuples, classes: Classes, alive: NDArray[np.int64]) -> Group:
    """The classes that have enough rows, as rules see them."""
    people = None if classes.population is None else classes.population[alive]
    places = np.searchsorted(classes.present, alive)
    cells = {name: _only(cells, places) for name, cells in zip(tuples.sensitive, classes.cells, strict=True)}
    return Group(classes.sizes[alive], people, cells)


def _only(cells: ContingencyCells, chosen: NDArray[np.int64]) -> ContingencyCells:
    """The cells of some classes, in order."""
    if len(chosen) == len(cells):
        return cells
    keep = np.zeros(len(cells), bool)
    keep[chosen] = True
    mask = keep[cells.classes]
    lengths = np.diff(cells.starts)[chosen]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    return ContingencyCells(starts, cells.values[mask], cells.counts[mask], cells.shares, cells.originals)


def _strangers_fit(classes: Classes, rules: Rules) -> bool:
    """Whether classes that only the population has people in keep the rules on presence."""
    from privet.protect.anonymize._privacy_rules import Presence

    return all(rule.minimum <= 0 for rule in rules.classes if isinstance(rule, Presence)) or bool(
        (classes.population is None) or not len(classes)
    )


def _threshold(sizes: NDArray[np.int64], rules: Rules) -> int:
    """The smallest class size for which the rules on the whole table hold when smaller classes are suppressed."""
    if not rules.table or not len(sizes):
        return 0
    ordered = np.sort(sizes)
    steps = np.unique(ordered)
    low, high = 0, len(steps)
    while low < high:
        middle = (low + high) // 2
        rest = ordered[np.searchsorted(ordered, steps[middle]) :]
        if all(rule.holds(rest) for rule in rules.table):
            high = middle
        else:
            low = middle + 1
    return int(steps[low]) if low < len(steps) else int(steps[-1]) + 1
