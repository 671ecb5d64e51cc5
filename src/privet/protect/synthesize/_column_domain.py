"""The public domain of one column: which codes there are, how the engine finds them, and values for synthetic codes.

The last code of every column stands for what is missing or outside the domain, and is written as a missing value.
"""

from __future__ import annotations

import datetime
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from privet.engine import Categories, CodedColumn, ColumnKind, DateBins, EvenBins, UnevenBins
from privet.errors import BadSynthesis
from privet.mechanism import Draws

if TYPE_CHECKING:
    import pyarrow as pa

DomainKind = Literal["category", "number", "date"]
BINS = 32  # of a number or date, where nobody says how many
MOST_WHOLE = 128  # whole numbers that get a bin each
_DAY_ZERO = datetime.date(1970, 1, 1)


@dataclass(frozen=True)
class ColumnDomain:
    """What may be known of a column: values of a category, edges of the bins of a number or date.

    Edges of dates are days since 1970. `whole` numbers are written without fractions. `origin` says in words where the
    facts come from.
    """

    name: str
    kind: DomainKind
    column: ColumnKind
    values: tuple[Any, ...] = ()
    edges: tuple[float, ...] = ()
    origin: str = "stated"

    def __post_init__(self) -> None:
        if self.kind == "category" and not self.values:
            raise BadSynthesis(f"column {self.name!r} has no values.", "State at least one.")
        rising = all(low < high for low, high in zip(self.edges, self.edges[1:], strict=False))
        if self.kind != "category" and (len(self.edges) < 2 or not rising):
            raise BadSynthesis(f"the bins of column {self.name!r} do not rise.", "State rising edges.")

    @property
    def bins(self) -> int:
        """How many codes stand for values."""
        return len(self.values) if self.kind == "category" else len(self.edges) - 1

    @property
    def size(self) -> int:
        """How many codes there are, the one for missing values included."""
        return self.bins + 1

    @property
    def missing(self) -> int:
        """The code of missing values."""
        return self.bins

    def coded(self) -> CodedColumn:
        """How the engine finds the code of each row."""
        import pyarrow as pa

        if self.kind == "category":
            return CodedColumn(self.name, Categories(pa.array(list(self.values)), other=False))
        if self.kind == "date":
            days = tuple(_DAY_ZERO + datetime.timedelta(days=int(edge)) for edge in self.edges)
            return CodedColumn(self.name, DateBins(days))
        width = self.edges[1] - self.edges[0]
        even = all(
            math.isclose(high - low, width, rel_tol=1e-9, abs_tol=1e-12)
            for low, high in zip(self.edges, self.edges[1:], strict=False)
        )
        if even:
            return CodedColumn(
                self.name, EvenBins(Fraction(self.edges[0]), Fraction(self.edges[-1]), self.bins)
            )
        return CodedColumn(self.name, UnevenBins(self.edges))

    def decoded(self, codes: NDArray[np.int64], draws: Draws) -> pa.Array:
        """A value for each code: the category, or a point drawn evenly from the bin."""
        import pyarrow as pa

        gone = codes >= self.missing
        inside = np.minimum(codes, self.missing - 1)
        if self.kind == "category":
            listed = pa.array(list(self.values))
            return listed.take(pa.array(np.where(gone, 0, inside), mask=gone))
        low, high = np.array(self.edges[:-1])[inside], np.array(self.edges[1:])[inside]
        spots = low + draws.random(len(codes)) * (high - low)
        if self.kind == "date":
            return self._dates(np.floor(spots).astype(np.int64), gone)
        if self.column is ColumnKind.INTEGER:
            # Bins of whole numbers begin at their least and end before the next bin's: floor stays inside.
            whole = np.clip(np.floor(spots), np.ceil(low), np.maximum(np.ceil(high) - 1, np.ceil(low)))
            return pa.array(whole.astype(np.int64), mask=gone)
        digits = max(0, 3 - math.floor(math.log10(max(1e-12, min(high - low)))) if len(codes) else 3)
        return pa.array(np.clip(np.round(spots, min(digits, 12)), low, high), mask=gone)

    def extents(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The least and the greatest number (of a date, day) that each code but that of missing values is written as."""
        low, high = np.array(self.edges[:-1]), np.array(self.edges[1:])
        if self.kind == "date" or self.column is ColumnKind.INTEGER:
            low = np.ceil(low)
            return low, np.maximum(np.ceil(high) - 1, low)
        return low, high

    def _dates(self, days: NDArray[np.int64], gone: NDArray[np.bool_]) -> pa.Array:
        import pyarrow as pa

        found = pa.array(days.astype(np.int32), mask=gone).cast(pa.date32())
        return found.cast(pa.timestamp("us")) if self.column is ColumnKind.TIMESTAMP else found

    def describe(self) -> str:
        """The domain in one line, exactly: part of the question that is booked."""
        facts = self.values if self.kind == "category" else self.edges
        return f"{self.name!r} {self.kind} {self.column.value} {list(facts)!r}"

    def to_json(self) -> dict[str, Any]:
        """A stable record."""
        return {
            "name": self.name,
            "kind": self.kind,
            "column": self.column.value,
            "values": [_plain(value) for value in self.values],
            "edges": list(self.edges),
            "origin": self.origin,
        }

    @classmethod
    def from_json(cls, record: dict[str, Any]) -> ColumnDomain:
        """The domain that a record describes."""
        kind = ColumnKind(record["column"])
        return cls(
            record["name"],
            record["kind"],
            kind,
            tuple(_read_back(value, kind) for value in record["values"]),
            tuple(record["edges"]),
            record["origin"],
        )


def _plain(value: Any) -> Any:
    return value if isinstance(value, str | int | float | bool) else str(value)


def _read_back(value: Any, kind: ColumnKind) -> Any:
    if kind is ColumnKind.DATE and isinstance(value, str):
        return datetime.date.fromisoformat(value)
    if kind is ColumnKind.TIMESTAMP and isinstance(value, str):
        return datetime.datetime.fromisoformat(value)
    return value


def number_domain(
    name: str, kind: ColumnKind, lower: float, upper: float, *, bins: int | None, origin: str
) -> ColumnDomain:
    """Even bins between two bounds; whole numbers get a bin each where they are few."""
    if kind is ColumnKind.INTEGER:
        first, last = math.floor(lower), math.ceil(upper)
        many = last - first + 1
        if bins is None and many <= MOST_WHOLE:
            bins = many
        wide = max(1, math.ceil(many / (bins or BINS)))
        edges = tuple(float(edge) for edge in range(first, last + 1, wide))
        return ColumnDomain(name, "number", kind, edges=(*edges, edges[-1] + wide), origin=origin)
    even = np.linspace(lower, upper, (bins or BINS) + 1)
    return ColumnDomain(name, "number", kind, edges=tuple(float(edge) for edge in even), origin=origin)


def date_domain(
    name: str, kind: ColumnKind, first: float, last: float, *, bins: int | None, origin: str
) -> ColumnDomain:
    """Bins of whole days between two days, both included."""
    begin, end = math.floor(first), math.floor(last) + 1
    wide = max(1, math.ceil((end - begin) / (bins or BINS)))
    edges = [float(edge) for edge in range(begin, end, wide)]
    return ColumnDomain(name, "date", kind, edges=(*edges, edges[-1] + wide), origin=origin)


def day_number(moment: datetime.date) -> int:
    """A day as days since 1970."""
    day = moment.date() if isinstance(moment, datetime.datetime) else moment
    return (day - _DAY_ZERO).days
