"""`TrainingArguments` and callbacks of Hugging Face's `Trainer`, as settings of a private run.

Every argument that differs from its default is either translated, or concerns only what is shown, or is refused by name: gradient
accumulation, mixed precision, loaders and samplers, evaluation, clipping of the sum, and whatever a later version adds.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.errors import BadTraining, MissingExtra, checked
from privet.protect.train.gradients._adapted_run import AdaptedRun, rates_of, refuse
from privet.protect.train.gradients._optimizer import Optimizer, StepSpeed
from privet.protect.train.gradients._training_progress import Progress

if TYPE_CHECKING:
    from torch import nn

    from privet.protect.train.gradients._training_plan import TrainingPlan

_TRANSLATED = {
    "output_dir",
    "per_device_train_batch_size",
    "max_steps",
    "num_train_epochs",
    "learning_rate",
    "lr_scheduler_type",
    "lr_scheduler_kwargs",
    "warmup_steps",
    "optim",
    "max_grad_norm",
    "logging_steps",
    "save_steps",
    "ddp_timeout",
}
# What is shown and where. Seeds are drawn in secret; the model stays on the device that it is on.
_SHOWN = {
    "logging_first_step",
    "log_level",
    "log_level_replica",
    "log_on_each_node",
    "disable_tqdm",
    "run_name",
    "save_total_limit",
    "seed",
    "use_cpu",
    "do_train",
    "local_rank",
    "per_device_eval_batch_size",
    "logging_dir",
}
_OPTIMIZERS = {"adamw_torch": "adamw", "adamw_torch_fused": "adamw", "sgd": "sgd"}
# Those that are called here, and those that only an evaluation or an upload would call.
_CALLED = {"on_init_end", "on_train_begin", "on_step_end", "on_log", "on_train_end"}
_NEVER_DUE = {"on_evaluate", "on_predict", "on_prediction_step", "on_push_begin"}


@checked
def from_hugging_face(
    model: nn.Module, plan: TrainingPlan, arguments: Any, *, callbacks: Sequence[Any] = ()
) -> AdaptedRun:
    """A private run with the settings of Hugging Face's `Trainer`; `.train(data, ledger=…, why=…, loss="language")` runs it.

    Args:
        model: the model the plan was made for.
        plan: from `pv.train.plan(model, promise, …)`: batches, clipping, noise and the number of steps are decided there.
        arguments: `transformers.TrainingArguments` with `max_steps` of the plan and `max_grad_norm=0`. Kept are the optimizer (AdamW, SGD),
            rates and their schedule, `per_device_train_batch_size` (what is in memory at once), `save_steps` and `output_dir`.
        callbacks: `TrainerCallback`s, which are told what anybody may see: the step, the epsilon so far, the rate.

    Guarantee:
        That of `train_model`, which does the training: every check and refusal of it holds.
    Assumes:
        What `train_model` assumes; code of callbacks among it.
    """
    try:
        from transformers import TrainerCallback, TrainingArguments
    except ImportError:
        raise MissingExtra(
            "this needs Hugging Face's transformers.", "pip install 'privet[language]'"
        ) from None
    if not isinstance(arguments, TrainingArguments):
        raise BadTraining("arguments are transformers.TrainingArguments.", "Give the object itself.")
    _refuse_other(arguments, plan)
    for callback in callbacks:
        _refuse_callback(callback, TrainerCallback)
    told = _Told(arguments, plan, list(callbacks))
    every = arguments.save_steps
    speed = StepSpeed(
        physical=arguments.per_device_train_batch_size,
        every=int(every) if every >= 1 else max(1, int(every * plan.steps)),
        ranks=int(os.environ.get("WORLD_SIZE", "1")) > 1,
        patience=float(arguments.ddp_timeout),
    )
    rates = _rates(arguments, plan.steps)
    name = _OPTIMIZERS[str(getattr(arguments.optim, "value", arguments.optim))]
    optimizer = Optimizer(name, rate=max(*rates, 1e-12), momentum=0.0, rates=rates)  # type: ignore[arg-type]
    folder = None if arguments.output_dir is None else Path(arguments.output_dir)
    return AdaptedRun(model, plan, optimizer, speed, folder, told.progress, told.ended)


def _refuse_other(arguments: Any, plan: TrainingPlan) -> None:
    usual = type(arguments)(output_dir=arguments.output_dir, use_cpu=arguments.use_cpu)
    differing = [
        one.name
        for one in dataclasses.fields(arguments)
        if getattr(arguments, one.name) != getattr(usual, one.name)
        and one.name not in _TRANSLATED | _SHOWN
        and not one.name.startswith("_")
        and not dataclasses.is_dataclass(getattr(arguments, one.name))
    ]
    if differing:
        refuse(
            differing,
            "Leave these arguments at their defaults; the plan says how batches are made and gradients clipped.",
        )
    if arguments.max_steps != plan.steps:
        raise BadTraining(
            f"the plan pays for {plan.steps} steps, and the arguments say something else.",
            f"Use max_steps={plan.steps}; epochs are not counted where batches are drawn at random.",
        )
    if arguments.max_grad_norm:
        refuse(
            ["max_grad_norm"], "Use max_grad_norm=0: the plan clips each example's gradient, not their sum."
        )
    if str(getattr(arguments.optim, "value", arguments.optim)) not in _OPTIMIZERS:
        refuse(["optim"], f"Use one of {', '.join(_OPTIMIZERS)}.")


def _rates(arguments: Any, steps: int) -> tuple[float, ...]:
    import torch
    from transformers import get_scheduler

    if (
        str(getattr(arguments.lr_scheduler_type, "value", arguments.lr_scheduler_type))
        == "reduce_lr_on_plateau"
    ):
        refuse(["a rate that follows results"], "They are private: use a schedule of the step's number.")
    stand_in = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=arguments.learning_rate)
    scheduler = get_scheduler(
        arguments.lr_scheduler_type,
        stand_in,
        num_warmup_steps=arguments.get_warmup_steps(steps),
        num_training_steps=steps,
        scheduler_specific_kwargs=arguments.lr_scheduler_kwargs,
    )
    return rates_of(stand_in, scheduler, steps)


def _refuse_callback(callback: Any, usual: Any) -> None:
    if not isinstance(callback, usual):
        raise BadTraining("callbacks are objects of TrainerCallback.", "Give objects, not classes.")
    changed = [
        name
        for name in dir(usual)
        if name.startswith("on_")
        and name not in _CALLED | _NEVER_DUE
        and getattr(type(callback), name) is not getattr(usual, name)
    ]
    if changed:
        refuse(
            [f"{type(callback).__name__}.{name}" for name in changed],
            f"Called are {', '.join(sorted(_CALLED))}, without the model, its gradients or batches.",
        )


class _Told:
    """Callbacks, and the state of the trainer that they read."""

    def __init__(self, arguments: Any, plan: TrainingPlan, callbacks: list[Any]) -> None:
        from transformers import TrainerControl, TrainerState

        self._arguments, self._callbacks = arguments, callbacks
        self._state, self._control = TrainerState(max_steps=plan.steps), TrainerControl()
        self._begun = False

    def progress(self, shown: Progress) -> None:
        """After a step: what anybody may see."""
        if not self._begun:
            self._begun = True
            self._call("on_init_end")
            self._call("on_train_begin")
        self._state.global_step = shown.step
        self._call("on_step_end")
        every = self._arguments.logging_steps
        each = int(every) if every >= 1 else max(1, int(every * shown.steps))
        if (
            shown.step % each == 0
            or shown.step == shown.steps
            or (shown.step == 1 and self._arguments.logging_first_step)
        ):
            logs = {
                "epsilon": shown.epsilon,
                "learning_rate": shown.rate,
                "clipping_bound": shown.bound,
                "signal_to_noise": shown.signal_to_noise,
                "step": shown.step,
            }
            self._state.log_history.append(logs)
            self._call("on_log", logs=logs)

    def ended(self) -> None:
        """All steps were taken; in processes that follow, nothing was told before, and nothing is now."""
        if self._begun:
            self._call("on_train_end")

    def _call(self, name: str, **given: Any) -> None:
        for callback in self._callbacks:
            hook: Callable[..., Any] = getattr(callback, name)
            control = hook(self._arguments, self._state, self._control, **given)
            self._control = self._control if control is None else control
        if self._control.should_training_stop and name != "on_train_end":
            raise BadTraining(
                "a callback asks to stop, and the run was booked whole.",
                "Plan fewer steps instead. With an output_dir, the run goes on from there without that callback.",
            )
