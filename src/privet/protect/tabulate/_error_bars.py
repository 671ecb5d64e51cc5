"""Error bars of the unbiased estimates: how far the noise alone can move them."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from privet.guarantee import spread
from privet.protect.tabulate._spine_plan import SpinePlan
from privet.protect.tabulate._table_cells import Group
from privet.protect.tabulate._weighted_estimates import deviation

# An estimate whose deviation is this close to that of one measurement is that measurement, give or take: its
# noise is whole numbers, and a normal quantile would fall between two of them.
_ALONE = 0.97


def widths(plan: SpinePlan, depth: int) -> dict[Group, NDArray[np.float64]]:
    """For each query group, the half-width of an estimated entry in each place of a level, at the plan's confidence.

    An estimate is a weighted sum of many independent whole-number noises, near enough to normal; where a single one
    dominates, its exact half-width is taken, which covers a little more.
    """
    cells, variance = plan.spine.cells, plan.precision.variance[depth]
    quantile = NormalDist().inv_cdf((1 + plan.confidence) / 2)
    found = {}
    for group in cells.groups:
        spreads = deviation(cells, group, variance)
        width = quantile * spreads
        if (depth, group) in plan.noise:
            alone = spread(plan.noise[depth, group])
            one = spreads > _ALONE * alone.standard_deviation
            width = np.where(one, np.maximum(alone.half_width(plan.confidence), width), width)
        found[group] = width
    return found
