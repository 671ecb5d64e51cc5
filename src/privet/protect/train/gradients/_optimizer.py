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

    from privet.protect.train.gradients._momentum import Momentum

OPTIMIZERS, SCHEDULES = ("sgd", "adam", "adamw"), ("constant", "linear", "cosine")
ENGINES = ("auto", "closed", "bookkeeping", "vmapped", "looped", "opacus")


@checked_class
@dataclass(frozen=True, slots=True)
class Optimizer:
    """The optimizer and what goes with it.

    Args:
        optimizer: "sgd", "adam" or "adamw".
        rate: the learning rate, of gradients that were divided by the plan's divisor.
        momentum: of "sgd".
        decay: weight decay.
        schedule: "constant", or falling to zero: "linear" or "cosine".
        warmup: over how many first steps the rate rises to its value.
        average: the decay of an exponential moving average of the weights, which is then what is returned.
        views: how many augmented views of an example are averaged before clipping (De et al. 2022).
        augment: changes the inputs of one record, which it is given as a batch of one, with a `torch.Generator` that is
            seeded for this record and step. What mixes, remembers or draws elsewhere is refused.
    """

    optimizer: Literal["sgd", "adam", "adamw"] = "sgd"
    rate: float = 0.1
    momentum: float = 0.9
    decay: float = 0.0
    schedule: Literal["constant", "linear", "cosine"] = "constant"
    warmup: int = 0
    average: float | None = None
    views: int = 1
    augment: Callable[[Any, torch.Generator], Any] | None = None

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
        if faults:
            raise BadTraining(" ".join(faults), "Correct the optimizer.")

    def rate_at(self, step: int, steps: int) -> float:
        """The learning rate of a step."""
        if step < self.warmup:
            return self.rate * (step + 1) / self.warmup
        done = (step - self.warmup) / max(1, steps - self.warmup)
        if self.schedule == "linear":
            return self.rate * (1 - done)
        if self.schedule == "cosine":
            return self.rate * (1 + math.cos(math.pi * done)) / 2
        return self.rate

    def optimizer_for(self, weights: list[torch.nn.Parameter]) -> torch.optim.Optimizer | Momentum:
        """A fresh optimizer."""
        import torch

        from privet.protect.train.gradients._momentum import Momentum

        if self.optimizer == "sgd":
            return Momentum(weights, self.momentum, self.decay)
        kind = torch.optim.Adam if self.optimizer == "adam" else torch.optim.AdamW
        return kind(weights, self.rate, weight_decay=self.decay)

    def to_json(self) -> dict[str, Any]:
        """A stable record; of the augmentation only its name."""
        return {
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
        physical: how many examples are held in memory at once; sums are accumulated over a batch.
        engine: "auto", or the way to clip: "closed", "bookkeeping", "vmapped", "looped", "opacus". Each is held
            against single examples before the first step.
        threads: of torch, for the time of the training.
        every: after how many steps a checkpoint is written, where there is a folder for it.
    """

    physical: int = 256
    engine: Literal["auto", "closed", "bookkeeping", "vmapped", "looped", "opacus"] = "auto"
    threads: int | None = None
    every: int = 50

    def __post_init__(self) -> None:
        if self.physical < 1 or self.every < 1 or (self.threads is not None and self.threads < 1):
            raise BadTraining("physical, every and threads are whole numbers of at least 1.", "Correct them.")
        if self.engine not in ENGINES:
            raise BadTraining(f"engine must be one of {', '.join(ENGINES)}.", 'Use "auto".')

    def to_json(self) -> dict[str, Any]:
        """A stable record."""
        return {"physical": self.physical, "engine": self.engine, "threads": self.threads}
