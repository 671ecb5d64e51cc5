"""MST: single columns, then a spanning tree of the pairs that depend most on each other, then pairs across the tree.

The tree is that of McKenna, Miklau and Sheldon, "Winning the NIST contest: a scalable and general approach to
differentially private synthetic data", Journal of Privacy and Confidentiality 2021. Three things differ. A pair counts for
what it tells beyond its own noise, so that large tables that would be noise alone are not measured. Once the tree is
measured, about as many pairs again are chosen by what its model gets wrong. And tables are measured at prices by size.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence, Set

from privet.mechanism import Draws
from privet.protect.synthesize._graphical_model import fitted
from privet.protect.synthesize._junction_tree import Clique, model_cells
from privet.protect.synthesize._kept_codes import kept_codes
from privet.protect.synthesize._measurement_batch import (
    HAIR,
    Batch,
    chosen_sets,
    expected_counts,
    joins_parts,
    measured_sets,
)
from privet.protect.synthesize._measurement_run import MeasurementRun

_COLUMNS = 0.12  # shares of the budget: columns, the tree, and all that is left across it
_TREE = 0.46
_CHOOSING = 0.09  # of a batch
_ITERATIONS = 80
_ACROSS = 65_536  # numbers that pairs across the tree may add to a model: a quick one


def spanning_tree(
    run: MeasurementRun,
    pairs: list[Clique],
    draws: Draws,
    *,
    last: Set[int] = frozenset(),
    most: int | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> None:
    """Spend all that is left of the run; `pairs` are those whose tables are small enough to be measured.

    With columns in `last`, given which the others will be drawn, a tree is more than its pairs: its model holds at most
    `most` numbers. `draws` is for samples of the model: nothing private depends on it.
    """
    sizes, columns = run.exact.sizes, len(run.exact.sizes)
    budget = run.remaining * HAIR if pairs else 0.0
    alone = (budget * _COLUMNS if pairs else run.remaining * HAIR) / columns
    progress("measuring columns")
    first = [run.measure((column,), alone) for column in range(columns)]
    if not pairs:
        return
    kept = kept_codes(first, sizes, last)
    measured = [kept.reduced(one) for one in first]
    model = fitted(measured, kept.sizes, iterations=60, last=last)
    even = dict.fromkeys(pairs, 1)

    def room(chosen: Sequence[Clique], pair: Clique) -> bool:
        return most is None or not last or model_cells([*chosen, pair], kept.sizes, last) <= most

    def in_tree(chosen: Sequence[Clique], pair: Clique) -> bool:
        return joins_parts(chosen, pair) and room(chosen, pair)

    progress("choosing and measuring the pairs that depend most on each other")
    batch = _batch(max(1, columns - 1), budget * _TREE)
    expected = expected_counts(model, pairs, draws)
    tree = chosen_sets(run, kept, expected, even, batch, fits=in_tree)
    measured += measured_sets(run, kept, tree, batch.measuring)
    model = fitted(measured, kept.sizes, before=model, iterations=_ITERATIONS, last=last)
    held = model_cells(tree, kept.sizes, last) + _ACROSS
    held = held if most is None or not last else min(held, most)

    def across(chosen: Sequence[Clique], pair: Clique) -> bool:
        return model_cells([*tree, *chosen, pair], kept.sizes, last) <= held

    progress("choosing and measuring pairs across the tree")
    expected = expected_counts(model, pairs, draws)
    batch = _batch(max(1, columns - 2), run.remaining * HAIR)
    measured_sets(run, kept, chosen_sets(run, kept, expected, even, batch, fits=across), run.remaining)


def _batch(many: int, rho: float) -> Batch:
    return Batch(many, rho * _CHOOSING, rho * (1 - _CHOOSING))


def all_pairs(sizes: tuple[int, ...], most: int) -> list[Clique]:
    """The pairs of columns whose tables have at most so many cells."""
    return [
        (one, other)
        for one, other in itertools.combinations(range(len(sizes)), 2)
        if sizes[one] * sizes[other] <= most
    ]
