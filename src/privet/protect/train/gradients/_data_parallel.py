"""One run of several processes: which records are in a batch and the noise are decided once, by the first; the sums by all.

The first process has the permit and the secret seed. It draws a step's batch, cuts it into the pieces that one process would
cut it into, and deals them out; every process clips and adds up its own, with every check that a process alone makes. The sums
come back as whole numbers of a grid (`_grid_sums`), are added, noised once, and the weights that follow are handed out. So the
batch is the one of a single process, the noise is drawn where the permit is, and the result does not depend on how many
processes there are. A share that is longer than its records can make it is refused; now and then, and nobody else knows when,
the first process computes another's share itself and compares.
"""

from __future__ import annotations

import hashlib
import itertools
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from privet.artifact import Receipt
from privet.errors import UnsafeModel
from privet.protect.train.gradients._clipped_steps import ClippedSteps
from privet.protect.train.gradients._controlled_randomness import refuse_seeding
from privet.protect.train.gradients._grid_sums import grid_of, length, parted, whole
from privet.protect.train.gradients._neighbour_check import is_due
from privet.protect.train.gradients._optimizer import StepSpeed
from privet.protect.train.gradients._process_group import Ranks
from privet.protect.train.gradients._rank_agreement import require_room
from privet.protect.train.gradients._run_noise import RunStep
from privet.protect.train.gradients._sharded_optimizer import ShardedState
from privet.protect.train.gradients._training_plan import TrainingPlan
from privet.protect.train.gradients._training_progress import Progress
from privet.protect.train.gradients._training_state import State
from privet.protect.train.gradients.clipping import LARGEST, ClippedSum, ClippingRule

# Of the bound: how far a share may be longer than its records can make it, and how far from what another computes for it.
_ROUNDING, _TOLERANCE = 2.0**-10, 5e-3
# In one step of so many, the first process computes the share of another one too.
_COMPARED_IN = 64


@dataclass(frozen=True, slots=True)
class DealtStep:
    """What a step asks of every process: the pieces of its batch, which are dealt out in turn."""

    index: int
    number: int  # what is random in the step besides batch and noise follows from it
    rule: ClippingRule
    pieces: list[NDArray[np.int64]]

    def tell(self, ranks: Ranks) -> None:
        """Hand it to all processes."""
        message = {"kind": "step", "index": self.index, "number": self.number, "bound": self.rule.bound}
        sizes = [len(piece) for piece in self.pieces]
        ranks.tell({**message, "normalised": self.rule.normalised, "sizes": sizes})
        if sizes:
            ranks.tell_values(torch.from_numpy(np.concatenate(self.pieces)))

    @classmethod
    def told(cls, ranks: Ranks, message: dict[str, Any]) -> DealtStep:
        """What the first process handed out."""
        sizes = [int(size) for size in message["sizes"]]
        units = ranks.told_values(sum(sizes), torch.int64).numpy()
        rule = ClippingRule(float(message["bound"]), normalised=bool(message["normalised"]))
        pieces = np.split(units, np.cumsum(sizes)[:-1]) if sizes else []
        return cls(int(message["index"]), int(message["number"]), rule, pieces)

    def of(self, number: int, count: int) -> list[int]:
        """Which pieces are those of one of `count` processes."""
        return list(range(number, len(self.pieces), count))


@dataclass(frozen=True, slots=True)
class Share:
    """What one process makes of its pieces."""

    total: NDArray[np.int64]
    norms: NDArray[np.float64]
    losses: NDArray[np.float64]

    def send(self, ranks: Ranks) -> None:
        """Hand it to the first process."""
        for values in (self.total, self.norms, self.losses):
            ranks.send(values)

    @classmethod
    def received(cls, ranks: Ranks, number: int) -> Share:
        """The share of another process."""
        total = ranks.received(number, torch.int64)
        return cls(total, ranks.received(number, torch.float64), ranks.received(number, torch.float64))


@dataclass
class ParallelSteps(ClippedSteps):
    """What computes the sums of a run of several processes."""

    ranks: Ranks = field(default_factory=Ranks)
    records: int = 1  # of the plan: a public number

    def sums(self, step: RunStep, rule: ClippingRule) -> tuple[ClippedSum, int]:
        """The clipped sum of a step's batch over all processes, and how many records or people are in it."""
        units = np.flatnonzero(step.mask(self.pipeline.units))
        secret = step.number()
        # Others learn a digest of the secret number: what follows from the number itself, they cannot foresee.
        number = int.from_bytes(hashlib.sha256(f"step {secret}".encode()).digest()[:8], "big") >> 2
        pieces = list(self.pipeline.pieces(units, min(self.physical, LARGEST)))
        dealt = DealtStep(step.index, number, rule, pieces)
        dealt.tell(self.ranks)
        with self.ranks.together():
            own = self.share(dealt, 0)
        grid, places = grid_of(rule.bound, self.records), _places(dealt)
        total = own.total
        norms, losses = np.zeros(len(units)), np.zeros(len(units))
        for other in range(self.ranks.count):
            found = own if other == 0 else Share.received(self.ranks, other)
            where = np.concatenate([places[at] for at in dealt.of(other, self.ranks.count)] or [places[-1]])
            if other:
                self._refuse_false(found, dealt, other, grid, len(where), secret)
                total = total + found.total
            norms[where], losses[where] = found.norms, found.losses
        sums = parted(total, grid, self.trained)
        return ClippedSum(sums, torch.from_numpy(norms), torch.from_numpy(losses)), len(units)

    def share(self, dealt: DealtStep, number: int) -> Share:
        """The sum of one process's pieces, each rounded to the grid once; zeros where it has none."""
        grid = grid_of(dealt.rule.bound, self.records)
        total = np.zeros(sum(weight.numel() for weight in self.trained.values()), dtype=np.int64)
        norms: list[Tensor] = []
        losses: list[Tensor] = []
        for at in dealt.of(number, self.ranks.count):
            _seed((dealt.number + at) % 2**62)
            seeded = torch.initial_seed()
            closely = not norms and is_due(dealt.index)
            found = self.piece(dealt.pieces[at], dealt.rule, dealt.number, dealt.index, closely=closely)
            refuse_seeding(seeded)
            total += whole(found.sums, grid, self.trained)
            norms.append(found.norms)
            losses.append(found.losses)
        return Share(total, _values(norms), _values(losses))

    def _refuse_false(  # noqa: PLR0917
        self, found: Share, dealt: DealtStep, other: int, grid: float, examples: int, secret: int
    ) -> None:
        """Refuse a share that cannot be the clipped sum of its records, or, where it is computed again, is not."""
        bound = dealt.rule.bound
        size = sum(weight.numel() for weight in self.trained.values())
        fault = ""
        if (len(found.total), len(found.norms), len(found.losses)) != (size, examples, examples):
            fault = "it is not of the records that were dealt out"
        elif length(found.total, grid) > (examples * (1 + _ROUNDING) + _TOLERANCE) * bound:
            fault = "it is longer than its clipped records can make it"
        elif self._is_compared(dealt.index, other, secret):
            apart = found.total - self.share(dealt, other).total
            if length(apart, grid) > _TOLERANCE * bound:
                fault = "it is not what this process computes for the same records"
        if fault:
            raise UnsafeModel(
                f"the sum of process {other} is not believed: {fault}.",
                "The run stopped where it was. Start all processes from the same code on the same data; if they are, "
                "look for a machine that computes wrongly.",
                process=other,
            )

    def _is_compared(self, index: int, other: int, secret: int) -> bool:
        """Whether another process's share is computed here as well: in steps that are due, and in some that only we know of."""
        turn, which = divmod(secret // 64, self.ranks.count - 1)
        return other == which + 1 and (turn % _COMPARED_IN == 0 or is_due(index))

    # --- what is told to the others ------------------------------------------------------------

    def stopping_all(self) -> AbstractContextManager[None]:
        """What stops the first process stops the others."""
        return self.ranks.stopping_all()

    def begun(self, receipt: Receipt, state: State) -> None:
        """Say under which entry, and hand out where the run begins or goes on."""
        self.ranks.tell({"kind": "begun", "receipt": receipt.to_json()})
        if isinstance(state, ShardedState):
            self.ranks.tell_bytes(state.handed_out())
        else:
            self.hand_out()

    def moved(self, shown: Progress) -> None:
        """Hand out the weights after a step, and what anybody may see of it."""
        self.ranks.tell({"kind": "moved", "shown": shown.to_json()})
        self.hand_out()

    def all_taken(self) -> None:
        """Every process looks at what leaves with its model."""
        self.ranks.tell({"kind": "leaving"})
        with self.ranks.together():
            pass

    def ended(self) -> None:
        """Hand out the weights that leave."""
        self.ranks.tell({"kind": "ended"})
        self.hand_out()
        self.ranks.ended = True

    def hand_out(self) -> None:
        """The weights of the first process, to all."""
        if self.ranks.count > 1:
            self.ranks.tell_values(torch.cat([_bytes(weight) for weight in self.trained.values()]))

    def take_over(self) -> None:
        """The weights of the first process, for this one."""
        sizes = [weight.numel() * weight.element_size() for weight in self.trained.values()]
        found = self.ranks.told_values(sum(sizes), torch.uint8)
        with torch.no_grad():
            for weight, part in zip(self.trained.values(), torch.split(found, sizes), strict=True):
                weight.copy_(part.clone().view(weight.dtype).view(weight.shape))


def parallel_steps(steps: ClippedSteps, ranks: Ranks, plan: TrainingPlan, speed: StepSpeed) -> ParallelSteps:
    """The same steps, of several processes."""
    require_room(plan, speed, ranks, steps.pipeline.units)
    held = {one.name: getattr(steps, one.name) for one in fields(steps)}
    return ParallelSteps(**held, ranks=ranks, records=plan.records)


def _places(dealt: DealtStep) -> list[NDArray[np.int64]]:
    """Where each piece's examples are among all; nothing at the end, for a process that has no piece."""
    ends = np.cumsum([0, *(len(piece) for piece in dealt.pieces)])
    found = [np.arange(start, stop) for start, stop in itertools.pairwise(ends)]
    return [*found, np.arange(0)]


def _values(found: list[Tensor]) -> NDArray[np.float64]:
    if not found:
        return np.zeros(0)
    return np.asarray(torch.cat(found).detach().cpu().double().numpy())


def _seed(number: int) -> None:
    """Torch's generator, for dropout and the like in one piece: the same in whatever process it is computed."""
    torch.default_generator.manual_seed(number)
    if torch.cuda.is_available():
        torch.cuda.manual_seed(number)


def _bytes(weight: Tensor) -> Tensor:
    return weight.detach().cpu().contiguous().reshape(-1).view(torch.uint8)
