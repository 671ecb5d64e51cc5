"""The raw records a model is trained on: rows of tensors in memory, or a list of whatever `prepare` makes tensors of.

Not a data loader, which has decided which records go together: that is what the privacy account is about. Not a data
set with code of its own either: it could read all records to give one, and nobody could tell. What is done to a record
is said as a function of that one record, and it is given nothing else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.errors import BadTraining
from privet.protect.train.gradients._per_example_loss import Inputs, each

if TYPE_CHECKING:
    from torch import Tensor

Prepare = Callable[[Any], tuple[Any, Any]]
_PIECE = 1024


@dataclass(frozen=True, slots=True)
class TableSnapshot:
    """Records that were made of a table's rows, with the name of the snapshot that they were read from."""

    data: Any
    fingerprint: str


@dataclass(frozen=True, slots=True)
class TrainingRecords:
    """Inputs and targets by position: `taken` gives those at some positions."""

    size: int
    inputs: Inputs  # all of them, where they are in memory
    all_targets: Tensor | None
    raw: Sequence[Any] | None  # a list of raw records instead
    prepare: Prepare | None
    form: Any  # of a prepared record: names, shapes and types of its tensors

    @classmethod
    def of(cls, data: Any, prepare: Prepare | None = None) -> TrainingRecords:
        """Records from (inputs, targets), or from a list of raw records."""
        from torch.utils.data import DataLoader, Subset, TensorDataset

        if isinstance(data, DataLoader):
            raise BadTraining(
                "a DataLoader has fixed its batches already; shuffled batches under a Poisson account would promise "
                "up to several times less than they give away (Chua et al. 2024).",
                'Give the records themselves, and sampling="shuffled" in the plan if batches must be shuffled.',
            )
        if type(data) is Subset:
            whole = cls.of(data.dataset, prepare)
            return whole.at(np.asarray(data.indices, dtype=np.int64))
        if type(data) is TensorDataset and len(data.tensors) > 1:
            *inputs, targets = data.tensors
            data = (inputs[0] if len(inputs) == 1 else tuple(inputs), targets)
        if type(data) is tuple and len(data) == 2:
            return cls._of_tensors(*data).made_by(prepare)
        if isinstance(data, np.ndarray) and data.dtype.hasobject:
            data = list(data)
        if type(data) in (list, tuple):
            return cls._of_list(data, prepare)
        raise BadTraining(
            _why_not(data), "Give (inputs, targets) as tensors, or a list of raw records and prepare=…."
        )

    @classmethod
    def _of_tensors(cls, inputs: Inputs, targets: Any) -> TrainingRecords:
        from torch import Tensor, as_tensor

        found = each(inputs, as_tensor)
        wanted = None if targets is None else as_tensor(targets)
        sizes = {len(value) if value.dim() else 0 for value in tensors_in(found)}
        if wanted is not None:
            sizes.add(len(wanted) if wanted.dim() else 0)
        if len(sizes) != 1:
            raise BadTraining("inputs and targets do not have equally many records.", "Align them.")
        assert all(isinstance(value, Tensor) for value in tensors_in(found))
        return cls(_some(sizes.pop()), found, wanted, None, None, None)

    @classmethod
    def _of_list(cls, data: Sequence[Any], prepare: Prepare | None) -> TrainingRecords:
        made = cls(_some(len(data)), None, None, data, prepare, None)
        return replace(made, form=form_of_record(made.prepared(0)))

    def made_by(self, prepare: Prepare | None) -> TrainingRecords:
        """The same records, each of them made by `prepare`."""
        if prepare is None:
            return self
        made = replace(self, prepare=prepare)
        return replace(made, form=form_of_record(made.prepared(0)))

    @property
    def is_made(self) -> bool:
        """Whether records are made one by one, rather than rows of tensors that are there."""
        return self.raw is not None or self.prepare is not None

    def at(self, positions: NDArray[np.int64]) -> TrainingRecords:
        """Only the records at these positions."""
        if self.raw is not None:
            raw = [self.raw[int(position)] for position in positions]
            return replace(self, size=_some(len(raw)), raw=raw)
        inputs, targets = self._rows(positions)
        return replace(self, size=_some(len(positions)), inputs=inputs, all_targets=targets)

    def raw_record(self, position: int) -> Any:
        """One record as it came; of tensors a copy, which is not a view of the others."""
        if self.raw is not None:
            return self.raw[position]
        targets = None if self.all_targets is None else self.all_targets[position].clone()
        return each(self.inputs, lambda value: value[position].clone()), targets

    def prepared(self, position: int) -> tuple[Inputs, Tensor | None]:
        """One raw record as tensors: all that is done to it, it is done to alone."""
        found = self.raw_record(position)
        if self.prepare is not None:
            try:
                found = self.prepare(found)
            except Exception as problem:  # noqa: BLE001 -- whatever it is, it may name a record's value
                raise BadTraining(
                    f"prepare fails on a record with {type(problem).__name__}.",
                    "Run it on every record first.",
                ) from None
        return _as_tensors(found)

    def taken(self, positions: NDArray[np.int64]) -> tuple[Inputs, Tensor | None]:
        """The records at these positions, which ascend; rows of tensors without a copy where they are all."""
        return self._stacked(positions) if self.is_made else self._rows(positions)

    def _rows(self, positions: NDArray[np.int64]) -> tuple[Inputs, Tensor | None]:
        import torch

        if len(positions) == self.size and positions[0] == 0 and positions[-1] == self.size - 1:
            return self.inputs, self.all_targets
        index = torch.from_numpy(np.ascontiguousarray(positions))
        targets = None if self.all_targets is None else self.all_targets.index_select(0, index)
        return each(self.inputs, lambda value: value.index_select(0, index)), targets

    def _stacked(self, positions: NDArray[np.int64]) -> tuple[Inputs, Tensor | None]:
        """Prepared records side by side, each copied as soon as it is there: what gives it may use its memory again."""
        rows: Inputs = None
        targets: Tensor | None = None
        for place, position in enumerate(positions):
            inputs, target = self.prepared(int(position))
            if form_of_record((inputs, target)) != self.form:
                raise BadTraining(
                    "records differ in the names, shapes or types of their tensors.",
                    "Give every record the same in prepare: pad to a public length, not to the longest record.",
                )
            if place == 0:
                rows = each(inputs, lambda value: value.new_empty((len(positions), *value.shape)))
                targets = None if target is None else target.new_empty((len(positions), *target.shape))
            for all_rows, value in zip(tensors_in(rows), tensors_in(inputs), strict=True):
                all_rows[place] = value
            if targets is not None:
                assert target is not None
                targets[place] = target
        return rows, targets

    def targets(self, some: Tensor | None) -> Tensor | None:
        """All targets, where they are in memory; `some`, which were made already, else."""
        return some if self.is_made else self.all_targets

    def farthest(self) -> NDArray[np.int64]:
        """Where the records are that are farthest from zero, and nearest to it, among rows of numbers in memory."""
        found: list[int] = []
        for value in [] if self.is_made else tensors_in(self.inputs):
            if value.is_floating_point() and value.dim() > 1:
                reach = value.detach().abs().flatten(1).amax(1)
                found += [int(reach.argmax()), int(reach.argmin())]
        return np.unique(np.array(found, dtype=np.int64))

    def writes(self) -> int:
        """How often the records in memory were written to."""
        held = [] if self.raw is not None else [*tensors_in(self.inputs)]
        if self.all_targets is not None:
            held.append(self.all_targets)
        return sum(value._version for value in held if not value.is_inference())  # noqa: SLF001

    def content(self) -> bytes:
        """A digest of all records, to tell whether a run goes on with the data it began with. Key it before it is kept."""
        import torch

        total = hashlib.sha256()
        for inputs, targets in self._pieces():
            for value in [*tensors_in(inputs), *([] if targets is None else [targets])]:
                total.update(f"{value.dtype}{tuple(value.shape)}".encode())
                plain = value.detach().cpu().contiguous().reshape(-1).view(torch.uint8)
                total.update(plain.numpy().tobytes())
        return total.digest()

    def _pieces(self) -> Iterator[tuple[Inputs, Tensor | None]]:
        for start in range(0, self.size, _PIECE):
            yield self.taken(np.arange(start, min(self.size, start + _PIECE)))


def tensors_in(inputs: Inputs) -> list[Any]:
    """The tensors of inputs, in their order."""
    found: list[Any] = []
    each(inputs, found.append)
    return found


def form_of(inputs: Inputs) -> Any:
    """The names, shapes and types of inputs."""
    shapes = [(tuple(value.shape), str(value.dtype)) for value in tensors_in(inputs)]
    return (tuple(inputs) if isinstance(inputs, Mapping) else len(shapes), shapes)


def form_of_record(record: tuple[Inputs, Tensor | None]) -> Any:
    """The names, shapes and types of a prepared record's tensors."""
    inputs, target = record
    return form_of(inputs), None if target is None else (tuple(target.shape), str(target.dtype))


def _as_tensors(found: Any) -> tuple[Inputs, Tensor | None]:
    import torch

    if not (isinstance(found, tuple | list) and len(found) == 2):
        raise BadTraining(
            "a record is no pair of an input and a target.", "Give pairs, or make them in prepare=…."
        )
    try:
        inputs = each(found[0], torch.as_tensor)
        return inputs, None if found[1] is None else torch.as_tensor(found[1])
    except (TypeError, ValueError, RuntimeError):
        raise BadTraining(
            "a record's input or target is neither a tensor nor a number.", "Make tensors of it in prepare=…."
        ) from None


def _why_not(data: Any) -> str:
    from torch.utils.data import Dataset, IterableDataset

    if isinstance(data, IterableDataset):
        return "a stream cannot be sampled from."
    if isinstance(data, range):
        return "these are numbers of records that lie elsewhere."
    if isinstance(data, Dataset) or (hasattr(data, "__getitem__") and hasattr(type(data), "__len__")):
        return f"a data set of the kind {type(data).__name__} runs code of its own to give a record, which may read others."
    return "these are not records."


def _some(size: int) -> int:
    if size < 1:
        raise BadTraining("there are no records.", "Give at least one.")
    return size
