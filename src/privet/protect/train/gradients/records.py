"""The records a model is trained on: tensors in memory, or a data set that gives one record at a time.

Not a data loader: it has already decided which records go together, and that decision is what the privacy account
is about.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.errors import BadTraining
from privet.protect.train.gradients.objectives import Inputs, each

if TYPE_CHECKING:
    from torch import Tensor

_PIECE = 1024


@dataclass(frozen=True, slots=True)
class Records:
    """Inputs and targets by position: `taken` gives those at some positions."""

    size: int
    _inputs: Inputs
    _targets: Tensor | None
    _items: Any  # a map-style data set instead

    @classmethod
    def of(cls, data: Any) -> Records:
        """Records from (inputs, targets), or from a data set with a length and items (input, target)."""
        from torch.utils.data import DataLoader, IterableDataset

        if isinstance(data, DataLoader):
            raise BadTraining(
                "a DataLoader has fixed its batches already; shuffled batches under a Poisson account would promise "
                "up to several times less than they give away (Chua et al. 2024).",
                'Give the data set itself, and sampling="shuffled" in the plan if its batches must be shuffled.',
            )
        if isinstance(data, IterableDataset):
            raise BadTraining("a stream cannot be sampled from.", "Give a data set with a length and items.")
        if isinstance(data, tuple) and len(data) == 2:
            return cls._of_tensors(*data)
        if _is_data_set(data):
            return cls(_some(len(data)), None, None, data)
        raise BadTraining(
            "these are not records.",
            "Give (inputs, targets) as tensors, or a data set with a length and items.",
        )

    @classmethod
    def _of_tensors(cls, inputs: Inputs, targets: Any) -> Records:
        from torch import Tensor, as_tensor

        found = each(inputs, as_tensor)
        wanted = None if targets is None else as_tensor(targets)
        sizes = {len(value) if value.dim() else 0 for value in _tensors(found)}
        if wanted is not None:
            sizes.add(len(wanted) if wanted.dim() else 0)
        if len(sizes) != 1:
            raise BadTraining("inputs and targets do not have equally many records.", "Align them.")
        assert all(isinstance(value, Tensor) for value in _tensors(found))
        return cls(_some(sizes.pop()), found, wanted, None)

    def taken(self, positions: NDArray[np.int64]) -> tuple[Inputs, Tensor | None]:
        """The records at these positions, which ascend."""
        import torch
        from torch.utils.data import default_collate

        if self._items is not None:
            inputs, targets = default_collate([self._items[int(position)] for position in positions])
            return (tuple(inputs) if isinstance(inputs, list) else inputs), targets
        if len(positions) == self.size and positions[0] == 0 and positions[-1] == self.size - 1:
            return self._inputs, self._targets
        index = torch.from_numpy(np.ascontiguousarray(positions))
        targets = None if self._targets is None else self._targets[index]
        return each(self._inputs, lambda value: value[index]), targets

    def targets(self, some: Tensor | None) -> Tensor | None:
        """All targets, where they are in memory; `some`, which were read already, of a data set."""
        return some if self._items is not None else self._targets

    def content(self) -> bytes:
        """A digest of all records, to tell whether a run goes on with the data it began with. Key it before it is kept."""
        import torch

        total = hashlib.sha256()
        for inputs, targets in self._pieces():
            for value in [*_tensors(inputs), *([] if targets is None else [targets])]:
                total.update(f"{value.dtype}{tuple(value.shape)}".encode())
                plain = value.detach().cpu().contiguous().reshape(-1).view(torch.uint8)
                total.update(plain.numpy().tobytes())
        return total.digest()

    def _pieces(self) -> Iterator[tuple[Inputs, Tensor | None]]:
        for start in range(0, self.size, _PIECE):
            yield self.taken(np.arange(start, min(self.size, start + _PIECE)))


def _tensors(inputs: Inputs) -> list[Any]:
    found: list[Any] = []
    each(inputs, found.append)
    return found


def _is_data_set(data: Any) -> bool:
    """Whether it has a length and gives pairs; a bare tensor or table has records without targets."""
    if not (hasattr(data, "__getitem__") and hasattr(data, "__len__")) or isinstance(data, Mapping):
        return False
    if hasattr(data, "shape") or not len(data):
        return not hasattr(data, "shape")
    first = data[0]
    return isinstance(first, tuple | list) and len(first) == 2


def _some(size: int) -> int:
    if size < 1:
        raise BadTraining("there are no records.", "Give at least one.")
    return size
