"""Records that stay on disk: the rows of a table, read once from its engine and then by their places, batch for batch.

Which rows are in a batch is decided first, from the secret seed and their number alone; then those are read. What is done to
a row, it is done to alone: one without a number that is needed is left out when the table is read, whatever others are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.engine import OWNER, ColumnKind, RowStore, did_you_mean, unit_rows
from privet.errors import BadTraining
from privet.guarantee import Person, Unit
from privet.protect.train.gradients._per_example_loss import Inputs
from privet.protect.train.gradients._training_records import Prepare, TrainingRecords, form_of_record
from privet.source import Table

if TYPE_CHECKING:
    import pyarrow as pa
    from torch import Tensor

_NUMBERS = (ColumnKind.INTEGER, ColumnKind.REAL, ColumnKind.BOOLEAN)


@dataclass(frozen=True, slots=True)
class TableRecords(TrainingRecords):
    """Rows of a table by position. Nothing of them is in memory but what `taken` gives."""

    store: RowStore
    columns: tuple[str, ...]
    target: str | None
    extremes: Tensor | None  # the least and the greatest target, where they are numbers of the table

    @classmethod
    def of_table(
        cls,
        table: Table,
        unit: Unit,
        *,
        columns: Sequence[str] | None,
        target: str | None,
        prepare: Prepare | None,
        place: Path | None = None,
        begun: Callable[[bytes], bool] | None = None,
    ) -> TableRecords:
        """The rows that may count, read once.

        Args:
            table: where they are.
            unit: whose they are; of a person no more than `max_rows` are read, chosen by that person's own rows.
            columns: what is learned from; without `prepare`, numbers and truth values, in this order.
            target: what is predicted; whole numbers and truth values are classes.
            prepare: makes an input and a target of one row, which it gets as a mapping.
            place: where to set the rows aside; else in a file without a name.
            begun: that they were set aside there before, and whether a digest is that of those.
        """
        names = _checked_columns(table, unit, columns, target, made=prepare is not None)
        kept = [*names, *([target] if target is not None else [])]
        if begun is not None and place is not None:
            store = RowStore.opened(place, begun)
        else:
            batches = unit_rows(table.relation, kept, unit)
            if prepare is None:
                kinds = {name: _type(table.columns[name], name == target) for name in kept}
                batches = _complete(batches, kinds, owned=isinstance(unit, Person))
            store = _stored(batches, place)
        if not store.size:
            raise BadTraining("there are no records.", "Give at least one with all that is needed.")
        extremes = None if prepare is not None or target is None else _extremes(store, target)
        made = cls(store.size, None, None, (), prepare, None, store, tuple(names), target, extremes)
        return made if prepare is None else replace(made, form=form_of_record(made.prepared(0)))

    def people(self) -> NDArray[np.int64]:
        """Whose each record is, as numbers from 0 in order of appearance."""
        import pyarrow as pa

        chunks = [batch.column(OWNER) for batch in self.store.batches()]
        coded = pa.chunked_array(chunks).combine_chunks().dictionary_encode()
        return np.asarray(coded.indices.to_numpy(zero_copy_only=False), dtype=np.int64)

    def raw_record(self, position: int) -> Any:
        """One row as a mapping."""
        rows = self.store.at(np.array([position])).to_pylist()
        rows[0].pop(OWNER, None)
        return rows[0]

    def taken(self, positions: NDArray[np.int64]) -> tuple[Inputs, Tensor | None]:
        """The rows at these positions, which ascend."""
        import torch

        if self.prepare is not None:
            return self._stacked(positions)
        rows = self.store.at(positions)
        inputs = np.column_stack([rows.column(name).to_numpy() for name in self.columns])
        if self.target is None:
            return torch.from_numpy(inputs), None
        return torch.from_numpy(inputs), torch.from_numpy(rows.column(self.target).to_numpy().copy())

    def targets(self, some: Tensor | None) -> Tensor | None:
        """The least and the greatest target, which are there if all between them are."""
        return some if self.extremes is None else self.extremes

    def content(self) -> bytes:
        """A digest of all rows. Key it before it is kept."""
        return self.store.digest()


def _checked_columns(
    table: Table, unit: Unit, columns: Sequence[str] | None, target: str | None, *, made: bool
) -> list[str]:
    if columns is None or isinstance(columns, str) or not len(columns):
        raise BadTraining(
            "it is not said which columns of the table are learned from.",
            'Name them, in their order: columns=["age", "days"].',
        )
    kinds, own = table.columns, unit.column if isinstance(unit, Person) else None
    faults = []
    for name in dict.fromkeys([*columns, *([target] if target is not None else [])]):
        if name not in kinds:
            faults.append(f"there is no column {name!r}. {did_you_mean(str(name), kinds)}")
        elif name == own:
            faults.append(f"the column {name!r} says whose a row is, and is not learned from.")
        elif not made and kinds[name] not in _NUMBERS:
            faults.append(f"the column {name!r} holds no numbers: make some of it with prepare=….")
    if target in columns or len(set(columns)) < len(columns):
        faults.append("a column is named twice.")
    if faults:
        raise BadTraining(" ".join(faults), "Correct what is named; nothing was read or spent.")
    return list(columns)


def _type(kind: ColumnKind, is_target: bool) -> str:  # noqa: FBT001
    return "int64" if is_target and kind is not ColumnKind.REAL else "float32"


def _complete(
    batches: Iterable[pa.RecordBatch], kinds: dict[str, str], *, owned: bool
) -> Iterator[pa.RecordBatch]:
    """Rows of numbers, without those that miss one: each row's fate is its own."""
    import pyarrow as pa
    import pyarrow.compute as pc

    names = [*kinds, *([OWNER] if owned else [])]
    for batch in batches:
        found: dict[str, Any] = {}
        usable = None
        for name, kind in kinds.items():
            column = batch.column(name)
            if pa.types.is_boolean(column.type):
                column = column.cast("int64")
            found[name] = column.cast(kind, safe=False)
            there = pc.is_valid(column)
            if kind == "float32":
                there = pc.and_(there, pc.fill_null(pc.is_finite(found[name]), fill_value=False))
            usable = there if usable is None else pc.and_(usable, there)
        if owned:
            found[OWNER] = batch.column(OWNER)
        yield pa.RecordBatch.from_arrays([found[name] for name in names], names=names).filter(usable)


def _stored(batches: Iterator[pa.RecordBatch], place: Path | None) -> RowStore:
    import pyarrow as pa

    first = next(batches, None)
    if first is None:
        raise BadTraining("there are no records.", "Give at least one.")

    def whole() -> Iterator[pa.RecordBatch]:
        yield first
        yield from batches

    return RowStore.written(whole(), pa.schema([(field.name, field.type) for field in first.schema]), place)


def _extremes(store: RowStore, target: str) -> Tensor:
    import pyarrow.compute as pc
    import torch

    found = [pc.min_max(batch.column(target)).as_py() for batch in store.batches() if batch.num_rows]
    kind = torch.int64 if isinstance(found[0]["min"], int) else torch.float32
    least, greatest = min(one["min"] for one in found), max(one["max"] for one in found)
    return torch.tensor([least, greatest], dtype=kind)
