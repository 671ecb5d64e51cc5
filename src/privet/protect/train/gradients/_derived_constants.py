"""Records, or numbers read off all of them, where one record's way to its loss could use them.

A mean that an augmentation subtracts, weights of classes by how often they occur, a scaler that was fitted before: each
lets every record into the gradient of every other, and no clipping sees it. Nobody can tell in general where a constant
comes from; these are the ways in which it usually happens, and they leave a trace: the very records, something with one
entry for each of them, or a number that is a summary of theirs to the last digits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from privet.errors import UnsafePipeline
from privet.protect.train.gradients._reachable_state import ReachableState
from privet.protect.train.gradients._training_records import TrainingRecords, tensors_in
from privet.protect.train.gradients._value_fingerprints import fingerprint

Vector = NDArray[np.float64]
_RAW = "a raw record"
_FEWEST = 30  # of fewer records, summaries are numbers that anything may have
_TABLES = ("pandas", "polars", "pyarrow")
_ROUNDING = 3e-6  # of a summary that was computed in 32 bits
_HINT = (
    "Use constants that are public, or estimate them with pv.release and pay for them; do to each record in prepare= or "
    "augment what needs that record alone."
)


@dataclass(frozen=True)
class Summary:
    """A statistic of all records."""

    name: str
    values: Vector

    def is_telling(self) -> bool:
        """Whether it is no plain number that anybody may have written: most entries have more than four decimals."""
        scaled = self.values * 1e4
        odd = np.abs(scaled - np.rint(scaled)) > 1e-3
        return bool(np.isfinite(self.values).all()) and int(odd.sum()) * 2 >= len(self.values)

    def is_in(self, held: Vector) -> bool:
        """Whether another vector has the same numbers."""
        return held.shape == self.values.shape and np.allclose(held, self.values, rtol=_ROUNDING, atol=0)


def refuse_derived(reachable: ReachableState, records: TrainingRecords) -> None:
    """Refuse a model, loss or stage that holds the records or summaries of them, and records that were scaled by their own."""
    _refuse_held(reachable, records)
    if records.is_made or records.size < _FEWEST:
        return
    _refuse_own_scale(records)
    summaries = [each for each in _summaries(records) if each.is_telling()]
    for where, held in reachable.constants():
        for each in summaries:
            if each.is_in(held):
                raise UnsafePipeline(
                    f"{where.removeprefix('model.')!r} is {each.name} of the records themselves.",
                    _HINT,
                    where=where,
                )


# --- the records -------------------------------------------------------------------------------


def _refuse_held(reachable: ReachableState, records: TrainingRecords) -> None:
    tensors = [] if records.raw is not None else tensors_in(records.inputs)
    if records.all_targets is not None:
        tensors = [*tensors, records.all_targets]
    spans, prints = [_span(value) for value in tensors], {fingerprint(value) for value in tensors}
    widths = {_width(value) for value in tensors if value.dim() > 1}
    rows = {row for value in tensors for row in _telling_rows(value, widths)}
    own = {id(record) for record in (records.raw or (), *(records.raw or ())) if _is_own(record)}
    for where, held in reachable.numbers():
        start, _ = _span(held)
        known = any(low <= start < high for low, high in spans) or fingerprint(held) in prints
        known = known or any(row in rows for row in _telling_rows(held, widths))
        if known or any(_has_a_row_each(where, length, records.size) for length in held.shape):
            raise _holds(where)
    for table in reachable.objects():
        if _has_a_row_each("", _rows_of_table(table), records.size):
            raise _holds(f"a {type(table).__name__}")
    for where, members in reachable.containers():
        known = any(id(member) in own for member in members) and not where.startswith(_RAW)
        if known or _has_a_row_each(where, len(members), records.size):
            raise _holds(where)


def _width(value: Any) -> int:
    return int(np.prod(value.shape[1:])) * int(value.dtype.itemsize)


def _telling_rows(held: Any, widths: set[int]) -> Iterator[int]:
    """Of rows of so many bytes: what tells each of them. Not those of few numbers, which others may have by chance."""
    plain = held.detach().cpu() if isinstance(held, Tensor) else held
    if isinstance(plain, Tensor):
        plain = plain.numpy() if plain.dtype in (torch.float32, torch.float64) else np.zeros(0, dtype=np.int8)
    if plain.dtype.kind != "f" or not plain.size or not plain.ndim:
        return
    for rows in (plain.reshape(1, -1), plain.reshape(len(plain), -1)):
        if rows.shape[1] * rows.itemsize in widths:
            yield from (hash(row.tobytes()) for row in rows if len(set(row[:8].tolist())) > 2)


def _is_own(record: Any) -> bool:
    """Whether a record is an object that nothing else is: small numbers and short texts are shared by all of Python."""
    return not isinstance(record, int | float | str | bytes | type(None) | type) and (
        not isinstance(record, tuple) or bool(record)
    )


def _has_a_row_each(where: str, rows: int, size: int) -> bool:
    """Functions have no business with something of just this length; a model may have so many weights."""
    return size >= _FEWEST and rows == size and not where.startswith(("model", _RAW))


def _rows_of_table(held: Any) -> int:
    """How many rows one of the columnar kinds has, which keep their numbers where no walk comes."""
    is_table = type(held).__module__.partition(".")[0] in _TABLES and hasattr(type(held), "__len__")
    return len(held) if is_table else 0


def _span(value: Any) -> tuple[int, int]:
    """Where its memory begins and ends."""
    if isinstance(value, Tensor):
        if value.layout is not torch.strided or value.is_meta:
            return 0, 0
        storage = value.untyped_storage()
        return storage.data_ptr(), storage.data_ptr() + storage.nbytes()
    return value.__array_interface__["data"][0], 0


def _holds(where: str) -> UnsafePipeline:
    return UnsafePipeline(
        f"{where!r} holds the records, or something with an entry for each of them.",
        "A record's way to its loss must not pass by the others: make it a function of its arguments alone.",
        where=where,
    )


# --- summaries ---------------------------------------------------------------------------------


def _summaries(records: TrainingRecords) -> Iterator[Summary]:
    for value in tensors_in(records.inputs):
        if value.is_floating_point():
            yield from _of_numbers(value.detach().double().cpu(), "inputs")
    targets = records.all_targets
    if targets is not None and targets.is_floating_point():
        yield from _of_numbers(targets.detach().double().cpu(), "targets")
    elif targets is not None and targets.dim() == 1 and int(targets.min()) >= 0:
        yield from _of_classes(targets)


def _of_numbers(values: Tensor, what: str) -> Iterator[Summary]:
    columns = values.reshape(len(values), -1)
    shapes = {"each column": columns, "all": columns.reshape(-1, 1)}
    if values.dim() > 2:
        shapes["each channel"] = values.transpose(0, 1).reshape(values.shape[1], -1).T
    for which, rows in shapes.items():
        for name, found in (
            ("the mean", rows.mean(0)),
            ("the deviation", rows.std(0)),
            ("the deviation", rows.std(0, correction=0)),
            ("the variance", rows.var(0)),
            ("the variance", rows.var(0, correction=0)),
            ("the smallest", rows.amin(0)),
            ("the largest", rows.amax(0)),
            ("the median", rows.quantile(0.5, 0) if rows.numel() <= 2**20 else rows.amax(0)),
        ):
            yield Summary(f"{name} of {which} of the {what}", found.numpy())


def _of_classes(targets: Tensor) -> Iterator[Summary]:
    counts = torch.bincount(targets.long()).double().numpy()
    if len(counts) < 2 or not counts.all() or len(set(counts)) == 1:
        return
    shares = counts / counts.sum()
    for name, found in (
        ("the share", shares),
        ("the inverse share", 1 / shares),
        ("the balanced weight", 1 / shares / len(counts)),
        ("the inverse count", 1 / counts),
        ("the normalised inverse share", (1 / shares) / (1 / shares).sum()),
        ("the log share", np.log(shares)),
    ):
        yield Summary(f"{name} of each class", found)
    if len(counts) == 2:
        for one, other in (counts, counts[::-1]):
            yield Summary("the ratio of the classes", np.array([one / other]))
            yield Summary("the log odds of the classes", np.array([np.log(one / other)]))


def _refuse_own_scale(records: TrainingRecords) -> None:
    """Refuse columns that all have exactly the mean 0 and the deviation 1, or exactly one 0 and one 1 at their ends."""
    for value in tensors_in(records.inputs):
        if not value.is_floating_point() or value.dim() != 2 or value.shape[1] < 2:
            continue
        rows = value.detach().double().cpu()
        rows = rows[:, [len(column.unique()) > 2 for column in rows.T]]
        if rows.shape[1] < 2:
            continue
        small = 1e-5
        spreads = (rows.std(0), rows.std(0, correction=0))
        standard = bool((rows.mean(0).abs() < small).all()) and any(
            bool(((spread - 1).abs() < small).all()) for spread in spreads
        )
        ends = (
            ((rows == 0).sum(0) == 1) & ((rows == 1).sum(0) == 1) & (rows.amin(0) == 0) & (rows.amax(0) == 1)
        )
        if standard or bool(ends.all()):
            how = "mean and deviation" if standard else "smallest and largest value"
            raise UnsafePipeline(
                f"the columns of the inputs were scaled by their own {how}: every record is in every other's numbers.",
                _HINT,
            )
