"""One run: booked whole, then exactly the steps that were paid for, each noised before anything of it is told."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor

from privet.artifact import Receipt
from privet.errors import BadTraining
from privet.ledger import Ledger
from privet.mechanism import SecretSeed
from privet.protect.train.gradients._checkpoint import Folder, Saved, require_same, run_digest
from privet.protect.train.gradients._clipped_steps import ClippedSteps
from privet.protect.train.gradients._controlled_randomness import controlled
from privet.protect.train.gradients._neighbour_check import is_due
from privet.protect.train.gradients._network_outcome import NetworkOutcome
from privet.protect.train.gradients._optimizer import Optimizer, StepSpeed
from privet.protect.train.gradients._per_example_loss import Batch
from privet.protect.train.gradients._released_state import Leaving
from privet.protect.train.gradients._run_noise import RunStep, RunStream, noise_stream
from privet.protect.train.gradients._step_guard import StepGuard
from privet.protect.train.gradients._torch_globals import own_generator
from privet.protect.train.gradients._training_plan import TrainingPlan
from privet.protect.train.gradients._training_progress import OwnerView, Progress
from privet.protect.train.gradients._training_state import State
from privet.protect.train.gradients._trial_weights import is_same, probe
from privet.protect.train.gradients.clipping import ClippedSum, ClippingRule

# Sums and norms are computed in 32 bits: one record may move a sum by this share of the bound more than the bound.
ROUNDING = 2.0**-10
_STOPPED = "The run was booked and stopped where it was; do not publish this model."


@dataclass
class Run:
    """What a run works on, where it stands, and what it is booked under."""

    _steps: ClippedSteps
    _plan: TrainingPlan
    _optimizer: Optimizer
    _speed: StepSpeed
    _state: State
    _sample: Batch
    _guard: StepGuard
    _leaving: Leaving
    _folder: Folder | None = None
    _record: dict[str, Any] = field(default_factory=dict)
    receipt: Receipt = field(init=False)
    _stream: RunStream = field(init=False)

    # --- booking -------------------------------------------------------------------------------

    def open(
        self,
        ledger: Ledger,
        folder: Folder | None,
        why: str,
        purpose: str | None,
        analyst: str | None,
        *,
        data: str | None = None,
    ) -> None:
        """Book the run, or go on with the one in the folder under its entry; `data` names the snapshot of a table."""
        self._folder = folder
        begun = folder.unfinished() if folder else None
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
                data=data,
                question=question,
            )
        else:
            permit = ledger.resume(paid, question)
        self.receipt = permit.receipt
        self._stream = noise_stream(self._plan, permit, seed, run, start)
        if folder and begun:
            self._state.restore(folder.load(begun))
            self._guard.note_weights()
        if folder:
            folder.save(self._record, self.receipt, start, self._state.tensors())

    def agreement(self) -> tuple[dict[str, Any], list[float]]:
        """What all processes of one run must have alike, and what its computation gives; exact, and not to be kept."""
        initial = _digest(self._named()).hex()
        return self._described(lambda content: hashlib.sha256(content).hexdigest(), initial), self._probed()

    def _describe(self, seed: SecretSeed, initial: str) -> dict[str, Any]:
        """Everything a run depends on besides its seed. Data and weights enter by keyed digests, which tell nothing."""
        return self._described(None if self._folder is None else seed.keyed, initial)

    def _described(self, keyed: Callable[[bytes], str] | None, initial: str) -> dict[str, Any]:
        records = self._steps.pipeline.records.content() if keyed else b""
        return {
            "plan": self._plan.to_json(),
            "optimizer": self._optimizer.to_json(),
            "speed": self._speed.to_json(),
            "engine": self._steps.engine.name,
            "loss": self._steps.objective.name,
            "model": [[name, str(value.dtype), list(value.shape)] for name, value in self._named()],
            "data": keyed(records + self._steps.pipeline.whose()) if keyed else "not kept",
            "rows": keyed(records) if keyed else "not kept",
            "initial": initial,
            "untrained": keyed(_digest(self._untrained())) if keyed else "not kept",
            "software": {"torch": torch.__version__, "numpy": np.__version__, "machine": platform.machine()},
        }

    def _named(self) -> list[tuple[str, Tensor]]:
        model = self._steps.model
        return [*model.named_parameters(), *model.named_buffers()]

    def _untrained(self) -> list[tuple[str, Tensor]]:
        return [(name, value) for name, value in self._named() if name not in self._state.trained]

    def _initial(self) -> bytes:
        return b"" if self._folder is None else _digest(self._named())

    def _probed(self) -> list[float]:
        """What the model, the loss and the augmentation make of a few records, to know them again."""
        with controlled():
            return probe(self._steps.engine, self._sample, self._state.trained)

    def made(self) -> NetworkOutcome:
        """What goes with the network, once all steps are taken."""
        return NetworkOutcome.of(self._steps.model, self._sample.inputs, self._steps.objective.name)

    # --- steps ---------------------------------------------------------------------------------

    def take_steps(
        self, progress: Callable[[Progress], None] | None, owner: Callable[[OwnerView], None] | None
    ) -> tuple[Progress, ...]:
        """All steps that are left of those that were paid for and planned; the weights are the last, or the average."""
        device = self._state.device
        with self._steps.stopping_all():
            self._steps.begun(self.receipt, self._state)
            with own_generator(device=device):
                shown = self._all_steps(progress, owner)
            self._steps.all_taken()
            self.refuse_more()
            self._state.take_average()
            if self._folder:
                self._folder.finish(self._record, self.receipt, self._plan.steps, self._state.tensors())
            self._steps.ended()
        return tuple(shown)

    def follow(self) -> tuple[Progress, ...]:
        """The part of a process that does not lead: its share of every step, until the first one says that all are taken."""
        from privet.protect.train.gradients._following_process import follow

        self.receipt, shown = follow(self._steps, self._state, self._guard, self.refuse_more)
        return shown

    def refuse_more(self) -> None:
        """Refuse to hand over a model that is other than before in anything but the weights that were trained."""
        self._guard.refuse_changes(_STOPPED, thorough=True)
        self._leaving.refuse_more()

    def _all_steps(
        self, progress: Callable[[Progress], None] | None, owner: Callable[[OwnerView], None] | None
    ) -> list[Progress]:
        shown: list[Progress] = []
        plan, device = self._plan, self._state.device
        while self._stream.taken < plan.steps:
            step = self._stream.step()
            number = step.number()  # for dropout and the like
            torch.default_generator.manual_seed(number)
            if device.type == "cuda":
                torch.cuda.manual_seed(number)
            rule = ClippingRule(self._state.bound, normalised=plan.clipping.style == "automatic")
            clipped, examples = self._steps.sums(step, rule)
            self._guard.refuse_changes(_STOPPED, thorough=is_due(step.index + 1))
            shown.append(self._released(step, clipped))
            self._guard.note_weights()
            self._steps.moved(shown[-1])
            done = step.index + 1
            if self._folder and (done % self._speed.every == 0 or done == plan.steps):
                self._folder.save(self._record, self.receipt, done, self._state.tensors())
            if owner:
                owner(_owner_view(done, examples, clipped, rule.bound))
            if progress:
                progress(shown[-1])
        return shown

    def _released(self, step: RunStep, clipped: ClippedSum) -> Progress:
        """Noise, divide, move; nothing exact leaves this function."""
        plan, state = self._plan, self._state
        bound = state.bound
        reach = bound * plan.reach * (1 + ROUNDING)
        parts = [clipped.sums[name].detach().cpu().numpy().reshape(-1) for name in state.trained]
        (noisy,) = step.noised([np.concatenate(parts)], reach)
        energy = float(np.einsum("i,i->", noisy, noisy))  # a dot product would wake a thread for each core
        noisy *= 1 / plan.divisor
        rate = self._optimizer.rate_at(step.index, plan.steps)
        deviation = plan.deviation_at(step.index) * reach
        state.move(torch.from_numpy(noisy), rate, (deviation / plan.divisor) ** 2)
        if plan.clipping.style == "adaptive":
            uncut = float((clipped.norms <= bound).float().sum()) - 0.5 * len(clipped.norms)
            (count,) = step.noised([np.array([uncut])], 0.5 * plan.reach, part=1)
            state.adapt(float(count[0]) / plan.batch + 0.5, plan.clipping.quantile, plan.clipping.pace)
        expected = len(noisy) * deviation**2
        signal = max(0.0, energy / expected - 1)
        done = step.index + 1
        return Progress(done, plan.steps, plan.epsilon_after(done), rate, bound, signal)


def _owner_view(done: int, examples: int, clipped: ClippedSum, bound: float) -> OwnerView:
    finite = torch.isfinite(clipped.norms)
    left_out = int((~finite).sum())
    loss = float(clipped.losses[finite].mean()) if bool(finite.any()) else float("nan")
    share = float((clipped.norms > bound).float().mean()) if examples else 0.0
    return OwnerView(done, examples, loss, share, left_out)


def _receipt(ledger: Ledger, begun: Saved | None, question: str) -> Receipt | None:
    """The entry that pays for a run that was begun: noted in its folder, or booked just before the run was killed."""
    if begun is None:
        return None
    return begun.receipt if begun.receipt is not None else ledger.paid(question)


def _digest(values: list[tuple[str, Tensor]]) -> bytes:
    """Of tensors and their names, one after the other."""
    total = hashlib.sha256()
    for name, value in values:
        total.update(f"{name} {value.dtype} {tuple(value.shape)}".encode())
        total.update(value.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes())
    return total.digest()
