"""How a row of a table becomes numbers for a model: fixed, public, and written down with the model.

Every column is cut into levels by facts that are known without the data: public bounds and a number of bins, or a
public list of values. A row is then one whole number for each column. Values outside the bounds count as the nearest
end; values that are missing, or not in the list, have a level of their own, the last. Nothing here is learned.
"""

from __future__ import annotations

import datetime
import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privet.artifact._field_types import fitting
from privet.errors import BadModel, UnknownRecord

if TYPE_CHECKING:
    import pyarrow as pa

Scale = Literal["linear", "log"]
_MOST_BINS = 1_000_000
_DAY = 86_400_000_000  # microseconds
_EPOCH = datetime.date(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class NumberColumn:
    """Numbers, or dates as days since 1970, between public bounds in equal bins (of logarithms, for "log")."""

    name: str
    lower: float
    upper: float
    bins: int = 16
    scale: Scale = "linear"
    dates: bool = False

    @property
    def levels(self) -> int:
        """How many codes there are: the bins, and one for what is missing."""
        return self.bins + 1

    def place(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Where values lie between the bounds: 0 at the lower, 1 at the upper one; missing stays missing."""
        inside = np.clip(values, self.lower, self.upper) - self.lower
        width = self.upper - self.lower
        if self.scale == "log":
            # One unit of the scale is a hundredth of the range: small values apart, and zero has a logarithm.
            share: NDArray[np.float64] = np.log1p(inside * (100 / width)) / math.log(101)
            return share
        return inside / width

    def codes(self, column: pa.ChunkedArray, *, lenient: bool = False) -> NDArray[np.int32]:
        """The level of each value; with `lenient`, texts that are no number are missing, not an error."""
        values = numbers_in(self.name, column, dates=self.dates, lenient=lenient)
        found = np.full(len(values), self.bins, dtype=np.int32)
        there = ~np.isnan(values)
        found[there] = np.minimum(self.place(values[there]) * self.bins, self.bins - 1).astype(np.int32)
        return found

    def edges(self) -> NDArray[np.float64]:
        """The ends of the bins, one more than there are bins."""
        share = np.linspace(0, 1, self.bins + 1)
        if self.scale == "log":
            share = np.expm1(share * math.log(101)) / 100
        return self.lower + share * (self.upper - self.lower)

    def words(self) -> list[str]:
        """What each level means."""
        ends = [_day(edge) if self.dates else f"{edge:.6g}" for edge in self.edges()]
        return [f"{low} to {high}" for low, high in itertools.pairwise(ends)] + ["missing"]

    def to_json(self) -> dict[str, Any]:
        """A stable record."""
        return {"kind": "number", **{name: getattr(self, name) for name in self.__slots__}}


@dataclass(frozen=True, slots=True)
class CategoryColumn:
    """One of a public list of values, compared as text; all others, and missing ones, are one more level."""

    name: str
    values: tuple[str, ...]

    @property
    def levels(self) -> int:
        """How many codes there are: the listed values, and one for all others."""
        return len(self.values) + 1

    def codes(self, column: pa.ChunkedArray, *, lenient: bool = False) -> NDArray[np.int32]:  # noqa: ARG002
        """The level of each value. Truth values are also known as yes and no, and the like, where these are listed."""
        known: dict[str | None, int] = {value: at for at, value in enumerate(self.values)}
        if str(column.type) == "bool":
            known = _of_truth(known)
        coded = column.combine_chunks() if hasattr(column, "combine_chunks") else column
        if not hasattr(coded, "indices"):
            coded = coded.dictionary_encode()
        other = len(self.values)
        meaning = [known.get(text, other) for text in map(as_text, coded.dictionary.to_pylist())]
        lookup = np.array([*meaning, other], dtype=np.int32)
        places = coded.indices.fill_null(len(meaning)).to_numpy(zero_copy_only=False)
        found: NDArray[np.int32] = lookup[places.astype(np.int64)]
        return found

    def words(self) -> list[str]:
        """What each level means."""
        return [*self.values, "other or missing"]

    def to_json(self) -> dict[str, Any]:
        """A stable record."""
        return {"kind": "category", "name": self.name, "values": list(self.values)}


Column: TypeAlias = NumberColumn | CategoryColumn


@dataclass(frozen=True, slots=True)
class Features:
    """The columns a model looks at, each with its levels."""

    columns: tuple[Column, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(column.name for column in self.columns)

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where each column's levels begin when those of all columns stand in one row."""
        return np.concatenate([[0], np.cumsum([column.levels for column in self.columns])[:-1]]).astype(
            np.int64
        )

    @property
    def levels(self) -> int:
        """How many levels all columns have together."""
        return sum(column.levels for column in self.columns)

    def encode(self, data: object, *, lenient: bool = False) -> NDArray[np.int32]:
        """One row of codes for each row of a table; an error that lists the columns it lacks.

        With `lenient` no single value is an error, so that whether it fails tells nothing about one row.
        """
        table = as_arrow(data)
        lacking = [name for name in self.names if name not in table.column_names]
        if lacking:
            many = "column" if len(lacking) == 1 else "columns"
            raise BadModel(
                f"the table lacks {len(lacking)} {many} that the model needs: {', '.join(lacking)}.",
                "Give a table with the columns that the model was trained on; others are ignored.",
            )
        doubled = [name for name in self.names if table.column_names.count(name) > 1]
        if doubled:
            raise BadModel(f"the table has several columns called {', '.join(doubled)}.", "Rename them.")
        found = np.empty((table.num_rows, len(self.columns)), dtype=np.int32)
        for at, column in enumerate(self.columns):
            found[:, at] = column.codes(table.column(column.name), lenient=lenient)
        return found

    def to_json(self) -> list[dict[str, Any]]:
        """A stable record."""
        return [column.to_json() for column in self.columns]

    @classmethod
    def from_json(cls, record: Sequence[Mapping[str, Any]]) -> Features:
        """The columns that a record describes."""
        return cls(tuple(_column_from(entry) for entry in record))


def _column_from(record: Mapping[str, Any]) -> Column:
    values = dict(record)
    kind = values.pop("kind", None)
    try:
        if kind == "number":
            found = fitting(NumberColumn(**values))
            if 0 < found.bins <= _MOST_BINS and -math.inf < found.lower < found.upper < math.inf:
                return found
        if kind == "category":
            return fitting(CategoryColumn(values.pop("name"), tuple(values.pop("values")), **values))
    except (TypeError, KeyError):
        pass
    raise UnknownRecord("a column of this model is of an unknown kind.", "Was it written by a newer version?")


def as_arrow(data: object) -> pa.Table:
    """A table in memory as Arrow: Arrow itself, a pandas or Polars frame, or columns by name."""
    import pyarrow as pa

    if isinstance(data, pa.Table):
        return data
    if isinstance(data, pa.RecordBatch):
        return pa.Table.from_batches([data])
    try:
        if isinstance(data, Mapping):
            return pa.table({str(name): pa.array(values) for name, values in data.items()})
        if hasattr(data, "__arrow_c_stream__"):
            return pa.table(data)
    except (pa.ArrowException, TypeError, ValueError):
        raise BadModel("the table holds values that cannot be read.", "Give plain columns.") from None
    raise BadModel(
        f"a {type(data).__name__} is not a table.",
        "Give an Arrow table, a pandas or Polars frame, or a mapping of columns by name.",
    )


def as_text(value: object) -> str | None:
    """A category's one spelling, whatever type a file gave it: 1, 1.0 and "1" are the same."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def days_since(day: datetime.date) -> float:
    """A date as a number."""
    return float((day - _EPOCH).days)


def _day(days: float) -> str:
    return (_EPOCH + datetime.timedelta(days=math.floor(days))).isoformat()


def numbers_in(
    name: str, column: pa.ChunkedArray, *, dates: bool, lenient: bool = False
) -> NDArray[np.float64]:
    """The values as floats, not-a-number where they are missing (or, with `lenient`, texts that are no number)."""
    import pyarrow as pa

    textual = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    try:
        return _converted(column, dates=dates)
    except pa.ArrowException:
        if lenient and textual:
            return _one_by_one(column, dates=dates)
        wanted = "dates" if dates else "numbers"
        raise BadModel(
            f"column {name!r} does not hold {wanted}, as the model needs.", "Give the column its type."
        ) from None


def _converted(column: pa.ChunkedArray, *, dates: bool) -> NDArray[np.float64]:
    import pyarrow as pa

    if not dates:
        values = column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    else:
        if not pa.types.is_temporal(column.type):
            column = column.cast(pa.date32())
        micros = column.cast(pa.timestamp("us"), safe=False).cast(pa.int64())
        values = micros.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False) / _DAY
    return np.asarray(values, dtype=np.float64)


def _one_by_one(column: pa.ChunkedArray, *, dates: bool) -> NDArray[np.float64]:
    """Texts as numbers or days, each by itself."""

    def read(text: str) -> float:
        try:
            return days_since(datetime.date.fromisoformat(text[:10])) if dates else float(text)
        except ValueError:
            return math.nan

    coded = column.combine_chunks().dictionary_encode()
    lookup = np.array([*(read(text.strip()) for text in coded.dictionary.to_pylist()), math.nan])
    places = coded.indices.fill_null(len(lookup) - 1).to_numpy(zero_copy_only=False)
    return np.asarray(lookup[places.astype(np.int64)])


_TRUTH = {"true": ("true", "yes", "y", "t", "1"), "false": ("false", "no", "n", "f", "0")}


def _of_truth(known: Mapping[str | None, int]) -> dict[str | None, int]:
    """Readers of files take yes and no for truth values: which listed value each of the two then is."""
    folded = {str(value).casefold(): at for value, at in known.items()}
    return {
        said: next(folded[word] for word in words if word in folded)
        for said, words in _TRUTH.items()
        if any(word in folded for word in words)
    }
