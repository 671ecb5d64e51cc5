"""Columns as features between -1 and 1, by their public bounds and values alone, and targets as classes or numbers.

What learners do with the scales of columns decides how far their output moves between halves. Here no scale is measured on the
rows: a number is put between its public bounds, a truth value is one of the two ends, a text is one feature for each of its
public values. What is missing lies in the middle.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.engine import ColumnKind
from privet.errors import BadFunction
from privet.protect.pac._row_forms import doubles
from privet.source import ColumnFacts, PublicTable

if TYPE_CHECKING:
    import pyarrow as pa

Array = NDArray[np.float64]
MOST_CLASSES = 50


@dataclass(frozen=True)
class Feature:
    """A column as a learner sees it: a number between two ends, or one of several public values."""

    column: str
    low: float
    high: float
    values: tuple[Any, ...] | None = None

    @property
    def labels(self) -> tuple[str, ...]:
        """A name for each number that it becomes."""
        return (
            (self.column,)
            if self.values is None
            else tuple(f"{self.column}={value}" for value in self.values)
        )

    def scaled(self, given: Sequence[Any] | Array) -> Array:
        """One row for each value: between -1 and 1, or 1 at its own place among the public values."""
        if self.values is not None:
            places = {value: at for at, value in enumerate(self.values)}
            found = np.zeros((len(given), len(self.values)))
            for row, value in enumerate(given):
                if value in places:
                    found[row, places[value]] = 1.0
            return found
        numbers = np.asarray([np.nan if value is None else value for value in given], np.float64)
        middle = (self.low + self.high) / 2
        inside = np.clip(np.nan_to_num(numbers, nan=middle), self.low, self.high)
        return np.asarray((inside - middle) / ((self.high - self.low) / 2)).reshape(-1, 1)


@dataclass(frozen=True)
class DesignMatrix:
    """All features side by side."""

    features: tuple[Feature, ...]

    @classmethod
    def of(cls, columns: Sequence[ColumnFacts]) -> DesignMatrix:
        """The features of some columns; refuses those that are neither numbers nor of stated values."""
        return cls(tuple(_feature(one) for one in columns))

    @property
    def labels(self) -> tuple[str, ...]:
        """A name for each number of a row."""
        return tuple(label for one in self.features for label in one.labels)

    @property
    def numbers(self) -> tuple[Feature, ...]:
        """The features, all of which are numbers; refuses values."""
        texts = [one.column for one in self.features if one.values is not None]
        if texts:
            raise BadFunction(
                f"{' and '.join(map(repr, texts))} hold values, not numbers.",
                "Leave them out of the columns.",
                faults=[],
            )
        return self.features

    def scaled(self, rows: pa.Table) -> Array:
        """Rows as features between -1 and 1."""
        if not self.features:
            return np.zeros((rows.num_rows, 0))
        return np.hstack([one.scaled(_listed(rows[one.column])) for one in self.features])

    def points(self, given: Any) -> Array:
        """Public points as features: a public table or a frame with these columns, or an array of numbers in their order."""
        rows = given.rows if isinstance(given, PublicTable) else given
        names = [one.column for one in self.features]
        known = getattr(rows, "column_names", None) or getattr(rows, "columns", None)
        if known is not None and not isinstance(rows, np.ndarray):
            missing = [name for name in names if name not in list(known)]
            if missing:
                raise BadFunction(
                    f"the public points lack {', '.join(map(repr, missing))}.",
                    "Give all columns that the function is applied to.",
                    faults=[],
                )
            return np.hstack([one.scaled(_listed(rows[one.column])) for one in self.features])
        return self._array(rows, names)

    def _array(self, rows: Any, names: list[str]) -> Array:
        try:
            found = np.asarray(rows)
            if found.ndim == 2 and found.shape[1] == len(names) and len(found):
                return np.hstack([one.scaled(found[:, at].tolist()) for at, one in enumerate(self.features)])
        except (ValueError, TypeError):
            pass
        raise BadFunction(
            f"public points are rows of {len(names)} values: {', '.join(names)}.",
            "Give a frame with these columns, or an array with one row for each point.",
            faults=[],
        )

    def ends(self) -> tuple[Array, Array]:
        """The bounds of every number column, in its own units."""
        return np.array([one.low for one in self.numbers]), np.array([one.high for one in self.numbers])

    def unscaled(self, points: Array) -> Array:
        """Features back in the units of their columns."""
        low, high = self.ends()
        return np.asarray((low + high) / 2 + points * (high - low) / 2)


@dataclass(frozen=True)
class Classes:
    """A target of several public values; rows of other values are left out."""

    column: str
    values: tuple[Any, ...]

    @classmethod
    def of(cls, column: ColumnFacts, said: Sequence[Any] | None) -> Classes:
        """Its public values: as said, as stated of the column, or all that its kind or its bounds admit."""
        values: tuple[Any, ...] | None = column.values if said is None else tuple(said)
        if values is None and column.kind is ColumnKind.BOOLEAN:
            values = (False, True)
        if values is None and column.kind is ColumnKind.INTEGER and column.bounds is not None:
            low, high = int(column.bounds.lower), int(column.bounds.upper)
            values = tuple(range(low, high + 1)) if high - low < MOST_CLASSES else None
        if values is None or not 2 <= len(set(values)) == len(values) <= MOST_CLASSES:
            raise BadFunction(
                f"the classes of {column.name!r} are not known: two or more public values, each once.",
                'Write classes=["no", "yes"], as an option --classes no,yes, or state the values of the column.',
                faults=[],
            )
        return cls(column.name, tuple(_plain(value) for value in values))

    def codes(self, rows: pa.Table) -> NDArray[np.int64]:
        """The place of each row's class; -1 for what is none of them."""
        places = {value: at for at, value in enumerate(self.values)}
        return np.asarray(
            [places.get(_plain(value), -1) for value in rows[self.column].to_pylist()], np.int64
        )


def binned_feature(column: ColumnFacts) -> Feature:
    """A column as it is counted: a truth value is one of two."""
    return (
        Feature(column.name, 0.0, 1.0, (False, True))
        if column.kind is ColumnKind.BOOLEAN
        else _feature(column)
    )


def _feature(column: ColumnFacts) -> Feature:
    if column.kind.is_number and column.bounds is not None:
        return Feature(column.name, float(column.bounds.lower), float(column.bounds.upper))
    if column.kind is ColumnKind.BOOLEAN:
        return Feature(column.name, 0.0, 1.0)
    if column.values is None:
        raise BadFunction(
            f"column {column.name!r} holds {column.kind.value}, and nothing says which values there are.",
            f'State them: apply(…, keys={{"{column.name}": ["a", "b"]}}), as an option --keys {column.name}=a,b; or leave the '
            "column out.",
            faults=[],
        )
    return Feature(column.name, 0.0, 1.0, tuple(_plain(value) for value in column.values))


def _plain(value: Any) -> Any:
    """Numbers of any kind as one kind: 1, 1.0 and NumPy's 1 are the same class."""
    return value.item() if isinstance(value, np.generic) else value


def _listed(column: Any) -> Any:
    """A column of Arrow, pandas or Polars as plain values."""
    if hasattr(column, "to_pylist"):
        import pyarrow as pa

        if pa.types.is_floating(column.type) or pa.types.is_integer(column.type):
            return doubles(column).reshape(-1)
        return column.to_pylist()
    return [None if isinstance(value, float) and math.isnan(value) else value for value in column.tolist()]
