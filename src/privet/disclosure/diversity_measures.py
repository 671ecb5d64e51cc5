"""What a class of look-alikes says about a sensitive value, class by class.

Every function takes `Cells` and returns one number for each class. A class's own shares are called q, those
among all people p. Work is proportional to the number of cells, also where values are many.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from privet.disclosure._contingency_cells import ContingencyCells
from privet.errors import BadCodes

Floats = NDArray[np.float64]


# --- l-diversity (Machanavajjhala et al. 2007) -------------------------------------------------


def distinct_l(cells: ContingencyCells) -> NDArray[np.int64]:
    """The number of different values."""
    return np.diff(cells.starts)


def entropy_l(cells: ContingencyCells) -> Floats:
    """The exponential of the entropy: the l for which the class is entropy-l-diverse, as a real number."""
    q = cells.within
    return np.exp(-cells.sum(q * np.log(q)))


def recursive_ratio(cells: ContingencyCells, l: int) -> Floats:  # noqa: E741
    """r1 / (r_l + … + r_m), counts descending: the class is recursively (c, l)-diverse exactly when below c.

    Infinite where there are fewer than l values.
    """
    if l < 1:
        raise BadCodes("recursive diversity starts at l = 1.", "Write l=2 or more.")
    order = np.lexsort((-cells.counts, cells.classes))
    descending = cells.counts[order]
    rank = np.arange(len(descending)) - cells.starts[:-1][cells.classes]
    tail = cells.sum(np.where(rank >= l - 1, descending, 0))
    first = cells.largest(cells.counts)
    return np.where(tail > 0, first / np.maximum(tail, 1), np.inf)


# --- t-closeness (Li, Li, Venkatasubramanian 2007) ---------------------------------------------


def t_equal(cells: ContingencyCells) -> Floats:
    """Earth mover's distance when all values are equally far apart: half the sum of |q - p|.

    Surpluses and deficits are equal in sum, and only values that occur have a surplus.
    """
    return cells.sum(np.maximum(0, cells.within - cells.overall))


def t_ordered(cells: ContingencyCells) -> Floats:
    """Earth mover's distance along the order of values, between 0 and 1.

    The sum over values i of |Q_i - P_i| (cumulative shares), divided by the number of values less one. Between
    two values that occur, Q stands still while P rises, so each gap is summed in closed form.
    """
    width = len(cells.shares)
    if width < 2 or not len(cells):
        return np.zeros(len(cells))
    p = np.cumsum(cells.shares)
    sums = np.concatenate([[0.0], np.cumsum(p)])
    running = np.cumsum(cells.counts)  # whole numbers: no rounding, however many classes come before
    running -= (running - cells.counts)[cells.starts[:-1]][cells.classes]
    q = running / cells.sizes[cells.classes]
    ends = np.append(cells.values[1:], width)
    ends[cells.starts[1:] - 1] = width
    first = cells.values[cells.starts[:-1]]
    distance = cells.sum(_gap(p, sums, q, cells.values, ends)) + sums[first]
    return np.asarray(np.clip(distance / (width - 1), 0, 1))


def _gap(p: Floats, sums: Floats, level: Floats, begin: NDArray[np.int64], end: NDArray[np.int64]) -> Floats:
    """The sum of |level - p[i]| for i from begin up to end, where p ascends and sums are its prefix sums."""
    turn = np.clip(np.searchsorted(p, level, side="right"), begin, end)
    below = level * (turn - begin) - (sums[turn] - sums[begin])
    above = (sums[end] - sums[turn]) - level * (end - turn)
    return below + above


def t_hierarchical(cells: ContingencyCells, levels: NDArray[np.int64]) -> Floats:
    """Earth mover's distance where moving costs the height of the lowest common ancestor, over the full height.

    `levels[v, h]` is the node above value v (numbered as `Cells.originals` says) at height h + 1; the last column
    is the root. A node that the class
    has no row under has no surplus below it, so only nodes that occur are visited.
    """
    height = levels.shape[1]
    if len(levels) != len(cells.shares) or height < 1 or len(np.unique(levels[:, -1])) > 1:
        raise BadCodes("a hierarchy has a path for each value, and all paths end in one root.")
    distance = np.zeros(len(cells))
    nodes = np.arange(len(levels))
    classes, below = cells.classes, cells.values
    q: Floats = cells.within
    for step in range(height):
        parents = _parents(nodes, levels[:, step])
        shares = np.bincount(nodes, weights=cells.shares, minlength=len(parents))
        surplus = q - shares[below]
        keys = classes * len(levels) + parents[below]
        found, group = np.unique(keys, return_inverse=True)
        rising = np.bincount(group, weights=np.maximum(0, surplus))
        q = np.asarray(np.bincount(group, weights=q), np.float64)
        classes, below = np.divmod(found, len(levels))
        net = q - np.bincount(parents[nodes], weights=cells.shares, minlength=len(levels))[below]
        moved = np.minimum(rising, rising - net)
        distance += (step + 1) / height * np.bincount(classes, weights=moved, minlength=len(cells))
        nodes = parents[nodes]
    return distance


def _parents(nodes: NDArray[np.int64], above: NDArray[np.int64]) -> NDArray[np.int64]:
    """The number of the node above each node; every node must have one only."""
    _, numbers = np.unique(above, return_inverse=True)
    parents = np.zeros(int(nodes.max(initial=-1)) + 1, np.int64)
    parents[nodes] = numbers
    if (parents[nodes] != numbers).any():
        raise BadCodes("a hierarchy does not refine: values together on one level are apart on a higher one.")
    return parents


# --- beta-likeness, delta-disclosure, (alpha, k) -----------------------------------------------


def beta_basic(cells: ContingencyCells) -> Floats:
    """The largest relative gain (q - p) / p of any value (Cao and Karras 2012)."""
    return np.asarray(np.maximum(0, cells.largest(cells.within / cells.overall - 1)))


def beta_enhanced(cells: ContingencyCells) -> Floats:
    """The smallest beta with (q - p) / p <= min(beta, -ln p) for every value; infinite where none is enough."""
    gain = cells.within / cells.overall - 1
    allowed = gain <= -np.log(cells.overall) * (1 + 1e-12)
    return np.asarray(np.maximum(0, cells.largest(np.where((gain <= 0) | allowed, gain, np.inf))))


def delta_disclosure(
    cells: ContingencyCells, *, base: float = np.e, absent: Literal["skip", "refuse"] = "skip"
) -> Floats:
    """The largest |log(q / p)| over the values of a class (Brickell and Shmatikov 2008).

    Args:
        cells: the counts.
        base: e as in pycanon; ARX takes 2.
        absent: the original definition is infinite for a value that a class does not have ("refuse"); peers
            look at the values that it has ("skip").
    """
    worst = cells.largest(np.abs(np.log(cells.within / cells.overall))) / np.log(base)
    if absent == "skip":
        return np.asarray(worst)
    return np.where(distinct_l(cells) < np.count_nonzero(cells.shares), np.inf, worst)


def alpha(cells: ContingencyCells) -> Floats:
    """The share of the most frequent value (Wong et al. 2006)."""
    return cells.largest(cells.within)


# --- the worst class ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Diversity:
    """What holds for every class: the worst class by each measure; None where it does not apply."""

    k: int
    distinct_l: int
    entropy_l: float
    recursive_ratio: dict[int, float]
    t_equal: float
    t_ordered: float
    t_hierarchical: float | None
    beta_basic: float
    beta_enhanced: float
    delta_disclosure: float
    alpha: float
    single_valued_rows: int


def diversity(
    cells: ContingencyCells, *, levels: NDArray[np.int64] | None = None, up_to: int = 5
) -> Diversity:
    """Every measure at its worst class; recursive ratios for l = 2 … `up_to`.

    `single_valued_rows` lie in classes with one value: whoever finds the class knows it.
    """
    if not len(cells):
        raise BadCodes("a table without rows has no classes to measure.")
    one = distinct_l(cells) == 1
    return Diversity(
        k=int(cells.sizes.min()),
        distinct_l=int(distinct_l(cells).min()),
        entropy_l=float(entropy_l(cells).min()),
        recursive_ratio={l: float(recursive_ratio(cells, l).max()) for l in range(2, up_to + 1)},  # noqa: E741
        t_equal=float(t_equal(cells).max()),
        t_ordered=float(t_ordered(cells).max()),
        t_hierarchical=None if levels is None else float(t_hierarchical(cells, levels).max()),
        beta_basic=float(beta_basic(cells).max()),
        beta_enhanced=float(beta_enhanced(cells).max()),
        delta_disclosure=float(delta_disclosure(cells).max()),
        alpha=float(alpha(cells).max()),
        single_valued_rows=int(cells.sizes[one].sum()),
    )
