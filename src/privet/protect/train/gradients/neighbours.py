"""One record more or less moves an engine's sum by that record's own clipped gradient, and by nothing else.

What the self-check sees on a few records may not hold for other records or larger batches: rows that a model sorts by
their length, a branch on the size of the batch. So the property that privacy rests on is looked at directly, in a
batch of the run's own size before the first step, and now and then during the run.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privet.protect.train.gradients.clipping.looped import Looped
    from privet.protect.train.gradients.clipping.rule import Engine
    from privet.protect.train.gradients.objectives import Batch

# Of the bound: far above what sums of some hundred gradients in 32 bits round to, far below what a record may do.
_TOLERANCE = 5e-3
# These engines run each example by itself, so that no other can have a part in its gradient.
ALONE = ("vmapped", "looped")


def is_due(done: int) -> bool:
    """Whether a run looks again after `done` steps: after 3, 15, 63, 255, …, which is next to nothing in the long run."""
    return done > 0 and (done + 1) & done == 0 and (done + 1).bit_length() % 2 == 1


def neighbour_fault(engine: Engine, single: Looped, batch: Batch, index: int, bound: float) -> str:
    """What is wrong with an engine's sum on a batch when the example at `index` is taken out; nothing, if it is right.

    Clips at the smaller of `bound` and what cuts about half of the examples, so that there is something to see.
    """
    import torch

    from privet.protect.train.gradients.clipping.rule import Rule

    if engine.name in ALONE:
        return ""
    norms = engine.clipped_sum(batch, Rule(bound)).norms
    finite = norms[torch.isfinite(norms)]
    usual = 0.8 * float(finite.median()) if len(finite) else 0.0
    rule = Rule(usual if bound == math.inf else max(min(bound, usual), 1e-3 * bound))
    if not rule.bound:
        return ""
    whole = engine.clipped_sum(batch, rule).sums
    others = [place for place in range(batch.examples) if place != index]
    rest = engine.clipped_sum(batch.at(others), rule).sums if others else {}
    own = single.clipped_sum(batch.at([index]), rule).sums
    moved = torch.zeros((), dtype=torch.float64)
    for name, value in whole.items():
        apart = value.double() - own[name].double()
        if others:
            apart = apart - rest[name].double()
        moved += apart.square().sum().cpu()
    if float(moved.sqrt()) <= _TOLERANCE * rule.bound:
        return ""
    return "in a larger batch, taking a record out moves more than that record's gradient"
