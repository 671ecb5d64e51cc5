"""Searches that give each row levels or sets of its own, whatever the promise looks at.

They judge classes one by one. A condition on all classes together (average risk, uniqueness in the population) holds
where every class has enough rows: the smallest number of rows with which the result keeps it is found by bisection.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from privet.errors import Unreachable
from privet.protect.anonymize import _information_loss as loss
from privet.protect.anonymize._privacy_rules import Rules
from privet.protect.anonymize.search._distinct_tuples import Tuples
from privet.protect.anonymize.search._global_recoding import of_one_node
from privet.protect.anonymize.search._local_hierarchy_search import BY_ROW as LEVELS_BY_ROW
from privet.protect.anonymize.search._local_hierarchy_search import local
from privet.protect.anonymize.search._loss_metrics import Metric, less
from privet.protect.anonymize.search._mondrian import mondrian
from privet.protect.anonymize.search._optimal_search import LARGEST_LATTICE, optimal
from privet.protect.anonymize.search._recoding_solution import Solution

# Lattices with so few nodes are searched for the best one beside local recoding.
_SMALL_LATTICE = 1_000
BY_ROW = ("local", "mondrian")


def by_row(tuples: Tuples, rules: Rules, metric: Metric, limit: int, how: str) -> Solution:
    """The least loss that was found; never a proof that nothing is better."""
    published = tuples.counts > 0
    if tuples.gaps is not None:
        published &= ~tuples.gaps.any(axis=1)
    part = tuples.only(published)
    room = limit - (tuples.rows - part.rows)
    everyone = tuples if tuples.people is not None else None

    def run(stricter: Rules) -> Solution:
        find = local if how == "local" else mondrian
        found = find(part, stricter, metric.weights, room, everyone)
        return _with_the_rest(tuples, published, found, metric.weights)

    if how == "mondrian":
        return _together(rules, run)
    return _local_or_global(tuples, rules, metric, limit, run)


def _together(rules: Rules, run: Callable[[Rules], Solution]) -> Solution:
    """A result whose classes keep the rules on the whole table as well."""
    if not rules.table:
        return run(rules)
    best: Solution | None = None
    low = rules.least_rows
    high = max([low, *(rule.enough for rule in rules.table)])
    while low <= high:
        middle = (low + high) // 2
        try:
            found = run(rules.with_rows(middle))
        except Unreachable:
            high = middle - 1
            continue
        sizes = np.unique(found.labels[~found.suppressed], return_inverse=True)[1]
        rows = np.bincount(sizes, weights=found.counts[~found.suppressed]).astype(np.int64)
        if all(rule.holds(rows) for rule in rules.table):
            best = found if best is None or less((found.loss,), (best.loss,)) else best
            high = middle - 1
        else:
            low = middle + 1
    if best is None:
        raise Unreachable(
            "no classes were found that keep the promise for the table as a whole.",
            "Search with how='optimal', or allow more suppressed rows.",
        )
    return best


def _local_or_global(
    tuples: Tuples, rules: Rules, metric: Metric, limit: int, run: Callable[[Rules], Solution]
) -> Solution:
    """Local recoding; where the lattice is small or the sweep fails, the best single node is a candidate too."""
    found: Solution | None = None
    try:
        found = _together(rules, run)
    except Unreachable:
        if len(tuples.lattice) > LARGEST_LATTICE:
            raise
    if found is not None and len(tuples.lattice) > _SMALL_LATTICE:
        return found
    try:
        best = of_one_node(tuples, metric, optimal(tuples, rules, metric, limit), limit)
    except Unreachable:
        if found is None:
            raise
        return found
    if found is not None and not less((best.loss,), (found.loss,)):
        return found
    looked = best.nodes_evaluated + (found.nodes_evaluated if found else 0)
    return replace(best, levels=None, optimal=False, output_type=LEVELS_BY_ROW, nodes_evaluated=looked)


def _with_the_rest(
    tuples: Tuples, published: NDArray[np.bool_], found: Solution, weights: NDArray[np.float64]
) -> Solution:
    """A solution for some of the tuples as one for all of the table's, the others suppressed."""
    there = tuples.counts > 0
    inside = published[there]
    if inside.all():
        return found
    rows, width = int(there.sum()), len(tuples.columns)
    nodes, shares = np.zeros((rows, width), np.int32), np.ones((rows, width))
    suppressed, labels = np.ones(rows, bool), np.full(rows, -1, np.int64)
    nodes[inside], shares[inside] = found.nodes, found.shares
    suppressed[inside], labels[inside] = found.suppressed, found.labels
    counts = tuples.counts[there]
    leaves = [len(ladder.hierarchy.values) for ladder in tuples.ladders]
    by_column = loss.column_losses(shares, counts, suppressed, leaves)
    value = float(loss.arithmetic(by_column, weights))
    return replace(
        found,
        codes=tuples.codes[there],
        counts=counts,
        nodes=nodes,
        shares=shares,
        suppressed=suppressed,
        labels=labels,
        loss=value,
        value=(value,),
    )
