"""A run whose settings come from another library's objects: what they say is kept to the letter, or refused by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.errors import BadTraining
from privet.protect.train.gradients._optimizer import Optimizer, StepSpeed
from privet.protect.train.gradients._train_model import TrainedModel, train_model
from privet.protect.train.gradients._training_progress import Progress

if TYPE_CHECKING:
    import torch
    from torch import nn

    from privet.protect.train.gradients._training_plan import TrainingPlan

# What torch's optimizers take besides rate and decay, and what it must be for ours to do the same.
_DEFAULTS: dict[str, dict[str, Any]] = {
    "sgd": {"dampening": 0, "nesterov": False, "maximize": False},
    "adam": {"betas": (0.9, 0.999), "eps": 1e-8, "amsgrad": False, "maximize": False},
    "adamw": {"betas": (0.9, 0.999), "eps": 1e-8, "amsgrad": False, "maximize": False},
}


@dataclass(frozen=True)
class AdaptedRun:
    """A training run as another library's settings describe it; `train` runs `pv.train_model` with them."""

    model: nn.Module
    plan: TrainingPlan
    optimizer: Optimizer
    speed: StepSpeed
    folder: Path | None = None
    progress: Callable[[Progress], None] | None = None
    ended: Callable[[], None] | None = field(default=None, repr=False)

    def train(self, data: Any, **given: Any) -> TrainedModel:
        """Train under the plan's promise.

        Args:
            data: as `pv.train_model` takes it: tensors, a list of raw records, or a table; no loader.
            given: what else `pv.train_model` takes: `ledger`, `why`, `loss`, `prepare`, `people`, … .
        """
        settled = {"optimizer", "speed", "folder", "progress"} & given.keys()
        if settled:
            raise BadTraining(
                f"{', '.join(sorted(settled))} is said by the settings that were adapted.",
                "Say it there, or call pv.train_model itself.",
            )
        trained = train_model(
            self.model,
            data,
            self.plan,
            optimizer=self.optimizer,
            speed=self.speed,
            folder=self.folder,
            progress=self.progress,
            **given,
        )
        if self.ended is not None:
            self.ended()
        return trained


def translated(
    optimizer: torch.optim.Optimizer, trained: list[nn.Parameter], rates: tuple[float, ...]
) -> Optimizer:
    """An optimizer of torch's as one of ours that moves weights alike; refuses what ours would do otherwise."""
    import torch

    kinds = {torch.optim.SGD: "sgd", torch.optim.Adam: "adam", torch.optim.AdamW: "adamw"}
    name = kinds.get(type(optimizer))
    if name is None:
        refuse([f"the optimizer {type(optimizer).__name__}"], "Use SGD, Adam or AdamW of torch.")
    assert name is not None
    if len(optimizer.param_groups) != 1:
        refuse(["several groups of parameters"], "Give all trained parameters in one group.")
    (group,) = optimizer.param_groups
    if {id(weight) for weight in group["params"]} != {id(weight) for weight in trained}:
        refuse(
            ["an optimizer of some of the trained parameters"],
            "Freeze the others with requires_grad_(False), and plan again.",
        )
    other = [option for option, usual in _DEFAULTS[name].items() if group.get(option, usual) != usual]
    if other:
        refuse(
            [f"{option} of {type(optimizer).__name__}" for option in other], "Leave them as torch has them."
        )
    moved = {"momentum": float(group["momentum"])} if name == "sgd" else {}
    decay = float(group["weight_decay"])
    return Optimizer(name, rate=max(*rates, 1e-12), decay=decay, rates=rates, **moved)  # type: ignore[arg-type]


def rates_of(optimizer: torch.optim.Optimizer, scheduler: Any, steps: int) -> tuple[float, ...]:
    """The learning rate of every step, by running the scheduler without a gradient; refuses one that wants to see results."""
    import torch

    if isinstance(scheduler, torch.optim.lr_scheduler.ReduceLROnPlateau):
        refuse(["a rate that follows results"], "They are private: use a schedule of the step's number.")
    found = []
    for _ in range(steps):
        found.append(float(optimizer.param_groups[0]["lr"]))
        optimizer.step()  # without gradients it moves nothing
        if scheduler is not None:
            scheduler.step()
    return tuple(found)


def refuse(what: list[str], hint: str) -> None:
    """Refuse what cannot be kept; nothing was read or spent."""
    raise BadTraining(
        f"this cannot be kept under a privacy promise, or would be done otherwise: {', '.join(what)}.",
        hint,
        settings=what,
    )
