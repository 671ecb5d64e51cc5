"""Training a model by clipped, noised gradients: the loop, and what goes in and comes out."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.artifact.receipt import Receipt
from privet.errors import BadTraining, MissingExtra, PrivetError, UnsafeModel
from privet.ledger import Ledger
from privet.mechanism import NoiseStream, SecretSeed
from privet.mechanism.gradient_noise import Step
from privet.protect.train.gradients.checkpoint import Folder, Saved, require_same, run_digest
from privet.protect.train.gradients.course import Course, StepSpeed
from privet.protect.train.gradients.mixing import Untrained
from privet.protect.train.gradients.neighbours import is_due, neighbour_fault
from privet.protect.train.gradients.objectives import Batch, Loss, Objective, called, each
from privet.protect.train.gradients.plan import Plan, trained_weights, weight_faults
from privet.protect.train.gradients.progress import OwnerView, Progress
from privet.protect.train.gradients.records import Records
from privet.protect.train.gradients.targets import refuse_bad_targets

if TYPE_CHECKING:
    import torch
    from torch import Tensor, nn

    from privet.protect.train.gradients.clipping.rule import ClippedSum, Engine, Rule
    from privet.protect.train.gradients.state import State

# Sums and norms are computed in 32 bits: one record may move a sum by this share of the bound more than the bound.
ROUNDING = 2.0**-10
# The most examples whose gradients are summed in 32 bits: above, the error of the sum would outgrow that share.
LARGEST = 512


@dataclass(frozen=True)
class TrainedModel:
    """A model whose weights keep the plan's promise, and the receipt that paid for it."""

    model: nn.Module
    plan: Plan
    receipt: Receipt
    engine: str
    progress: tuple[Progress, ...] = field(repr=False)

    def weights(self) -> dict[str, Tensor]:
        """The trained weights by name, apart from the model."""
        named = dict(self.model.named_parameters())
        return {name: named[name].detach().clone() for name, _ in self.plan.trained}


def train_model(  # noqa: PLR0913
    model: nn.Module,
    data: Any,
    plan: Plan,
    *,
    ledger: Ledger,
    why: str,
    loss: str | Loss = "cross_entropy",
    course: Course | None = None,
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
        data: (inputs, targets) as tensors, inputs also a tuple or a mapping of tensors; or a data set with a length
            and items (input, target). Not a data loader.
        plan: from `plan(model, promise, …)`.
        ledger: what the run is booked in, whole and before the first step.
        why: the reason, for auditors.
        loss: "cross_entropy", "logistic", "squared", "language", or a function of (outputs, targets) that gives one
            number for each example.
        course: optimizer, rates, moving average, augmentation.
        speed: physical batches, engine, threads, checkpoints.
        folder: where to keep checkpoints. A run that was killed goes on from there, to the weights it would have had
            and under the entry it had; with nothing spent twice.
        progress: called after every step with what anybody may see, the epsilon so far among it.
        owner: called after every step with exact figures that only the data's owner may see.
        purpose: charged as well, where it has a budget.
        analyst: charged as well, where they have a budget.

    Guarantee:
        The weights, and every iterate and `Progress` on the way, keep `plan.promise` for `plan.unit`.
    Assumes:
        Those of the plan; that the loss and the augmentation treat each example by itself beyond the records that the
        self-check looks at; and that `owner` shows its figures to nobody else.
    """
    torch = _torch()
    course, speed = course or Course(), speed or StepSpeed()
    records, objective = Records.of(data), Objective.of(loss)
    trained = trained_weights(model)
    _require_plan_of(plan, trained, records)
    threads = torch.get_num_threads()
    if speed.threads is not None:
        torch.set_num_threads(speed.threads)
    try:
        from privet.protect.train.gradients.self_check import SAMPLE, checked_engine
        from privet.protect.train.gradients.state import State

        device = next(iter(trained.values())).device

        def some(count: int) -> Batch:
            spread = np.arange(count) * max(1, records.size // count) % records.size
            return _batch(device, records, spread, course, torch.Generator().manual_seed(0))

        sample, wide = some(SAMPLE), some(min(speed.physical, LARGEST, plan.batch, records.size))
        _require_targets(model, objective, sample, wide, records)
        engine = checked_engine(model, trained, objective, sample, speed.engine, wide)
        state = State(trained, course, plan.clipping.bound)
        run = _Run(model, records, objective, plan, course, speed, engine, state, sample)
        run.open(ledger, None if folder is None else Folder(Path(folder)), why, purpose, analyst)
        return run.take_steps(progress, owner)
    finally:
        torch.set_num_threads(threads)


@dataclass
class _Run:
    """One run: what it works on, where it stands, and what it is booked under."""

    _model: nn.Module
    _records: Records
    _objective: Objective
    _plan: Plan
    _course: Course
    _speed: StepSpeed
    _engine: Engine
    _state: State
    _sample: Batch
    _folder: Folder | None = None
    _record: dict[str, Any] = field(default_factory=dict)
    _receipt: Receipt = field(init=False)
    _stream: NoiseStream = field(init=False)

    # --- booking -------------------------------------------------------------------------------

    def open(
        self, ledger: Ledger, folder: Folder | None, why: str, purpose: str | None, analyst: str | None
    ) -> None:
        """Book the run, or go on with the one in the folder under its entry."""
        self._folder = folder
        from privet.protect.train.gradients.trial_weights import is_same

        begun = folder.begun() if folder else None
        if folder and begun is not None and begun.finished:
            folder.forget()  # should it have been killed just before it did
            raise BadTraining("the run in this folder is finished.", "Use another folder for another run.")
        seed = folder.seed() if folder and begun else SecretSeed.fresh()
        initial = begun.record.get("initial", "") if begun else seed.keyed(self._initial())
        self._record = self._describe(seed, initial)
        if folder and begun:
            require_same(begun.record, self._record)
            if not is_same(folder.probed(), self._probed()):
                raise BadTraining(
                    "the model or the loss of this run computes something else than when it was begun.",
                    "Go on with exactly what was begun, or start in an empty folder and pay again.",
                )
        elif folder:
            folder.begin(seed, self._probed())
            folder.save(self._record, None, 0, self._state.tensors())
        run, start = run_digest(self._record), begun.step if begun else 0
        question = seed.question(run)
        paid = _receipt(ledger, begun, question)
        if paid is None:
            permit = ledger.charge(
                self._plan.event,
                why=why,
                unit=self._plan.unit,
                promise=self._plan.promise,
                purpose=purpose,
                analyst=analyst,
                question=question,
            )
        else:
            permit = ledger.resume(paid, question)
        self._receipt = permit.receipt
        self._stream = NoiseStream(permit, seed, run, start=start, disjoint=self._plan.disjoint)
        if folder and begun:
            self._state.restore(folder.load(start))
        if folder:
            folder.save(self._record, self._receipt, start, self._state.tensors())

    def _describe(self, seed: SecretSeed, initial: str) -> dict[str, Any]:
        """Everything a run depends on besides its seed. Data and weights enter by keyed digests, which tell nothing."""
        import torch

        kept = self._folder is not None
        return {
            "plan": self._plan.to_json(),
            "course": self._course.to_json(),
            "speed": self._speed.to_json(),
            "engine": self._engine.name,
            "loss": self._objective.name,
            "model": [[name, str(value.dtype), list(value.shape)] for name, value in self._named()],
            "data": seed.keyed(self._records.content()) if kept else "not kept",
            "initial": initial,
            "untrained": seed.keyed(_digest(self._untrained())) if kept else "not kept",
            "software": {"torch": torch.__version__, "numpy": np.__version__, "machine": platform.machine()},
        }

    def _named(self) -> list[tuple[str, Tensor]]:
        return [*self._model.named_parameters(), *self._model.named_buffers()]

    def _untrained(self) -> list[tuple[str, Tensor]]:
        return [(name, value) for name, value in self._named() if name not in self._state.trained]

    def _initial(self) -> bytes:
        return b"" if self._folder is None else _digest(self._named())

    def _probed(self) -> list[float]:
        """What the model, the loss and the augmentation make of a few records, to know them again."""
        from privet.protect.train.gradients.self_check import still
        from privet.protect.train.gradients.trial_weights import probe

        with still():
            return probe(self._engine, self._sample, self._state.trained)

    # --- steps ---------------------------------------------------------------------------------

    def take_steps(
        self, progress: Callable[[Progress], None] | None, owner: Callable[[OwnerView], None] | None
    ) -> TrainedModel:
        """All steps that are left of those that were paid for and planned."""
        import torch

        device = self._state.device
        with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
            shown = self._all_steps(progress, owner)
        self._state.take_average()
        if self._folder:
            self._folder.finish(self._record, self._receipt, self._plan.steps, self._state.tensors())
        return TrainedModel(self._model, self._plan, self._receipt, self._engine.name, tuple(shown))

    def _all_steps(
        self, progress: Callable[[Progress], None] | None, owner: Callable[[OwnerView], None] | None
    ) -> list[Progress]:
        import torch

        shown: list[Progress] = []
        plan, untrained = self._plan, Untrained(self._model, self._state.trained)
        device = self._state.device
        while self._stream.taken < plan.steps:
            step = self._stream.step()
            number = step.number()  # for dropout and the like
            torch.default_generator.manual_seed(number)
            if device.type == "cuda":
                torch.cuda.manual_seed(number)
            clipped, examples = self._clipped(step)
            untrained.refuse_moved(thorough=is_due(step.index + 1) or step.index + 1 == plan.steps)
            bound = self._state.bound
            shown.append(self._released(step, clipped))
            done = step.index + 1
            if self._folder and (done % self._speed.every == 0 or done == plan.steps):
                self._folder.save(self._record, self._receipt, done, self._state.tensors())
            if owner:
                owner(_owner_view(done, examples, clipped, bound))
            if progress:
                progress(shown[-1])
        return shown

    def _clipped(self, step: Step) -> tuple[ClippedSum, int]:
        """The clipped sum of a step's batch, accumulated over physical batches; zeros for an empty one."""
        import torch

        from privet.protect.train.gradients.clipping.rule import ClippedSum, Rule

        positions = np.flatnonzero(step.mask(self._records.size))
        rule = Rule(self._state.bound, normalised=self._plan.clipping.style == "automatic")
        generator = torch.Generator()
        if self._course.augment is not None:
            generator.manual_seed(step.number())
        sums: dict[str, Tensor] = {}
        norms: list[Tensor] = []
        losses: list[Tensor] = []
        size = min(self._speed.physical, LARGEST)
        for start in range(0, len(positions), size):
            piece = positions[start : start + size]
            found = self._piece(piece, rule, generator, step.index if start == 0 else 0)
            for name, value in found.sums.items():
                # In 64 bits where there are several pieces, whose rounding would otherwise grow with their number.
                sums[name] = sums[name].add_(value) if name in sums else value
                if start == 0 and len(positions) > size:
                    sums[name] = value.double()
            norms.append(found.norms)
            losses.append(found.losses)
        if not norms:
            zeros = {name: torch.zeros_like(weight.detach()) for name, weight in self._state.trained.items()}
            return ClippedSum(zeros, torch.zeros(0), torch.zeros(0)), 0
        if len(norms) == 1:
            return ClippedSum(sums, norms[0], losses[0]), len(positions)
        return ClippedSum(sums, torch.cat(norms), torch.cat(losses)), len(positions)

    def _piece(self, positions: Any, rule: Rule, generator: torch.Generator, done: int) -> ClippedSum:
        """The clipped sum of some records; what fails there is told without a record's values."""
        from privet.protect.train.gradients.clipping.watching import NotSeen

        try:
            batch = _batch(self._state.device, self._records, positions, self._course, generator)
            if is_due(done):
                self._look_again(batch, positions)
            return self._engine.clipped_sum(batch, rule)
        except NotSeen as reason:
            raise UnsafeModel(
                f"the model does something in a step that it did not do before: {reason}.",
                'The run stopped where it was. Use StepSpeed(engine="vmapped"), which can do it.',
            ) from None
        except (IndexError, KeyError, RuntimeError, TypeError, ValueError) as problem:
            raise BadTraining(
                f"the model, its loss or its augmentation fails on a batch with {type(problem).__name__}.",
                "The run stopped where it was. Run the model on all the data to find the record that does it.",
            ) from None

    def _look_again(self, batch: Batch, positions: Any) -> None:
        """Whether one record still moves the sum by its own gradient alone."""
        from privet.protect.train.gradients.clipping.looped import Looped
        from privet.protect.train.gradients.self_check import still

        single = Looped(self._model, self._state.trained, self._objective)
        with still():
            index = int(positions.sum()) % batch.examples
            fault = neighbour_fault(self._engine, single, batch, index, self._state.bound)
        if fault:
            raise UnsafeModel(
                f"the clipping is not exact for this model: {fault}.",
                'Remove what mixes or sorts the records of a batch, or use StepSpeed(engine="vmapped").',
            )

    def _released(self, step: Step, clipped: ClippedSum) -> Progress:
        """Noise, divide, move; nothing exact leaves this function."""
        import torch

        plan, state = self._plan, self._state
        bound = state.bound
        reach = bound * plan.reach * (1 + ROUNDING)
        parts = [clipped.sums[name].detach().cpu().numpy().reshape(-1) for name in state.trained]
        (noisy,) = step.noised([np.concatenate(parts)], reach)
        energy = float(np.einsum("i,i->", noisy, noisy))  # a dot product would wake a thread for each core
        noisy *= 1 / plan.divisor
        rate = self._course.rate_at(step.index, plan.steps)
        state.move(torch.from_numpy(noisy), rate)
        if plan.clipping.style == "adaptive":
            uncut = float((clipped.norms <= bound).float().sum()) - 0.5 * len(clipped.norms)
            (count,) = step.noised([np.array([uncut])], 0.5 * plan.reach, part=1)
            state.adapt(float(count[0]) / plan.batch + 0.5, plan.clipping.quantile, plan.clipping.pace)
        expected = plan.weights * (float(plan.noise_multiplier) * reach) ** 2
        signal = max(0.0, energy / expected - 1)
        done = step.index + 1
        return Progress(done, plan.steps, plan.epsilon_after(done), rate, bound, signal)


def _owner_view(done: int, examples: int, clipped: ClippedSum, bound: float) -> OwnerView:
    import torch

    finite = torch.isfinite(clipped.norms)
    left_out = int((~finite).sum())
    loss = float(clipped.losses[finite].mean()) if bool(finite.any()) else float("nan")
    share = float((clipped.norms > bound).float().mean()) if examples else 0.0
    return OwnerView(done, examples, loss, share, left_out)


def _batch(device: torch.device, records: Records, positions: Any, course: Course, generator: Any) -> Batch:
    """The records at these positions with their views, on the model's device."""
    inputs, targets = records.taken(positions)
    views = course.views
    if views > 1:
        inputs = each(inputs, lambda value: value.repeat_interleave(views, 0))
        targets = None if targets is None else targets.repeat_interleave(views, 0)
    if course.augment is not None:
        inputs = course.augment(inputs, generator)
    if device.type != "cpu":
        inputs = each(inputs, lambda value: value.to(device))
        targets = None if targets is None else targets.to(device)
    return Batch(inputs, targets, len(positions), views)


def _receipt(ledger: Ledger, begun: Saved | None, question: str) -> Receipt | None:
    """The entry that pays for a run that was begun: noted in its folder, or booked just before the run was killed."""
    if begun is None:
        return None
    return begun.receipt if begun.receipt is not None else ledger.paid(question)


def _require_plan_of(plan: Plan, trained: dict[str, nn.Parameter], records: Records) -> None:
    faults = weight_faults(trained)
    if tuple((name, tuple(weight.shape)) for name, weight in trained.items()) != plan.trained:
        faults.append("the plan was made for a model with other parameters to train.")
    if plan.sampling == "truncated" and records.size > plan.records:
        faults.append(
            "there are more records than the plan's bound, which truncated sampling is accounted with."
        )
    if faults:
        raise BadTraining(" ".join(faults), "Make the plan again.")


def _require_targets(
    model: nn.Module, objective: Objective, sample: Batch, wide: Batch, records: Records
) -> None:
    """Targets that the loss can take, and a model that runs on the inputs."""
    import torch

    from privet.protect.train.gradients.self_check import still

    try:
        with torch.no_grad(), still():
            outputs = called(model, sample.inputs)
    except Exception as problem:
        raise BadTraining(
            f"the model fails on the inputs with {type(problem).__name__}.",
            "Check their number, shape and type; the cause stands above. Nothing was spent.",
        ) from problem
    refuse_bad_targets(objective.name, outputs, records.targets(sample.targets))
    try:
        with torch.no_grad(), still():
            objective.losses(model, wide)
    except PrivetError:
        raise
    except Exception as problem:  # noqa: BLE001 -- whatever it is, it may name a record's value
        raise BadTraining(
            f"the model or its loss fails on a batch with {type(problem).__name__}.",
            "Check the targets, and the loss on a batch by itself. Nothing was spent.",
        ) from None


def _digest(values: list[tuple[str, Tensor]]) -> bytes:
    """Of tensors and their names, one after the other."""
    import torch

    total = hashlib.sha256()
    for name, value in values:
        total.update(f"{name} {value.dtype} {tuple(value.shape)}".encode())
        total.update(value.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes())
    return total.digest()


def _torch() -> Any:
    try:
        import torch
    except ImportError:
        raise MissingExtra("training a network needs PyTorch.", "pip install 'privet[torch]'") from None
    return torch
