"""AIM, the adaptive and iterative mechanism: measure what the model gets most wrong, fit, and ask again.

McKenna, Mullins, Sheldon and Miklau, "AIM: An Adaptive and Iterative Mechanism for Differentially Private Synthetic
Data", VLDB 2022: candidates are all parts of the workload, weighed by how much of it they serve, and count for what they
tell beyond their own noise; the model may grow as the budget is spent. Other than there, rounds are few and fixed
beforehand, and in each a batch of sets is chosen: first a spanning tree, then as many sets as there are columns (half as many
where pairs would drown in the noise), then half of those, and so on down to one. All these batches cost the same, so a set gets
about twice the budget of one in the batch before: what is lost in the noise at one price may be worth the next, which is what the
paper's annealing finds out by noise. The number of fits grows with the logarithm of the columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from privet.mechanism import Draws
from privet.protect.synthesize._graphical_model import GraphicalModel, NoisyMarginal, fitted
from privet.protect.synthesize._junction_tree import Clique, cells_of, model_cells
from privet.protect.synthesize._kept_codes import KeptCodes, kept_codes
from privet.protect.synthesize._measurement_batch import (
    Batch,
    Fits,
    chosen_sets,
    expected_counts,
    joins_parts,
    measured_sets,
    noise_due,
)
from privet.protect.synthesize._measurement_run import MeasurementRun
from privet.protect.synthesize._row_sampling import sampled_rows

# Whether the model is wanting: from synthetic rows and the number of rows there are.
Doubt = Callable[[NDArray[np.int64], float], bool]
SAMPLE = 50_000
COLUMNS = 0.12  # the share of the budget that single columns get
TREE = 0.4  # and the tree
GLANCE = 0.15  # of what the tree is measured for, before the model is put to a doubt
CHOOSING = 0.1  # the share of a round that the choices get
ITERATIONS = 80
DROWNED = 0.1  # of all rows, put wrong by noise in the pair of middling size: then the first batch is small


@dataclass(frozen=True)
class AimSettings:
    """What AIM takes beside the run: candidates with weights, and how many numbers its model may hold.

    `zeros` are cells that cannot be; `last` are columns given which the others will be drawn.
    """

    candidates: Mapping[Clique, int]
    cells: int
    zeros: Mapping[Clique, NDArray[np.bool_]] = field(default_factory=dict)
    last: frozenset[int] = frozenset()


def adaptive_iterative(
    run: MeasurementRun,
    settings: AimSettings,
    draws: Draws,
    *,
    doubt: Doubt | None = None,
) -> bool:
    """Spend all that is left of the run; what was measured is in the run's transcript.

    `draws` is for samples of the model, from which marginals outside its tree are read: nothing private depends on it.
    With a `doubt`, the model is put to it after a glance at the tree; if it is found wanting the rest is left, and False
    returned.
    """
    sizes, budget = run.exact.sizes, run.remaining
    first = [run.measure((column,), budget * COLUMNS / len(sizes)) for column in range(len(sizes))]
    kept = kept_codes(first, sizes, settings.last)
    loop = _Loop(run, settings, kept, [kept.reduced(one) for one in first], draws, budget)
    batch = _batch(len(sizes) - 1, budget * TREE)
    tree = loop.chosen_tree(batch)
    if doubt is not None:
        loop.measure(tree, batch.measuring * GLANCE)
        if doubt(kept.restored(sampled_rows(loop.model, SAMPLE, draws)), loop.model.total):
            return False
    loop.measure(tree, batch.measuring * (1 if doubt is None else 1 - GLANCE))
    sets = halving_batches(loop.first_batch())
    for at, many in enumerate(sets):
        left = len(sets) - at
        loop.round(many, run.remaining / left, last=left == 1)
    return True


def halving_batches(first: int) -> list[int]:
    """How many sets each batch after the tree has: so many, then half of what came before, down to one."""
    found = [first]
    while found[-1] > 1:
        found.append(-(-found[-1] // 2))
    return found


def _batch(many: int, rho: float) -> Batch:
    return Batch(many, rho * CHOOSING, rho * (1 - CHOOSING))


class _Loop:
    """What one round hands to the next: the measurements and the model."""

    def __init__(  # noqa: PLR0917
        self,
        run: MeasurementRun,
        settings: AimSettings,
        kept: KeptCodes,
        measured: list[NoisyMarginal],
        draws: Draws,
        budget: float,
    ) -> None:
        self.run, self.settings, self.kept, self.measured = run, settings, kept, measured
        self.draws, self.budget = draws, budget
        self.model = self._fit(None)

    def _fit(self, before: GraphicalModel | None) -> GraphicalModel:
        return fitted(
            self.measured,
            self.kept.sizes,
            before=before,
            iterations=ITERATIONS,
            zeros=self.kept.reduced_zeros(self.settings.zeros),
            last=self.settings.last,
        )

    def chosen_tree(self, batch: Batch) -> list[Clique]:
        """Pairs that depend most on each other, of which none closes a circle."""
        pairs: dict[Clique, int] = {
            one: weight for one, weight in self.settings.candidates.items() if len(one) == 2
        }
        if not pairs:
            return []
        fits = self._fits(batch.choosing + batch.measuring)

        def in_tree(chosen: Sequence[Clique], pair: Clique) -> bool:
            return joins_parts(chosen, pair) and fits(chosen, pair)

        return self._chosen(pairs, batch, in_tree)

    def first_batch(self) -> int:
        """As many sets as there are columns; half as many where noise would put too much of a pair wrong. No row is asked."""
        columns = len(self.kept.sizes)
        each = self.run.remaining * (1 - CHOOSING) / (len(halving_batches(columns)) * columns)
        dues = [
            noise_due(self.run, one, each, cells_of(one, self.kept.sizes))
            for one in self.settings.candidates
            if len(one) == 2
        ]
        small = bool(dues) and float(np.median(dues)) > DROWNED * self.model.total
        return -(-columns // 2) if small else columns

    def round(self, many: int, rho: float, *, last: bool) -> None:
        """Choose and measure so many sets."""
        batch = _batch(many, rho)
        chosen = self._chosen(self.settings.candidates, batch, self._fits(rho))
        if last:
            # Nothing is asked of the model after this: it is fitted where rows are made.
            measured_sets(self.run, self.kept, chosen, self.run.remaining)
        else:
            self.measure(chosen, batch.measuring)

    def _chosen(self, sets: Mapping[Clique, int], batch: Batch, fits: Fits) -> list[Clique]:
        expected = expected_counts(self.model, sets, self.draws)
        return chosen_sets(self.run, self.kept, expected, sets, batch, fits=fits)

    def measure(self, sets: Sequence[Clique], rho: float) -> None:
        """Measure these sets for this much rho together, and fit."""
        if sets:
            self.measured += measured_sets(self.run, self.kept, sets, rho)
            self.model = self._fit(self.model)

    def _fits(self, rho: float) -> Fits:
        """Whether the model's tree stays small enough with a set: it may grow as the budget is spent."""
        allowed = self.settings.cells * (1 - (self.run.remaining - rho) / self.budget)
        measured = list({one.columns for one in self.measured} | set(self.settings.zeros))
        model = self.model

        def fits(chosen: Sequence[Clique], columns: Clique) -> bool:
            if not chosen and model.tree.home(columns) >= 0:
                return True
            held = model_cells([*measured, *chosen, columns], self.kept.sizes, self.settings.last)
            return held <= allowed

        return fits
