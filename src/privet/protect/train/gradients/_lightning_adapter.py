"""A `LightningModule` and its `Trainer`, as settings of a private run.

`configure_optimizers` is translated, loggers are told what anybody may see. `training_step` is not run: it sees a whole batch and
may log exact losses, so the loss of one example is said to `train`. Hooks that see batches or gradients are refused by name.
"""

from __future__ import annotations

import inspect
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.errors import BadTraining, MissingExtra, checked
from privet.protect.train.gradients._adapted_run import AdaptedRun, rates_of, refuse, translated
from privet.protect.train.gradients._optimizer import StepSpeed
from privet.protect.train.gradients._training_plan import trained_weights
from privet.protect.train.gradients._training_progress import Progress

if TYPE_CHECKING:
    from privet.protect.train.gradients._training_plan import TrainingPlan

# What a module may change: the loss of a batch, which is not run, and what has nothing to do with training.
_FREE = {
    "forward",
    "training_step",
    "validation_step",
    "test_step",
    "predict_step",
    "configure_optimizers",
    "val_dataloader",
    "test_dataloader",
    "predict_dataloader",
    "extra_repr",
    "on_save_checkpoint",
    "on_load_checkpoint",
    "state_dict",
    "load_state_dict",
}
_NOT_DUE = ("on_validation", "on_test", "on_predict")
_PRECISIONS = ("32-true", "64-true")


@checked
def from_lightning(
    module: Any,
    plan: TrainingPlan,
    trainer: Any = None,
    *,
    speed: StepSpeed | None = None,
    folder: str | Path | None = None,
) -> AdaptedRun:
    """A private run with the settings of a `LightningModule`; `.train(data, ledger=…, why=…, loss=…)` runs it.

    Args:
        module: the `LightningModule` the plan was made for. Its `configure_optimizers` gives SGD, Adam or AdamW and a schedule by steps.
        plan: from `pv.train.plan(module, promise, …)`: batches, clipping, noise and the number of steps are decided there.
        trainer: a Lightning `Trainer`, whose settings are kept or refused, and whose loggers are told the epsilon so far.
        speed: physical batches, engine, processes.
        folder: where to keep checkpoints of the run.

    Guarantee:
        That of `train_model`, which does the training: every check and refusal of it holds.
    Assumes:
        What `train_model` assumes; code of the module and of loggers among it.
    """
    try:
        from lightning.pytorch import LightningModule, Trainer
    except ImportError:
        raise MissingExtra("this needs Lightning.", "pip install 'lightning>=2.5,<3'") from None
    if not isinstance(module, LightningModule):
        raise BadTraining("module is a LightningModule.", "Give the module itself.")
    if not module.automatic_optimization:
        refuse(["manual optimization"], "Leave automatic_optimization as it is.")
    _refuse_hooks(module, LightningModule)
    if trainer is not None:
        if not isinstance(trainer, Trainer):
            raise BadTraining(
                "trainer is a Trainer of Lightning.", "Give the object itself, or leave it out."
            )
        _refuse_settings(trainer, plan)
    optimizer, scheduler = _configured(module.configure_optimizers())
    trained = list(trained_weights(module).values())
    ours = translated(optimizer, trained, rates_of(optimizer, scheduler, plan.steps))
    many = int(os.environ.get("WORLD_SIZE", "1")) > 1
    loggers = [] if trainer is None else list(trainer.loggers)

    def tell(shown: Progress) -> None:
        for logger in loggers:
            logger.log_metrics(
                {"epsilon": shown.epsilon, "lr": shown.rate, "bound": shown.bound}, step=shown.step
            )

    place = None if folder is None else Path(folder)
    return AdaptedRun(module, plan, ours, speed or StepSpeed(ranks=many), place, tell if loggers else None)


def _refuse_hooks(module: Any, usual: Any) -> None:
    changed = [
        name
        for name in dir(usual)
        if not name.startswith(("_", *_NOT_DUE))
        and name not in _FREE
        and callable(getattr(usual, name))
        and inspect.getattr_static(type(module), name) is not inspect.getattr_static(usual, name)
    ]
    if changed:
        refuse(
            [f"{type(module).__name__}.{name}" for name in changed],
            "Take these hooks out: they see batches or gradients, or are never called here. Records go to train(data, prepare=…).",
        )


def _refuse_settings(trainer: Any, plan: TrainingPlan) -> None:
    found = []
    if trainer.accumulate_grad_batches != 1:
        found.append("accumulate_grad_batches")
    if trainer.gradient_clip_val:
        found.append("gradient_clip_val")
    if str(trainer.precision) not in _PRECISIONS:
        found.append("precision")
    if trainer.fast_dev_run or trainer.overfit_batches:
        found.append("fast_dev_run or overfit_batches")
    if trainer.num_devices != 1 or trainer.num_nodes != 1:
        found.append("devices and num_nodes")
    found += [f"the callback {type(one).__name__}" for one in trainer.callbacks]
    if found:
        refuse(
            found,
            "Leave these settings at their defaults, with enable_checkpointing=False, enable_progress_bar=False and "
            "enable_model_summary=False; torchrun and StepSpeed(ranks=True) take several processes.",
        )
    if trainer.max_steps != plan.steps:
        raise BadTraining(
            f"the plan pays for {plan.steps} steps, and the trainer says something else.",
            f"Use max_steps={plan.steps}; epochs are not counted where batches are drawn at random.",
        )


def _configured(found: Any) -> tuple[Any, Any]:
    """The one optimizer, and its schedule by steps."""
    import torch

    if isinstance(found, torch.optim.Optimizer):
        return found, None
    if isinstance(found, tuple | list) and len(found) == 2 and isinstance(found[0], list):
        optimizers, schedulers = found
        if len(optimizers) == 1 and len(schedulers) <= 1:
            found = {"optimizer": optimizers[0], "lr_scheduler": schedulers[0] if schedulers else None}
    if isinstance(found, list | tuple) and len(found) == 1 and isinstance(found[0], torch.optim.Optimizer):
        return found[0], None
    if not isinstance(found, dict) or not isinstance(found.get("optimizer"), torch.optim.Optimizer):
        refuse(["several optimizers, or none"], "Give one optimizer of all trained parameters.")
    scheduler = found.get("lr_scheduler")
    if scheduler is None:
        return found["optimizer"], None
    by = scheduler if isinstance(scheduler, dict) else {"scheduler": scheduler}
    if by.get("interval") != "step" or by.get("frequency", 1) != 1:
        refuse(
            ["a schedule by epochs"],
            'Use {"scheduler": …, "interval": "step"}: there are no epochs where batches are drawn at random.',
        )
    return found["optimizer"], by["scheduler"]
