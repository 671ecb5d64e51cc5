"""How the weights move once a step's noisy gradient is there: post-processing, free to choose, without a privacy cost.

The augmentation stands before the gradient: it is a stage of the pipeline, and is given each record alone.

Free to choose *beforehand*: settings picked by looking at results on the private data are paid for by private tuning.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from privet.errors import BadTraining, checked_class

if TYPE_CHECKING:
    import torch
    from torch import nn

    from privet.protect.train.gradients._adam_bias_correction import CorrectedAdam
    from privet.protect.train.gradients._momentum import Momentum
    from privet.protect.train.gradients._training_plan import TrainingPlan

OPTIMIZERS, SCHEDULES = ("sgd", "adam", "adamw", "adam_bc"), ("constant", "linear", "cosine")
_LONGEST_WAIT = 24 * 3600.0
ENGINES = ("auto", "closed", "bookkeeping", "vmapped", "looped", "opacus")


@checked_class
@dataclass(frozen=True, slots=True)
class Optimizer:
    """The optimizer and what goes with it.

    Args:
        optimizer: "sgd", "adam", "adamw", or "adam_bc": Adam whose second moment is corrected for the noise (Tang et al. 2024).
        rate: the learning rate, of gradients that were divided by the plan's divisor.
        momentum: of "sgd".
        decay: weight decay.
        schedule: "constant", or falling to zero: "linear" or "cosine".
        warmup: over how many first steps the rate rises to its value.
        average: the decay of an exponential moving average of the weights, which is then what is returned.
        views: how many augmented views of an example are averaged before clipping (De et al. 2022).
        augment: changes the inputs of one record, which it is given as a batch of one, with a `torch.Generator` that is
            seeded for this record and step. What mixes, remembers or draws elsewhere is refused.
        rates: the learning rate of every step of the plan, instead of a schedule by name.
    """

    optimizer: Literal["sgd", "adam", "adamw", "adam_bc"] = "sgd"
    rate: float = 0.1
    momentum: float = 0.9
    decay: float = 0.0
    schedule: Literal["constant", "linear", "cosine"] = "constant"
    warmup: int = 0
    average: float | None = None
    views: int = 1
    augment: Callable[[Any, torch.Generator], Any] | None = None
    rates: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        faults = []
        if self.optimizer not in OPTIMIZERS:
            faults.append(f"optimizer must be one of {', '.join(OPTIMIZERS)}.")
        if self.schedule not in SCHEDULES:
            faults.append(f"schedule must be one of {', '.join(SCHEDULES)}.")
        if not 0 < self.rate < math.inf:
            faults.append("rate must be positive and finite.")
        if not 0 <= self.momentum < 1 or self.decay < 0 or self.warmup < 0:
            faults.append("momentum lies in [0, 1); decay and warmup are not negative.")
        if self.average is not None and not 0 < self.average < 1:
            faults.append("average, the decay of the moving average, lies between 0 and 1.")
        if self.views < 1 or (self.views > 1 and self.augment is None):
            faults.append("views is at least 1, and more than one needs augment.")
        if self.rates is not None and not all(0 <= rate < math.inf for rate in self.rates):
            faults.append("rates are finite and not negative.")
        if self.rates is not None and (self.schedule != "constant" or self.warmup):
            faults.append("rates say all of the schedule: leave schedule and warmup out.")
        if faults:
            raise BadTraining(" ".join(faults), "Correct the optimizer.")

    @classmethod
    def automatic(cls, model: nn.Module, plan: TrainingPlan) -> Optimizer:
        """Gradient descent with momentum whose rate follows from the plan and the weights before training, and from no record."""
        from privet.protect.train.gradients._automatic_settings import automatic_rate

        noise = plan.carried_deviation * plan.clipping.bound / plan.divisor
        return cls(rate=automatic_rate(model, noise, plan.steps))

    def rate_at(self, step: int, steps: int) -> float:
        """The learning rate of a step."""
        if self.rates is not None:
            return self.rates[step]
        if step < self.warmup:
            return self.rate * (step + 1) / self.warmup
        done = (step - self.warmup) / max(1, steps - self.warmup)
        if self.schedule == "linear":
            return self.rate * (1 - done)
        if self.schedule == "cosine":
            return self.rate * (1 + math.cos(math.pi * done)) / 2
        return self.rate

    def refuse_other_length(self, steps: int) -> None:
        """Refuse rates that are not those of so many steps."""
        if self.rates is not None and len(self.rates) != steps:
            raise BadTraining(
                f"there are {len(self.rates)} rates, and the plan has {steps} steps.",
                "Give a rate for each step.",
            )

    def optimizer_for(
        self, weights: list[torch.nn.Parameter]
    ) -> torch.optim.Optimizer | Momentum | CorrectedAdam:
        """A fresh optimizer."""
        import torch

        from privet.protect.train.gradients._adam_bias_correction import CorrectedAdam
        from privet.protect.train.gradients._momentum import Momentum

        if self.optimizer == "sgd":
            return Momentum(weights, self.momentum, self.decay)
        if self.optimizer == "adam_bc":
            return CorrectedAdam(weights, self.decay)
        kind = torch.optim.Adam if self.optimizer == "adam" else torch.optim.AdamW
        return kind(weights, self.rate, weight_decay=self.decay)

    def to_json(self) -> dict[str, Any]:
        """A stable record; of the augmentation only its name."""
        given = {} if self.rates is None else {"rates": list(self.rates)}
        return given | {
            "optimizer": self.optimizer,
            "rate": self.rate,
            "momentum": self.momentum,
            "decay": self.decay,
            "schedule": self.schedule,
            "warmup": self.warmup,
            "average": self.average,
            "views": self.views,
            "augment": None if self.augment is None else getattr(self.augment, "__qualname__", "own"),
        }


@checked_class
@dataclass(frozen=True, slots=True)
class StepSpeed:
    """How fast, not what: none of it changes batches, clipping or noise.

    Args:
        physical: about how many examples are held in memory at once (up to a quarter more); sums are accumulated over a batch.
            Where people are units, how many records: at least one person's.
        engine: "auto", or the way to clip: "closed", "bookkeeping", "vmapped", "looped", "opacus". Each is held
            against single examples before the first step.
        threads: of torch, for the time of the training.
        every: after how many steps a checkpoint is written, where there is a folder for it.
        ranks: all processes of torch's process group, as torchrun starts them, take part in one run: each does its share of
            every batch, in pieces of `physical` examples, and the first one books, adds the noise and keeps the folder.
        sharded: of "adam" and "adamw", each process keeps a part of the optimizer's state (torch's ZeroRedundancyOptimizer).
        patience: how many seconds a process waits for another one before it gives the run up.
    """

    physical: int = 256
    engine: Literal["auto", "closed", "bookkeeping", "vmapped", "looped", "opacus"] = "auto"
    threads: int | None = None
    every: int = 50
    ranks: bool = False
    sharded: bool = False
    patience: float = 600.0

    def __post_init__(self) -> None:
        if self.physical < 1 or self.every < 1 or (self.threads is not None and self.threads < 1):
            raise BadTraining("physical, every and threads are whole numbers of at least 1.", "Correct them.")
        if self.sharded and not self.ranks:
            raise BadTraining("there is nothing to shard in one process.", "Use ranks=True as well.")
        if not 0 < self.patience < _LONGEST_WAIT:
            raise BadTraining("patience is a positive number of seconds.", "Give a day at most.")
        if self.engine not in ENGINES:
            raise BadTraining(f"engine must be one of {', '.join(ENGINES)}.", 'Use "auto".')

    def to_json(self) -> dict[str, Any]:
        """A stable record."""
        found = {"physical": self.physical, "engine": self.engine, "threads": self.threads}
        # How many processes there are is not part of it: sums are the same to the bit.
        return found | {name: True for name in ("ranks", "sharded") if getattr(self, name)}
