"""The solution that one node of the lattice is."""

from __future__ import annotations

import numpy as np

from privet.errors import Unreachable
from privet.protect.anonymize import _information_loss as loss
from privet.protect.anonymize.search._distinct_tuples import Tuples
from privet.protect.anonymize.search._generalization_lattice import Levels
from privet.protect.anonymize.search._loss_metrics import Metric
from privet.protect.anonymize.search._optimal_search import SearchState
from privet.protect.anonymize.search._recoding_solution import Solution


def of_one_node(tuples: Tuples, metric: Metric, found: SearchState, limit: int) -> Solution:
    """The table with every row at the levels that a search over the lattice found."""
    if found.classes is None or found.verdict is None or found.value is None:
        tried = "no combination of levels" if found.proven else "none of the combinations looked at"
        raise Unreachable(
            f"{tried} keeps the promise with at most {limit} suppressed rows.",
            "Allow more suppressed rows, or ask for less.",
            nodes_evaluated=len(found.visited),
        )
    levels: Levels = found.classes.levels
    there = tuples.counts > 0
    keys, _ = tuples.keys(None, levels)
    class_keys, _ = tuples.keys(found.classes.tuples, levels)
    order = np.argsort(class_keys)
    labels = order[np.searchsorted(class_keys, keys, sorter=order)]
    suppressed = found.verdict.suppressed[labels]
    nodes = np.broadcast_to(np.asarray(levels, np.int32), tuples.codes.shape)
    shares = np.stack([tuples.shares(j, h, np.arange(len(tuples))) for j, h in enumerate(levels)], axis=1)
    leaves = [len(ladder.hierarchy.values) for ladder in tuples.ladders]
    by_column = loss.column_losses(shares[there], tuples.counts[there], suppressed[there], leaves)
    plain = metric.weights / metric.weights.sum()
    return Solution(
        columns=tuples.columns,
        codes=tuples.codes[there],
        counts=tuples.counts[there],
        nodes=nodes[there],
        levels=levels,
        suppressed=suppressed[there],
        labels=np.where(suppressed, -1, labels)[there],
        shares=shares[there],
        loss=float(loss.arithmetic(by_column, plain)),
        value=found.value,
        metric=metric.name,
        nodes_evaluated=len(found.visited),
        optimal=found.proven,
        output_type="hierarchy nodes, the same level for every row",
        visited=tuple(found.visited),
    )
