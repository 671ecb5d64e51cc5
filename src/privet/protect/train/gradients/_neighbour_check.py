"""One record more or less moves an engine's sum by that record's own clipped gradient, and by nothing else.

What the self-check sees on a few records may not hold for other records or larger batches: rows that a model sorts by
their length, a branch on the size of the batch. So the property that privacy rests on is looked at directly, in a
batch of the run's own size before the first step, and now and then during the run.
"""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor, nn

    from privet.protect.train.gradients._per_example_loss import Batch, Objective
    from privet.protect.train.gradients.clipping import ClippedSum, Engine, Looped

# Of the bound: far above what sums of some hundred gradients in 32 bits round to, far below what a record may do.
_TOLERANCE = 5e-3
# This engine runs each example by itself, so that no other can have a part in its gradient. Mapping is no proof of it:
# a function of one's own may come with a rule of its own for how it is mapped, which is given the whole batch.
ALONE = ("looped",)
# How far a loss or a norm may be from that of the example alone, by rounding, as a share of it.
_ROUNDING = 2e-3
# So many examples are computed alone where a batch is looked at closely.
_CLOSELY = 8


def is_due(done: int) -> bool:
    """Whether a run looks again after `done` steps: after 3, 15, 63, 255, …, which is next to nothing in the long run."""
    return done > 0 and (done + 1) & done == 0 and (done + 1).bit_length() % 2 == 1


def neighbour_fault(engine: Engine, single: Looped, batch: Batch, index: int, bound: float) -> str:
    """What is wrong with an engine's sum on a batch when the example at `index` is taken out; nothing, if it is right.

    Clips at the smaller of `bound` and what cuts about half of the examples, so that there is something to see.
    """
    import torch

    from privet.protect.train.gradients.clipping import ClippingRule

    if engine.name in ALONE:
        return ""
    norms = engine.clipped_sum(batch, ClippingRule(bound)).norms
    finite = norms[torch.isfinite(norms)]
    usual = 0.8 * float(finite.median()) if len(finite) else 0.0
    rule = ClippingRule(usual if bound == math.inf else max(min(bound, usual), 1e-3 * bound))
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


def alone_fault(found: Engine | ClippedSum, single: Looped, batch: Batch, index: int) -> str:
    """What is wrong with the loss and the norm that a batch gives an example, against those it has alone.

    Looks at the example at `index` of a sum that was computed; of an engine it computes one, and looks at several.
    """
    import torch

    from privet.protect.train.gradients.clipping import ClippedSum, ClippingRule

    places = [index]
    if not isinstance(found, ClippedSum):
        found = found.clipped_sum(batch, ClippingRule(math.inf))
        places = sorted(
            {(index + step * batch.examples // _CLOSELY) % batch.examples for step in range(_CLOSELY)}
        )
    for place in places:
        grads, loss = single.gradient(batch, place)
        norm = torch.stack([grad.double().square().sum() for grad in grads.values()]).sum().sqrt()
        # Where parts of a gradient cancel, engines round its norm upwards: by a share of what is usual, not of the rest.
        usual = float(found.norms[torch.isfinite(found.norms)].double().median().nan_to_num(0.0))
        if not (_near(found.losses[place], loss) and _near(found.norms[place], norm, 1e-3 * usual)):
            return "a record has another loss or gradient in its batch than alone"
    return ""


def loss_fault(losses: Tensor, model: nn.Module, objective: Objective, batch: Batch, index: int) -> str:
    """What is wrong with the loss that a batch gives the example at `index`, against the one it has alone."""
    import torch

    with torch.no_grad():
        alone = objective.losses(model, batch.alone(index))[0]
    return "" if _near(losses[index], alone) else "a record has another loss in its batch than alone"


def _near(one: Tensor, other: Tensor, slack: float = 0.0) -> bool:
    found, alone = float(one), float(other)
    if math.isnan(found) or math.isnan(alone):
        return math.isnan(found) and math.isnan(alone)
    # Of two infinities the difference is no number, and nothing compares with it.
    return found == alone or abs(found - alone) <= 1e-5 + slack + _ROUNDING * min(
        abs(alone), sys.float_info.max
    )
