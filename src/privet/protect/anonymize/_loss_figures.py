"""What a recoding has lost, by every metric: figures that stand beside the one that was searched for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from privet.protect.anonymize import _information_loss as loss
from privet.protect.anonymize.hierarchies import Ladder
from privet.protect.anonymize.search import Solution


def losses(solution: Solution, ladders: Sequence[Ladder]) -> dict[str, float]:
    """Loss, certainty penalty, discernibility, class size, and where levels are published precision and entropy."""
    counts, gone = solution.counts, solution.suppressed
    leaves = np.array([len(ladder.hierarchy.values) for ladder in ladders])
    sizes = loss.class_rows(solution.labels, counts, gone)
    single = solution.shares * leaves < 1.5
    by_column = loss.column_losses(solution.shares, counts, gone, leaves.tolist())
    found = {
        "loss": float(loss.arithmetic(by_column)),
        "loss-geometric": float(loss.geometric(by_column)),
        "global certainty penalty": float(
            loss.certainty_penalty(solution.shares, single, counts, gone).mean()
        ),
        "discernibility": float(loss.discernibility(sizes, solution.suppressed_rows)),
        "average class size": loss.average_class_size(sizes, solution.suppressed_rows),
    }
    if solution.sets is not None:
        return found
    heights = [ladder.height for ladder in ladders]
    found["precision"] = float(loss.precision_loss(solution.nodes, heights, counts, gone).mean())
    if solution.levels is not None:
        values = np.stack([ladder.rows[solution.codes[:, j]] for j, ladder in enumerate(ladders)], axis=1)
        nodes = np.stack(
            [ladder.nodes[solution.codes[:, j], solution.levels[j]] for j, ladder in enumerate(ladders)],
            axis=1,
        )
        found["entropy"] = float(loss.entropy_losses(values, nodes, counts, gone).sum())
    return found
