"""The clipped sum of one step's batch, piece by piece, and a look at whether it is what it says while the run goes on.

Before the first step an engine was held against single examples. During the run one example of every batch is computed
alone and compared, before the sum is noised; a batch that takes another way through the model than those looked at, as a branch on a value
or on the size of the batch makes it, is looked at as closely as the first.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from privet.errors import BadTraining, PrivetError, UnsafeModel
from privet.protect.train.gradients._controlled_randomness import controlled, refuse_seeding
from privet.protect.train.gradients._neighbour_check import (
    ALONE,
    alone_fault,
    is_due,
    loss_fault,
    neighbour_fault,
)
from privet.protect.train.gradients._per_example_loss import Batch, Objective
from privet.protect.train.gradients._record_pipeline import Pipeline
from privet.protect.train.gradients._run_noise import RunStep
from privet.protect.train.gradients.clipping import (
    LARGEST,
    Bookkeeping,
    ClippedSum,
    ClippingRule,
    Engine,
    Looped,
    NotSeen,
)

if TYPE_CHECKING:
    from privet.artifact import Receipt
    from privet.protect.train.gradients._training_progress import Progress
    from privet.protect.train.gradients._training_state import State

# In every batch one example's loss is computed alone; in one of so many, its gradient too.
_GRADIENT_IN = 4
# Of models that draw at random, losses are compared in one batch of so many: both then have chance held fixed.
_RANDOM_IN = 8


@dataclass
class ClippedSteps:
    """What computes the sums of a run."""

    model: nn.Module
    trained: dict[str, nn.Parameter]
    objective: Objective
    pipeline: Pipeline
    engine: Engine
    physical: int
    is_random: bool  # whether the model draws random numbers, so that one record gives several losses
    known: set[Any] = field(default_factory=set)

    @property
    def single(self) -> Looped:
        """One example after the other."""
        return Looped(self.model, self.trained, self.objective)

    def sums(self, step: RunStep, rule: ClippingRule) -> tuple[ClippedSum, int]:
        """The clipped sum of a step's batch, accumulated over physical batches; zeros for an empty one."""
        units = np.flatnonzero(step.mask(self.pipeline.units))
        sums: dict[str, Tensor] = {}
        norms: list[Tensor] = []
        losses: list[Tensor] = []
        # Batches are about as large as was planned: a few more than fit are no second piece.
        size = min(self.physical + self.physical // 4, getattr(self.engine, "most", LARGEST))
        number = step.number()
        seeded = torch.initial_seed()
        for piece in self.pipeline.pieces(units, size):
            first = not norms
            found = self.piece(piece, rule, number, step.index, closely=first and is_due(step.index))
            for name, value in found.sums.items():
                # In 64 bits where there are several pieces, whose rounding would otherwise grow with their number.
                sums[name] = sums[name].add_(value) if name in sums else value
                if first and len(piece) < len(units):
                    sums[name] = value.double()
            norms.append(found.norms)
            losses.append(found.losses)
        refuse_seeding(seeded)
        if not norms:
            zeros = {name: torch.zeros_like(weight.detach()) for name, weight in self.trained.items()}
            return ClippedSum(zeros, torch.zeros(0), torch.zeros(0)), 0
        if len(norms) == 1:
            return ClippedSum(sums, norms[0], losses[0]), len(units)
        return ClippedSum(sums, torch.cat(norms), torch.cat(losses)), len(units)

    def piece(
        self, units: NDArray[np.int64], rule: ClippingRule, number: int, turn: int, *, closely: bool
    ) -> ClippedSum:
        """The clipped sum of some records or people; what fails there is told without a record's values."""
        try:
            batch = self.pipeline.batch(units, number, turn)
            found = self.engine.clipped_sum(batch, rule)
            self._look(batch, found, rule, number + int(units[0]), closely=closely)
        except NotSeen as reason:
            raise UnsafeModel(
                f"the model does something in a step that it did not do before: {reason}.",
                'The run stopped where it was. Use StepSpeed(engine="vmapped"), which can do it.',
            ) from None
        except PrivetError:
            raise
        except Exception as problem:  # noqa: BLE001 -- whatever it is, it may name a record's value
            raise BadTraining(
                f"the model, its loss or its augmentation fails on a batch with {type(problem).__name__}.",
                "The run stopped where it was. Run the model on all the data to find the record that does it.",
            ) from None
        return found

    # --- what several processes add: see `_data_parallel` --------------------------------------

    def stopping_all(self) -> AbstractContextManager[None]:
        """What stops this process inside stops all that work on the run."""
        return nullcontext()

    def begun(self, receipt: Receipt, state: State) -> None:
        """The run is booked, and its weights are those that it begins with."""

    def moved(self, shown: Progress) -> None:
        """The weights were moved by a noisy sum."""

    def all_taken(self) -> None:
        """All steps were taken: what leaves with the model is looked at."""

    def ended(self) -> None:
        """The weights are those that leave."""

    def _look(
        self, batch: Batch, found: ClippedSum, rule: ClippingRule, number: int, *, closely: bool
    ) -> None:
        """Whether one record moves the sum by its own gradient alone; which one is looked at, nobody can tell before."""
        # These run every example by itself: there is nothing that a neighbour could have changed.
        if self.engine.name in ALONE:
            return
        path = self.engine.path if isinstance(self.engine, Bookkeeping) else None
        # From the step's secret seed, so that no model can behave only while it is watched.
        index, turn = number // 64 % batch.examples, number % 64
        if closely or (path is not None and path not in self.known):
            with controlled():
                fault = neighbour_fault(self.engine, self.single, batch, index, rule.bound)
                fault = fault or alone_fault(self.engine, self.single, batch, index)
            self.known.add(path)
        elif self.engine.name == "closed":
            fault = ""
        elif self.is_random and self.engine.name == "vmapped":
            fault = self._mapped_fault(batch, index) if turn == 0 else ""
        elif self.is_random:
            fault = self._controlled_fault(batch, index) if turn % _RANDOM_IN == 0 else ""
        elif turn % _GRADIENT_IN == 0:
            fault = alone_fault(found, self.single, batch, index)
        else:
            fault = loss_fault(found.losses, self.model, self.objective, batch, index)
        if fault:
            raise UnsafeModel(
                f"the clipping is not exact for this model: {fault}.",
                'Remove what mixes or sorts the records of a batch, or use StepSpeed(engine="vmapped").',
            )

    def _controlled_fault(self, batch: Batch, index: int) -> str:
        with torch.no_grad(), controlled():
            losses = self.objective.losses(self.model, batch)
            return loss_fault(losses, self.model, self.objective, batch, index)

    def _mapped_fault(self, batch: Batch, index: int) -> str:
        with controlled():
            return alone_fault(self.engine, self.single, batch, index)
