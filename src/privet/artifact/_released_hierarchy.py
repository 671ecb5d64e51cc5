"""A released hierarchy: tables that add up at every level, and beside them what was measured, unbiased and with error bars."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privet.artifact._field_types import fitting
from privet.artifact._key_values import plain, priced, read_back, time_kind
from privet.artifact._notebook_display import Displayed, as_pandas, as_polars
from privet.artifact._receipt import Receipt, with_note
from privet.artifact._record_files import load_record, save_record
from privet.artifact._released_answer import Provenance
from privet.artifact._signed_files import file_standing
from privet.errors import BadUsage, NoSuchEntry, UnknownRecord, checked, did_you_mean
from privet.evidence import Standing
from privet.guarantee import Promise, promise_from_json, unit_in

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

SCHEMA = 1
Names: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class MeasuredCounts:
    """One query group of one level as it was measured: true counts plus noise, unbiased, possibly negative."""

    columns: Names  # the cell columns it keeps; none for the total
    share: str  # of rho, exact
    sigma: float
    width: float  # the noise stays within this on either side, at the release's confidence
    values: NDArray[np.int64]  # places × entries


@dataclass(frozen=True, eq=False)
class ReleasedLevel:
    """The places of one level."""

    name: str
    keys: dict[str, tuple[Any, ...]]
    counts: NDArray[np.int64]  # places × cells: whole, never negative, adding up
    unbiased: NDArray[np.float64]  # places × cells: the best linear estimate from all measurements
    widths: dict[
        Names, NDArray[np.float64]
    ]  # by cell columns kept: each place's error bar of an unbiased entry
    measured: tuple[MeasuredCounts, ...]

    def __len__(self) -> int:
        return len(self.counts)


@dataclass(frozen=True, eq=False)
class ReleasedHierarchy(Displayed):
    """What leaves the house after a spine was released.

    `counts` are for people who need tables that add up. They are biased where counts are small: what cannot be
    negative is pulled up near zero and, so that sums hold, down elsewhere. Whoever draws conclusions uses
    `unbiased` and its error bars.
    """

    levels: tuple[ReleasedLevel, ...]  # from everything down to the leaves
    cells: dict[str, tuple[Any, ...]]
    confidence: float
    promise: Promise
    receipt: Receipt
    provenance: Provenance
    invariants: tuple[str, ...] = ()  # what was declared exact, in words
    zeros: int = 0  # leaf cells declared impossible
    notes: tuple[str, ...] = field(default=())
    # Of one that was read from a file: whether its promise is the data set's word.
    standing: Standing | None = None
    _drawn_as: ClassVar[str] = "hierarchy"

    def __post_init__(self) -> None:
        object.__setattr__(self, "notes", with_note(self.notes, self.receipt))

    @checked
    def __getitem__(self, name: str) -> ReleasedLevel:
        """A level by its name; `all` is the top."""
        for level in self.levels:
            if level.name == name:
                return level
        raise NoSuchEntry(
            f"there is no level {name!r}.", did_you_mean(name, [level.name for level in self.levels])
        )

    def sentence(self) -> str:
        """The promise, and what it does not speak of."""
        said = self.promise.sentence_about(unit_in(self.receipt.unit))
        if self.invariants:
            said += (
                " Outside of this promise, because they were declared exact and are published as they are: "
                + "; ".join(self.invariants)
                + "."
            )
        return said

    @checked
    def to_arrow(self, level: str | None = None, by: Sequence[str] | None = None) -> pa.Table:
        """The table of a level (default: the leaves), summed down to the cell columns `by` (default: all).

        `count` adds up; `unbiased` with `low` and `high` is what to conclude from.
        """
        import pyarrow as pa

        found = self.levels[-1] if level is None else self[level]
        kept = self._kept(by)
        unbiased = self._summed(found.unbiased, kept)
        width = np.repeat(found.widths[kept], unbiased.shape[1]).reshape(unbiased.shape)
        columns: dict[str, Any] = self._labels(found, kept)
        columns["count"] = self._summed(found.counts, kept).reshape(-1)
        columns["unbiased"] = unbiased.reshape(-1)
        columns["low"], columns["high"] = (unbiased - width).reshape(-1), (unbiased + width).reshape(-1)
        return pa.table(columns)

    def to_pandas(self, level: str | None = None, by: Sequence[str] | None = None) -> pd.DataFrame:
        """The same as a pandas frame."""
        return as_pandas(self.to_arrow(level, by))

    def to_polars(self, level: str | None = None, by: Sequence[str] | None = None) -> pl.DataFrame:
        """The same as a Polars frame."""
        return as_polars(self.to_arrow(level, by))

    @checked
    def measured(self, level: str, by: Sequence[str] = ()) -> pa.Table:
        """One query group as it was measured, with the noise it has and nothing else."""
        import pyarrow as pa

        found, kept = self[level], self._kept(by)
        for one in found.measured:
            if one.columns == kept:
                columns: dict[str, Any] = self._labels(found, kept)
                values = one.values.reshape(-1)
                columns["noisy"] = values
                columns["low"], columns["high"] = values - one.width, values + one.width
                return pa.table(columns)
        raise BadUsage(
            f"this query group was not measured at level {level!r}.",
            f"Measured were: {', '.join(' × '.join(one.columns) or 'total' for one in found.measured)}.",
        )

    def _kept(self, by: Sequence[str] | None) -> Names:
        wanted = set(self.cells if by is None else by)
        if not wanted <= set(self.cells):
            raise BadUsage("there is no such column of cells.", f"Use some of {list(self.cells)}.")
        return tuple(name for name in self.cells if name in wanted)

    def _summed(self, table: NDArray[Any], kept: Names) -> NDArray[Any]:
        shaped = table.reshape(len(table), *(len(values) for values in self.cells.values()))
        dropped = tuple(at for at, name in enumerate(self.cells, 1) if name not in kept)
        return np.asarray(shaped.sum(axis=dropped).reshape(len(table), -1))

    def _labels(self, level: ReleasedLevel, kept: Names) -> dict[str, Any]:
        combinations = list(itertools.product(*(self.cells[name] for name in kept)))
        labels = {
            name: [value for value in values for _ in combinations] for name, values in level.keys.items()
        }
        for at, name in enumerate(kept):
            labels[name] = [one[at] for one in combinations] * len(level)
        return labels

    def to_json(self) -> dict[str, Any]:
        """A stable record with its schema version."""
        return {
            "schema": SCHEMA,
            "artifact": "released-hierarchy",
            "cells": _values_to_json(self.cells),
            "levels": [_level_to_json(level) for level in self.levels],
            "confidence": self.confidence,
            "promise": self.promise.to_json(),
            "sentence": self.sentence(),
            "receipt": self.receipt.to_json(),
            "provenance": {
                "question": self.provenance.question,
                "data": self.provenance.data,
                "engine": self.provenance.engine,
                "versions": self.provenance.versions,
                "stages": list(self.provenance.stages),
            },
            "invariants": list(self.invariants),
            "zeros": self.zeros,
            "notes": list(self.notes),
        }

    @classmethod
    @checked
    def from_json(cls, record: dict[str, Any]) -> ReleasedHierarchy:
        """The hierarchy a record describes; refuses versions it does not know."""
        if record.get("schema") != SCHEMA or record.get("artifact") != "released-hierarchy":
            raise UnknownRecord(
                "this is not a released hierarchy of a known version.", "Was it written by a newer version?"
            )
        try:
            found = cls(
                levels=tuple(_level_from_json(level) for level in record["levels"]),
                cells=_values_from_json(record["cells"]),
                confidence=record["confidence"],
                promise=promise_from_json(record["promise"]),
                receipt=Receipt.from_json(record["receipt"]),
                provenance=Provenance.from_json(record["provenance"]),
                invariants=tuple(record["invariants"]),
                zeros=record["zeros"],
                notes=tuple(record["notes"]),
            )
            str(fitting(found))
        except (KeyError, TypeError, ValueError, AttributeError, IndexError):
            raise UnknownRecord(
                "this released hierarchy lacks a field, or one holds something else than belongs there."
            ) from None
        return found

    @checked
    def save(self, path: str | Path) -> Path:
        """Write to `.json` (everything) or `.parquet` (the leaves, with everything else in its metadata), atomically."""
        return save_record(path, "a hierarchy", self.to_json(), self.to_arrow)

    @classmethod
    @checked
    def load(cls, path: str | Path) -> ReleasedHierarchy:
        """Read back what `save` wrote. Its `standing` says whether it is signed, or merely claims its promise."""
        record = load_record(path, "a released hierarchy")
        return replace(cls.from_json(record), standing=file_standing(Path(path), record))

    def __str__(self) -> str:
        lines = []
        for level in self.levels:
            total = int(level.counts.sum())
            widths = level.widths[()]
            lines.append(
                f"{level.name}: {len(level):,} place{'s' if len(level) > 1 else ''}, {total:,} counted, "
                f"totals known to ± {float(np.mean(widths)):.3g}, "
                f"cells to ± {float(np.mean(level.widths[tuple(self.cells)])):.3g}"
            )
        lines.append(
            f"± at {self.confidence:.0%} confidence around the unbiased estimates; counts add up at every level"
        )
        cost, left = priced(self.receipt.cost), priced(self.receipt.remaining)
        lines.append(f"cost {cost}; left in the budget: {left}")
        said = self.standing.sentence() if self.standing else ""
        return "\n".join([*lines, *filter(None, [self.receipt.note, said])])


def _values_to_json(values: dict[str, tuple[Any, ...]]) -> list[dict[str, Any]]:
    return [
        {"name": name, "values": [plain(value) for value in part], "time": time_kind(part)}
        for name, part in values.items()
    ]


def _values_from_json(record: list[dict[str, Any]]) -> dict[str, tuple[Any, ...]]:
    return {
        part["name"]: tuple(read_back(value, part["time"]) for value in part["values"]) for part in record
    }


def _level_to_json(level: ReleasedLevel) -> dict[str, Any]:
    return {
        "name": level.name,
        "keys": _values_to_json(level.keys),
        "counts": level.counts.tolist(),
        "unbiased": level.unbiased.tolist(),
        "widths": [{"columns": list(names), "of": widths.tolist()} for names, widths in level.widths.items()],
        "measured": [
            {
                "columns": list(one.columns),
                "share": one.share,
                "sigma": one.sigma,
                "width": one.width,
                "values": one.values.tolist(),
            }
            for one in level.measured
        ],
    }


def _level_from_json(record: dict[str, Any]) -> ReleasedLevel:
    return ReleasedLevel(
        name=record["name"],
        keys=_values_from_json(record["keys"]),
        counts=np.array(record["counts"], np.int64),
        unbiased=np.array(record["unbiased"], np.float64),
        widths={tuple(one["columns"]): np.array(one["of"], np.float64) for one in record["widths"]},
        measured=tuple(
            MeasuredCounts(
                tuple(one["columns"]),
                one["share"],
                one["sigma"],
                one["width"],
                np.array(one["values"], np.int64),
            )
            for one in record["measured"]
        ),
    )
