"""From raw records to what the model sees: one path, on which every record travels alone.

Everything between a record and the loss is a stage here: `prepare` (loading, tokenizing, encoding the target), laying side
by side, repeating for views, `augment`. Each stage is called with one record and with random numbers of its own, so it
has no batch to read from: `augment` gets a batch of one row, or `torch.func` maps it over rows, which is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.errors import BadTraining
from privet.protect.train.gradients._per_example_loss import Batch, Inputs, each
from privet.protect.train.gradients._person_groups import PersonGroups
from privet.protect.train.gradients._training_records import TrainingRecords, form_of, tensors_in

if TYPE_CHECKING:
    import torch

Augment = Callable[[Any, "torch.Generator"], Any]


@dataclass(frozen=True)
class Pipeline:
    """The path. `mapped` says that `torch.func` maps the augmentation over rows; else it is called row by row."""

    records: TrainingRecords
    augment: Augment | None
    views: int
    device: torch.device
    mapped: bool = False
    people: PersonGroups | None = None

    @property
    def units(self) -> int:
        """How many there are of what is sampled and clipped: records, or people."""
        return self.records.size if self.people is None else self.people.size

    def pieces(self, units: NDArray[np.int64], rows: int) -> Iterator[NDArray[np.int64]]:
        """These units, some after the other: those whose rows are held in memory at once, in pieces of about one size."""
        if self.people is not None:
            yield from self.people.pieces(units, max(1, rows // self.views))
            return
        count = -(-len(units) // rows)
        for place in range(count):
            yield units[place * len(units) // count : (place + 1) * len(units) // count]

    def whose(self) -> bytes:
        """A digest of whose the records are; nothing where each is its own. Key it before it is kept."""
        return b"" if self.people is None else self.people.content()

    def batch(self, units: NDArray[np.int64], number: int, turn: int = 0) -> Batch:
        """These records with their views, or the records of these people whose turn it is; `number` seeds what is random."""
        if self.people is None:
            return self._rows(units, *self.records.taken(units), number, len(units))
        import torch

        places, weights = self.people.rows(units, turn)
        found, where = np.unique(places.ravel(), return_inverse=True)
        index = torch.from_numpy(where.ravel())
        inputs, targets = self.records.taken(found)
        inputs = each(inputs, lambda value: value[index])
        targets = None if targets is None else targets[index]
        batch = self._rows(places.ravel(), inputs, targets, number, len(units))
        shares = torch.from_numpy(np.repeat(weights.ravel() / self.views, self.views))
        return replace(batch, weights=shares.to(self.device, torch.float32))

    def _rows(
        self,
        positions: NDArray[np.int64],
        inputs: Inputs,
        targets: torch.Tensor | None,
        number: int,
        examples: int,
    ) -> Batch:
        """Records that are there, with their views, as so many examples."""
        if self.views > 1:
            inputs = each(inputs, lambda value: value.repeat_interleave(self.views, 0))
            targets = None if targets is None else targets.repeat_interleave(self.views, 0)
        if self.augment is not None:
            places = [(int(position), view) for position in positions for view in range(self.views)]
            inputs = self.augmented(inputs, places, number)
        if self.device.type != "cpu":
            inputs = each(inputs, lambda value: value.to(self.device))
            targets = None if targets is None else targets.to(self.device)
        return Batch(inputs, targets, examples, len(positions) // examples * self.views)

    def augmented(self, inputs: Inputs, places: list[tuple[int, int]], number: int) -> Inputs:
        """Every row by itself, with random numbers of its own; torch's own generator is as it was afterwards."""
        import torch

        from privet.protect.train.gradients._torch_globals import own_generator

        with torch.no_grad(), own_generator():
            if self.mapped:
                return self._mapped(inputs, _seed(number, *places[0]))
            return self._one_by_one(inputs, [_seed(number, *place) for place in places])

    def _mapped(self, inputs: Inputs, seed: int) -> Inputs:
        import torch

        generator = torch.Generator().manual_seed(seed)
        torch.default_generator.manual_seed(seed ^ 1)

        def alone(row: Inputs) -> Inputs:
            return each(
                self._called(each(row, lambda value: value.unsqueeze(0)), generator), lambda value: value[0]
            )

        found: Inputs = torch.func.vmap(alone, randomness="different")(
            each(inputs, lambda value: value.clone())
        )
        return found

    def _one_by_one(self, inputs: Inputs, seeds: list[int]) -> Inputs:
        import torch

        generator, rows, form = torch.Generator(), None, None
        for row, seed in enumerate(seeds):
            generator.manual_seed(seed)
            torch.default_generator.manual_seed(seed ^ 1)
            # A copy: a view would still have the other rows behind it.
            found = self._called(each(inputs, lambda value: value[row : row + 1].clone()), generator)  # noqa: B023
            if rows is None:
                form = form_of(found)
                rows = each(found, lambda value: value.new_empty((len(seeds), *value.shape[1:])))
            elif form_of(found) != form:
                raise BadTraining(
                    "the augmentation gives records of different shapes or types.",
                    "Give every record the same: cut and pad to a public size.",
                )
            for whole, value in zip(tensors_in(rows), tensors_in(found), strict=True):
                whole[row] = value[0]
        return rows

    def _called(self, row: Inputs, generator: torch.Generator) -> Inputs:
        """The augmentation of a batch of one row; whatever it gives must be one again."""
        import torch

        assert self.augment is not None
        found = self.augment(row, generator)
        held = tensors_in(found)
        if not held or not all(
            isinstance(value, torch.Tensor) and value.dim() and len(value) == 1 for value in held
        ):
            raise BadTraining(
                "the augmentation does not give one row for one row.",
                "It is called with the inputs of one record, as a batch of one, and gives such inputs again.",
            )
        return found


def _seed(number: int, position: int, view: int) -> int:
    """One record's own seed in one step; a hash of whole numbers, the same in every process."""
    return hash((number, position, view)) & (2**63 - 1)
