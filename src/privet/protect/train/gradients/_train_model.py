"""Training a model by clipped, noised gradients: what goes in, what is looked at before, and what comes out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privet.artifact import Displayed, Receipt
from privet.errors import BadTraining, MissingExtra, PrivetError, UnsafeModel, checked
from privet.guarantee import Person
from privet.ledger import Ledger
from privet.protect._admission import admitted
from privet.protect.train.gradients._checkpoint import ROWS, Folder
from privet.protect.train.gradients._optimizer import Optimizer, StepSpeed
from privet.protect.train.gradients._per_example_loss import Batch, Loss, Objective, called
from privet.protect.train.gradients._person_groups import PersonGroups, named_in
from privet.protect.train.gradients._plan_faults import weight_faults
from privet.protect.train.gradients._table_records import TableRecords
from privet.protect.train.gradients._target_check import refuse_bad_targets
from privet.protect.train.gradients._training_plan import TrainingPlan, trained_weights
from privet.protect.train.gradients._training_progress import OwnerView, Progress
from privet.protect.train.gradients._training_records import (
    Prepare,
    TableSnapshot,
    TrainingRecords,
    tensors_in,
)
from privet.source import Table

if TYPE_CHECKING:
    from torch import Tensor, nn

    from privet.evidence import Signing
    from privet.protect.train.gradients._network_outcome import NetworkOutcome
    from privet.protect.train.gradients._process_group import Ranks
    from privet.protect.train.gradients._record_pipeline import Pipeline
    from privet.protect.train.gradients._released_network import ReleasedNetwork
    from privet.protect.train.gradients._training_run import Run

# So many records of a person are in the batches that are looked at before the first step; steps look at whole ones.
_RECORDS_LOOKED_AT = 4


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
    made: NetworkOutcome = field(repr=False)
    _drawn_as: ClassVar[str] = "trained model"

    def weights(self) -> dict[str, Tensor]:
        """The trained weights by name, apart from the model."""
        named = dict(self.model.named_parameters())
        return {name: named[name].detach().clone() for name, _ in self.plan.trained}

    @checked
    def released(
        self, *, target: str = "", classes: Sequence[str] = (), columns: Sequence[str] = ()
    ) -> ReleasedNetwork:
        """The network with its promise: to predict with, to attack, to save and to export.

        Args:
            target: what is predicted, for the card and for tables that hold it in a column of this name.
            classes: the names of its classes, in the order of its outputs; public.
            columns: of a table its columns, in the order of its inputs; public.
        """
        return self.made.released(
            self.model,
            self.plan,
            self.receipt,
            target=target,
            classes=tuple(classes),
            columns=tuple(columns),
        )

    @checked
    def save(
        self,
        folder: str | Path,
        *,
        target: str = "",
        classes: Sequence[str] = (),
        columns: Sequence[str] = (),
        only_trained: bool = False,
        signing: Signing | None = None,
    ) -> Path:
        """Write weights, record, receipt and card to a folder without code; `pv.load_model` reads it back.

        Args:
            folder: where to; one that is there is replaced only if it holds a model.
            target: what is predicted.
            classes: the names of its classes, in the order of its outputs; public.
            columns: of a table its columns, in the order of its inputs; public.
            only_trained: leave out what was not trained; whoever loads the folder brings it along, the same to the bit.
            signing: the data set's key, `pv.DataSet.of("patients.csv").signing()`; without one the promise is a claim.
        """
        leaves = self.released(target=target, classes=classes, columns=columns)
        return leaves.save(folder, only_trained=only_trained, signing=signing)

    def predict(self, data: object) -> NDArray[Any]:
        """For each record the likeliest class as a number, or the outputs of a network that predicts none."""
        return self.released().predict(data)


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
    people: Any = None,
    columns: Sequence[str] | None = None,
    target: str | None = None,
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
        data: (inputs, targets) as tensors, inputs also a tuple or a mapping of tensors; a list of raw records; or a table
            (`open_table`), whose rows are set aside on disk and read batch by batch. Not a data loader, and not a data
            set with code of its own.
        plan: from `plan(model, promise, …)`.
        ledger: what the run is booked in, whole and before the first step.
        why: the reason, for auditors.
        loss: "cross_entropy", "logistic", "squared", "language", or a function of (outputs, targets) that gives one
            number for each example; it is given each example alone.
        prepare: makes (input, target) of one raw record: loading, tokenizing, encoding. The same for the same record.
        people: where the plan's unit is a person: whose each record is, in their order, as numbers or texts. Raw records
            that are mappings may have it in an entry named as the unit's column instead, and a table says it by its unit.
        columns: of a table, the columns to learn from: numbers and truth values in the order of the model's inputs, or
            what `prepare` needs.
        target: of a table, the column to predict; whole numbers and truth values are classes.
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
        the records; that `people` names one person by one value; that no code handed in hides what it does from Python
        (files, processes, other languages); and that `owner` shows its figures to nobody else.
    """
    _torch()
    from privet.protect.train.gradients._process_group import all_or_none, ranks_of, refuse_wrapped
    from privet.protect.train.gradients._rank_agreement import require_agreement
    from privet.protect.train.gradients._torch_globals import limited_threads

    optimizer, speed = optimizer or Optimizer(), speed or StepSpeed()
    with ranks_of(speed) as ranks, limited_threads(speed.threads):
        with all_or_none(ranks):
            trained = trained_weights(model)
            refuse_wrapped(model)
            optimizer.refuse_other_length(plan.steps)
            kept = None if folder is None else Folder(Path(folder))
            objective, snapshot = Objective.of(loss), None
            if isinstance(data, TableSnapshot):
                snapshot, data = data.fingerprint, data.data
        if isinstance(data, Table):
            with all_or_none(ranks):
                purpose = admitted([data], "model", ledger=ledger, purpose=purpose)
                snapshot = data.fingerprint
            records: TrainingRecords = _rows_in_turn(ranks, data, plan, columns, target, prepare, kept)
        with all_or_none(ranks):
            if not isinstance(data, Table):
                _refuse_columns(columns, target)
                records = TrainingRecords.of(data, prepare)
            groups = _groups(plan, records, people)
            _require_plan_of(plan, trained, records.size if groups is None else groups.size)
            run, engine = _checked_run(
                model, trained, records, groups, objective, plan, optimizer, speed, ranks
            )
            agreed = None if ranks is None else run.agreement()
        if ranks is not None and agreed is not None:
            with ranks.together():
                require_agreement(ranks, *agreed)
        with all_or_none(ranks):
            if ranks is None or ranks.leads:
                run.open(ledger, kept, why, purpose, analyst, data=snapshot)
        shown = run.take_steps(progress, owner) if ranks is None or ranks.leads else run.follow()
        return TrainedModel(model, plan, run.receipt, engine, shown, run.made())


def _checked_run(  # noqa: PLR0917
    model: nn.Module,
    trained: dict[str, nn.Parameter],
    records: TrainingRecords,
    groups: PersonGroups | None,
    objective: Objective,
    plan: TrainingPlan,
    optimizer: Optimizer,
    speed: StepSpeed,
    ranks: Ranks | None,
) -> tuple[Run, str]:
    """A run of which everything between raw records and noise was looked at; nothing is booked yet."""
    from privet.protect.train.gradients._clipped_steps import ClippedSteps
    from privet.protect.train.gradients._controlled_randomness import controlled
    from privet.protect.train.gradients._data_parallel import parallel_steps
    from privet.protect.train.gradients._derived_constants import refuse_derived
    from privet.protect.train.gradients._pipeline_check import checked_pipeline
    from privet.protect.train.gradients._record_pipeline import Pipeline
    from privet.protect.train.gradients._released_state import Leaving
    from privet.protect.train.gradients._self_check import SAMPLE, checked_engine
    from privet.protect.train.gradients._sharded_optimizer import state_for
    from privet.protect.train.gradients._step_guard import StepGuard
    from privet.protect.train.gradients._training_run import Run
    from privet.protect.train.gradients.clipping import LARGEST

    device = next(iter(trained.values())).device
    leaving = Leaving(model, trained)
    pipeline = Pipeline(records, optimizer.augment, optimizer.views, device, people=groups)
    guard = StepGuard(model, trained, objective.loss, pipeline)
    guard.refuse_opaque()
    refuse_derived(guard.reachable, records)
    with guard.on_failure_put_back():
        pipeline = checked_pipeline(pipeline, _spread(SAMPLE, records.size))
        guard.refuse_changes("Nothing was spent.", thorough=True)
        sample, wide = _looked_at(pipeline, SAMPLE, min(speed.physical, LARGEST, plan.batch))
        objective = _settled(model, objective, sample, wide, records)
        engine = checked_engine(model, trained, objective, sample, speed.engine, wide, guard)
        with controlled() as mode:
            engine.clipped_sum(sample, _unclipped())
        guard.refuse_changes("Nothing was spent.", thorough=True)
    is_random = mode.drawn > 0
    steps = ClippedSteps(model, trained, objective, pipeline, engine, speed.physical, is_random)
    if ranks is not None:
        steps = parallel_steps(steps, ranks, plan, speed)
    state = state_for(trained, optimizer, plan.clipping.bound, ranks, sharded=speed.sharded)
    return Run(steps, plan, optimizer, speed, state, sample, guard, leaving), engine.name


def _rows_in_turn(  # noqa: PLR0917
    ranks: Ranks | None,
    table: Table,
    plan: TrainingPlan,
    columns: Sequence[str] | None,
    target: str | None,
    prepare: Prepare | None,
    folder: Folder | None,
) -> TableRecords:
    """The rows of a table, set aside: in the run's folder, from where a run that was killed takes them up again.

    Processes that follow take what the first one set aside where they see its folder, and else read the table themselves.
    """
    from privet.protect.train.gradients._process_group import all_or_none

    def rows(place: Path | None, begun: Callable[[bytes], bool] | None) -> TableRecords:
        _require_unit_of(table, plan)
        return TableRecords.of_table(
            table, plan.unit, columns=columns, target=target, prepare=prepare, place=place, begun=begun
        )

    place = None if folder is None else folder.path / ROWS
    with all_or_none(ranks):
        if ranks is None or ranks.leads:
            found = rows(place, None if folder is None else folder.known_rows())
            digest = b"" if ranks is None else found.content()
    if ranks is None:
        return found
    if ranks.leads:
        ranks.tell_bytes(digest)
    else:
        digest = ranks.told_bytes()
    with ranks.together():
        if not ranks.leads:
            there = place is not None and place.exists()
            found = rows(place, lambda own: own == digest) if there else rows(None, None)
    return found


def _require_unit_of(table: Table, plan: TrainingPlan) -> None:
    if table.unit_or_refuse() != plan.unit:
        raise BadTraining(
            f"the plan hides {plan.unit.sentence()}, and the table {table.unit_or_refuse().sentence()}.",
            "Plan with the unit that the table was opened with.",
        )


def _refuse_columns(columns: Sequence[str] | None, target: str | None) -> None:
    if columns is not None or target is not None:
        raise BadTraining(
            "columns and target are names in a table, and these are records.",
            "Leave them out, or give a table.",
        )


def _groups(plan: TrainingPlan, records: TrainingRecords, people: Any) -> PersonGroups | None:
    """Whose records they are, where the plan hides people."""
    if not isinstance(plan.unit, Person):
        if people is not None:
            raise BadTraining(
                "the plan hides single records, and people were given.",
                "Plan with unit=Person(…, max_rows=…), or leave people out.",
            )
        return None
    assert plan.unit.max_rows is not None
    if isinstance(records, TableRecords):
        if people is not None:
            raise BadTraining("the table says itself whose its rows are.", "Leave people out.")
        people = records.people()
    named = named_in(records.raw, plan.unit.column) if people is None else people
    return PersonGroups.of(named, records.size, plan.unit.max_rows, plan.pooling)


def _looked_at(pipeline: Pipeline, few: int, many: int) -> tuple[Batch, Batch]:
    """A few units spread over all, and a batch about as large as the run's with those that are farthest from zero."""
    far, people = pipeline.records.farthest(), pipeline.people
    if people is not None:
        pipeline = replace(pipeline, people=people.at_most(_RECORDS_LOOKED_AT))
        far, many = people.owners(far), max(2, many // _RECORDS_LOOKED_AT)
    spread = _spread(min(many, pipeline.units), pipeline.units)
    return pipeline.batch(_spread(few, pipeline.units), 0), pipeline.batch(np.union1d(spread, far), 0)


def _spread(count: int, size: int) -> Any:
    """So many positions, spread over all records; some twice where there are fewer."""
    return np.sort(np.arange(count) * max(1, size // count) % size)


def _unclipped() -> Any:
    from privet.protect.train.gradients.clipping import ClippingRule

    return ClippingRule(float("inf"))


def _require_plan_of(plan: TrainingPlan, trained: dict[str, nn.Parameter], units: int) -> None:
    faults = weight_faults(trained)
    if tuple((name, tuple(weight.shape)) for name, weight in trained.items()) != plan.trained:
        faults.append("the plan was made for a model with other parameters to train.")
    if plan.sampling == "truncated" and units > plan.records:
        faults.append(
            "there are more records or people than the plan's bound, which truncated sampling is accounted with."
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
