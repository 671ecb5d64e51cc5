"""Training a model by clipped, noised gradients: what goes in, what is looked at before, and what comes out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from privet.artifact import Displayed, Receipt
from privet.errors import BadTraining, MissingExtra, PrivetError, UnsafeModel, checked
from privet.ledger import Ledger
from privet.protect.train.gradients._checkpoint import Folder
from privet.protect.train.gradients._optimizer import Optimizer, StepSpeed
from privet.protect.train.gradients._per_example_loss import Batch, Loss, Objective, called
from privet.protect.train.gradients._target_check import refuse_bad_targets
from privet.protect.train.gradients._training_plan import TrainingPlan, trained_weights, weight_faults
from privet.protect.train.gradients._training_progress import OwnerView, Progress
from privet.protect.train.gradients._training_records import Prepare, TrainingRecords, tensors_in

if TYPE_CHECKING:
    from torch import Tensor, nn

    from privet.protect.train.gradients._training_run import Run


@dataclass(frozen=True)
class TrainedModel(Displayed):
    """A model whose weights keep the plan's promise, and the receipt that paid for it.

    The model is what it was before the run, but for the weights that were trained: so it was compared.
    """

    model: nn.Module
    plan: TrainingPlan
    receipt: Receipt
    engine: str
    progress: tuple[Progress, ...] = field(repr=False)
    _drawn_as: ClassVar[str] = "trained model"

    def weights(self) -> dict[str, Tensor]:
        """The trained weights by name, apart from the model."""
        named = dict(self.model.named_parameters())
        return {name: named[name].detach().clone() for name, _ in self.plan.trained}


@checked
def train_model(  # noqa: PLR0913
    model: nn.Module,
    data: Any,
    plan: TrainingPlan,
    *,
    ledger: Ledger,
    why: str,
    loss: str | Loss = "cross_entropy",
    prepare: Prepare | None = None,
    optimizer: Optimizer | None = None,
    speed: StepSpeed | None = None,
    folder: str | Path | None = None,
    progress: Callable[[Progress], None] | None = None,
    owner: Callable[[OwnerView], None] | None = None,
    purpose: str | None = None,
    analyst: str | None = None,
) -> TrainedModel:
    """Train a PyTorch model in place, under the plan's promise; book first, then take exactly the steps paid for.

    Args:
        model: the model the plan was made for, in the mode (`train()`, `eval()`) it is to be trained in.
        data: (inputs, targets) as tensors, inputs also a tuple or a mapping of tensors; or a list of raw records. Not a
            data loader, and not a data set with code of its own.
        plan: from `plan(model, promise, …)`.
        ledger: what the run is booked in, whole and before the first step.
        why: the reason, for auditors.
        loss: "cross_entropy", "logistic", "squared", "language", or a function of (outputs, targets) that gives one
            number for each example; it is given each example alone.
        prepare: makes (input, target) of one raw record: loading, tokenizing, encoding. The same for the same record.
        optimizer: optimizer, rates, moving average, augmentation.
        speed: physical batches, engine, threads, checkpoints.
        folder: where to keep checkpoints. A run that was killed goes on from there, to the weights it would have had
            and under the entry it had; with nothing spent twice.
        progress: called after every step with what anybody may see, the epsilon so far among it.
        owner: called after every step with exact figures that only the data's owner may see.
        purpose: charged as well, where it has a budget.
        analyst: charged as well, where they have a budget.

    Guarantee:
        The weights, and every iterate and `Progress` on the way, keep `plan.promise` for `plan.unit`; nothing else of
        the model is other than before.
    Assumes:
        Those of the plan; that records, weights, constants and vocabularies that are handed in were not computed from
        the records; that no code handed in hides what it does from Python (files, processes, other languages); and
        that `owner` shows its figures to nobody else.
    """
    _torch()
    optimizer, speed = optimizer or Optimizer(), speed or StepSpeed()
    trained = trained_weights(model)
    records, objective = TrainingRecords.of(data, prepare), Objective.of(loss)
    _require_plan_of(plan, trained, records)
    from privet.protect.train.gradients._torch_globals import limited_threads

    with limited_threads(speed.threads):
        run, engine = _checked_run(model, trained, records, objective, plan, optimizer, speed)
        run.open(ledger, None if folder is None else Folder(Path(folder)), why, purpose, analyst)
        shown = run.take_steps(progress, owner)
        return TrainedModel(model, plan, run.receipt, engine, shown)


def _checked_run(  # noqa: PLR0917
    model: nn.Module,
    trained: dict[str, nn.Parameter],
    records: TrainingRecords,
    objective: Objective,
    plan: TrainingPlan,
    optimizer: Optimizer,
    speed: StepSpeed,
) -> tuple[Run, str]:
    """A run of which everything between raw records and noise was looked at; nothing is booked yet."""
    from privet.protect.train.gradients._clipped_steps import LARGEST, ClippedSteps
    from privet.protect.train.gradients._controlled_randomness import controlled
    from privet.protect.train.gradients._derived_constants import refuse_derived
    from privet.protect.train.gradients._pipeline_check import checked_pipeline
    from privet.protect.train.gradients._record_pipeline import Pipeline
    from privet.protect.train.gradients._released_state import Leaving
    from privet.protect.train.gradients._self_check import SAMPLE, checked_engine
    from privet.protect.train.gradients._step_guard import StepGuard
    from privet.protect.train.gradients._training_run import Run
    from privet.protect.train.gradients._training_state import State

    device = next(iter(trained.values())).device
    leaving = Leaving(model, trained)
    pipeline = Pipeline(records, optimizer.augment, optimizer.views, device)
    guard = StepGuard(model, trained, objective.loss, pipeline)
    guard.refuse_opaque()
    refuse_derived(guard.reachable, records)
    with guard.on_failure_put_back():
        few = _spread(SAMPLE, records.size)
        many = _spread(min(speed.physical, LARGEST, plan.batch, records.size), records.size)
        pipeline = checked_pipeline(pipeline, few)
        guard.refuse_changes("Nothing was spent.", thorough=True)
        sample = pipeline.batch(few, 0)
        wide = pipeline.batch(np.union1d(many, records.farthest()), 0)
        objective = _settled(model, objective, sample, wide, records)
        engine = checked_engine(model, trained, objective, sample, speed.engine, wide, guard)
        with controlled() as mode:
            engine.clipped_sum(sample, _unclipped())
        guard.refuse_changes("Nothing was spent.", thorough=True)
    steps = ClippedSteps(
        model, trained, objective, pipeline, engine, speed.physical, is_random=mode.drawn > 0
    )
    state = State(trained, optimizer, plan.clipping.bound)
    return Run(steps, plan, optimizer, speed, state, sample, guard, leaving), engine.name


def _spread(count: int, size: int) -> Any:
    """So many positions, spread over all records; some twice where there are fewer."""
    return np.sort(np.arange(count) * max(1, size // count) % size)


def _unclipped() -> Any:
    from privet.protect.train.gradients.clipping import ClippingRule

    return ClippingRule(float("inf"))


def _require_plan_of(plan: TrainingPlan, trained: dict[str, nn.Parameter], records: TrainingRecords) -> None:
    faults = weight_faults(trained)
    if tuple((name, tuple(weight.shape)) for name, weight in trained.items()) != plan.trained:
        faults.append("the plan was made for a model with other parameters to train.")
    if plan.sampling == "truncated" and records.size > plan.records:
        faults.append(
            "there are more records than the plan's bound, which truncated sampling is accounted with."
        )
    if faults:
        raise BadTraining(" ".join(faults), "Make the plan again.")


def _settled(
    model: nn.Module, objective: Objective, sample: Batch, wide: Batch, records: TrainingRecords
) -> Objective:
    """The loss as it will be called, with targets that it can take and a model that runs on the inputs."""
    import torch

    from privet.protect.train.gradients._controlled_randomness import controlled

    writes = _writes(sample)
    try:
        with torch.no_grad(), controlled():
            outputs = called(model, sample.inputs)
    except PrivetError:
        raise
    except Exception as problem:
        raise BadTraining(
            f"the model fails on the inputs with {type(problem).__name__}.",
            "Check their number, shape and type; the cause stands above. Nothing was spent.",
        ) from problem
    if _writes(sample) != writes:
        raise UnsafeModel(
            "the model changes its inputs in place.",
            "Copy them first, or use the operation that is not in place.",
        )
    refuse_bad_targets(objective.name, outputs, records.targets(sample.targets))
    try:
        with torch.no_grad(), controlled():
            objective = objective.settled(outputs, sample.targets, sample.rows)
            objective.losses(model, wide)
    except PrivetError:
        raise
    except Exception as problem:  # noqa: BLE001 -- whatever it is, it may name a record's value
        raise BadTraining(
            f"the model or its loss fails on a batch with {type(problem).__name__}.",
            "Check the targets, and the loss on a batch by itself. Nothing was spent.",
        ) from None
    return objective


def _writes(batch: Batch) -> int:
    """How often the tensors of a batch were written to."""
    return sum(value._version for value in tensors_in(batch.inputs))  # noqa: SLF001


def _torch() -> Any:
    try:
        import torch
    except ImportError:
        raise MissingExtra("training a network needs PyTorch.", "pip install 'privet[torch]'") from None
    return torch
