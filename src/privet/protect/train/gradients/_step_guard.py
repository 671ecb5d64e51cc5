"""Between a step's sums and its noise: nothing that the model or the functions around it can reach has changed.

What changed holds something of records. It would leave with the model, or carry one step's records into the next, and no
noise covers either; so the step's sums are not released. What was written is put back where a copy was kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn

from privet.errors import PrivetError, UnsafeModel, UnsafePipeline
from privet.protect.train.gradients._reachable_state import ReachableState
from privet.protect.train.gradients._value_fingerprints import LEAVES, same

if TYPE_CHECKING:
    from privet.protect.train.gradients._record_pipeline import Pipeline
    from privet.protect.train.gradients._training_records import TrainingRecords

_BITS = {torch.float32: torch.int32, torch.float64: torch.int64}
_ARRAY_BITS = {torch.float32: np.int32, torch.float64: np.int64}
_WATCHED = 16  # so many raw records are looked at for what is written to them
_NAMED = 5  # so many places are named in a refusal


class StepGuard:
    """Everything there is besides the sums, as it was before the first record was seen."""

    def __init__(
        self,
        model: nn.Module,
        trained: dict[str, nn.Parameter],
        loss: object,
        pipeline: Pipeline | None = None,
    ) -> None:
        records = None if pipeline is None else pipeline.records
        roots = {
            "model": model,
            "loss": loss,
            "augment": None if pipeline is None else pipeline.augment,
            "prepare": None if records is None else records.prepare,
            "a raw record": None if records is None else records.raw and _watched(records.raw),
        }
        self._records: TrainingRecords | None = records
        self._writes = 0 if records is None else records.writes()
        self._trained = trained
        self._kept = [
            _KeptWeights({name: weight for name, weight in trained.items() if _kind(weight) == kind})
            for kind in dict.fromkeys(map(_kind, trained.values()))
        ]
        self.reachable = ReachableState(roots, trained)

    def refuse_opaque(self) -> None:
        """Refuse what could keep records where nothing can look."""
        found = self.reachable.opaque
        if found:
            raise UnsafePipeline(
                f"something can keep records where nobody can look into it: {_listed(found)}.",
                "Nothing was spent. Take it out, or keep what it holds in tensors, lists and attributes: queues, iterators "
                "in other languages and scripted modules (train the module that was scripted) do not show what they hold.",
                places=found,
            )

    def refuse_changes(self, when: str, *, thorough: bool = False) -> None:
        """Refuse to go on when something is not what it was; names where."""
        if self._records is not None and self._records.writes() != self._writes:
            raise UnsafePipeline(
                "the records themselves were written to.",
                f"{when} Copy before changing in place: the model, the loss or a stage before them does not.",
            )
        found = self.changed(thorough=thorough)
        if found:
            self.put_back()
            raise _refusal(found, when)

    def changed(self, *, thorough: bool = False) -> list[str]:
        """Where something is not what it was: among the weights, or anywhere that is reachable."""
        written = {name for kept in self._kept for name in kept.written()}
        found = [f"model.{name}" for name in self._trained if name in written] if written else []
        return [*found, *self.reachable.changed(thorough=thorough)]

    def note_weights(self) -> None:
        """The weights were moved by a noisy sum: this is what they are now."""
        for kept in self._kept:
            kept.note()

    def put_back(self) -> None:
        """Everything as it was, as far as copies were kept."""
        self.reachable.put_back()
        for kept in self._kept:
            kept.put_back()

    @contextmanager
    def on_failure_put_back(self) -> Iterator[None]:
        """What a refused check did to the model is undone."""
        try:
            yield
        except PrivetError:
            self.put_back()
            raise


class _KeptWeights:
    """A copy of weights of one type on one device, one after the other, which they are compared with to the last bit."""

    def __init__(self, weights: dict[str, nn.Parameter]) -> None:
        self._weights = weights
        self._all: list[Tensor] = list(weights.values())
        self._forms = [_form(weight) for weight in self._all]
        like = self._all[0].detach()
        self._was = like.new_empty(sum(weight.numel() for weight in self._all))
        parts = torch.split(self._was, [weight.numel() for weight in self._all])
        self._parts = [part.view(weight.shape) for part, weight in zip(parts, self._all, strict=True)]
        self.note()

    def note(self) -> None:
        """These are the weights."""
        with torch.no_grad():
            torch._foreach_copy_(self._parts, self._all)

    def written(self) -> list[str]:
        """Which weights are not what they were, to the last bit; what is no number too."""
        rows = zip(self._weights.items(), self._parts, self._forms, strict=True)
        return [name for (name, now), was, form in rows if _form(now) != form or not _same_bits(now, was)]

    def put_back(self) -> None:
        """The weights are what they were."""
        with torch.no_grad():
            for weight, was in zip(self._all, self._parts, strict=True):
                weight.copy_(was)


def _kind(weight: Tensor) -> tuple[torch.dtype, torch.device]:
    return weight.dtype, weight.device


def _form(weight: Tensor) -> tuple[torch.dtype, torch.Size]:
    """What a weight is besides its numbers."""
    return weight.dtype, weight.shape


def refuse_memory(guard: StepGuard, run: Callable[[], Any], otherwise: Callable[[], Any]) -> None:
    """Refuse a model that is not what it was, now or after `run`; `otherwise` runs it on other records, for the reason."""
    before = guard.changed(thorough=True)
    guard.put_back()
    run()
    found = guard.changed(thorough=True)
    if not found and not before:
        return
    shown = []
    for way in (run, otherwise):
        guard.put_back()
        way()
        shown.append([guard.changed(thorough=True), guard.reachable.shown()])
    guard.put_back()
    ours = all(where.startswith("model") for where in found)
    if ours and set(before) <= set(found) and same(shown[0], shown[1]):
        raise UnsafeModel(
            f"the model moves numbers of its own with every pass, whatever the records are: {_listed(found)}.",
            "They would leave with it, and depend on how many batches there were. Put what does so in evaluation mode "
            "(spectral normalisation is fixed then), use torch.nn.utils.parametrizations, or take it out.",
            places=found,
        )
    raise _refusal(found or before, "Nothing was spent.")


def _refusal(found: list[str], when: str) -> PrivetError:
    if all(where.startswith(("augment", "prepare", "loss", "a raw record")) for where in found):
        return UnsafePipeline(
            f"something of the records is remembered from one call to the next, without noise: {_listed(found)}.",
            f"{when} Make it a function of its arguments alone.",
            places=found,
        )
    return UnsafeModel(
        f"the model writes down something of the records while it runs, without noise: {_listed(found)}.",
        f"{when} Take out what does: running statistics, counters, kept outputs, lists, an embedding's max_norm.",
        places=found,
    )


def _watched(raw: Sequence[Any]) -> list[Any]:
    """Some raw records, and whatever several of them share: through that, one could reach another."""
    seen: set[int] = set()
    shared: dict[int, Any] = {}
    for record in raw:
        own = (
            record
            if isinstance(record, list | tuple)
            else record.values()
            if isinstance(record, dict)
            else ()
        )
        for part in [record, *own, *getattr(record, "__dict__", {}).values()]:
            if isinstance(part, LEAVES):
                continue
            if id(part) in seen:
                shared[id(part)] = part
            seen.add(id(part))
    return [*raw[:_WATCHED], *shared.values()]


def _listed(found: list[str]) -> str:
    named = ", ".join(repr(where.removeprefix("model.")) for where in found[:_NAMED])
    return named if len(found) <= _NAMED else f"{named} and {len(found) - _NAMED} more"


def _bits_of(values: Tensor) -> Any:
    """The bits of numbers; in memory as an array, which compares ten times as fast as torch does."""
    if values.device.type == "cpu":
        return values.detach().numpy().view(_ARRAY_BITS[values.dtype])
    return values.detach().view(_BITS[values.dtype])


def _same_bits(one: Tensor, other: Tensor) -> bool:
    """Equal to the last bit; what is no number too."""
    return bool((_bits_of(one) == _bits_of(other)).all())
