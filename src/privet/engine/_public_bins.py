"""Public bins: ranges of numbers between stated edges, or a stated list of values.

Which bins there are is public; which of them a row falls into is computed on the engine, as a whole number, by
the same rule on every engine. A value on an edge belongs to the bin that begins there; values outside fall into
the first or last bin, like values outside their bounds everywhere else. Values that are missing or not a number
fall into no bin.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from privet.engine import _dialects as dialects
from privet.engine._dialects import real, whole
from privet.engine._engine_results import public_side
from privet.engine._group_measures import number
from privet.engine._public_keys import POSITION, canonical_keys, match_positions
from privet.engine._relation import ColumnKind, Relation, kind_of
from privet.errors import BadAggregate
from privet.guarantee import Number, exact, written

if TYPE_CHECKING:
    import pyarrow as pa

MOST_EVEN = 2**16
MOST_UNEVEN = 1024


@dataclass(frozen=True, slots=True)
class EvenBins:
    """`count` ranges of equal width between two numbers."""

    lower: Fraction
    upper: Fraction
    count: int

    def __init__(self, lower: Number, upper: Number, count: int) -> None:
        object.__setattr__(self, "lower", exact(lower, "lower"))
        object.__setattr__(self, "upper", exact(upper, "upper"))
        object.__setattr__(self, "count", count)
        if type(count) is not int or not 1 <= count <= MOST_EVEN:
            raise BadAggregate(f"the number of bins must be a whole number from 1 to {MOST_EVEN:,}.")
        try:
            edges = self.edges() if self.lower < self.upper else ()
        except OverflowError:
            edges = ()
        _check_edges(edges)

    def _units(self) -> tuple[float, float, float]:
        """Lower bound and width as whole numbers over a common denominator, so that edges are rounded once."""
        width = (self.upper - self.lower) / self.count
        below = math.lcm(self.lower.denominator, width.denominator)
        return float(self.lower * below), float(width * below), float(below)

    def edges(self) -> tuple[float, ...]:
        """The edges as the engines see them: computed by the same three operations."""
        first, step, below = self._units()
        return tuple((first + float(at) * step) / below for at in range(self.count + 1))

    def place(self, value: Any, engine: str) -> Any:
        """The bin of each value: an estimate by its distance from the lower bound, put right by its edges."""
        import ibis

        low, high = (real(edge) for edge in (self.edges()[0], self.edges()[-1]))
        first, step, below = (real(unit) for unit in self._units())
        found = number(value, engine)
        inside = ibis.least(ibis.greatest(found, low), high)
        width = (self.upper - self.lower) / self.count
        # Less than half a bin is in the first one, and PostgreSQL would raise where the product is too small.
        away = inside - low
        away = ibis.ifelse(away < real(float(width / 2)), real(0), away)
        guess = dialects.floor(away * real(float(1 / width)))
        up = ibis.ifelse(inside >= (first + (guess + real(1)) * step) / below, real(1), real(0))
        down = ibis.ifelse(inside < (first + guess * step) / below, real(1), real(0))
        put_right = ibis.least(ibis.greatest(guess + up - down, real(0)), real(self.count - 1))
        return _where_there(value, found, put_right.cast("int32"))

    def said(self) -> str:
        """The bins without rounding."""
        return f"{self.count} EVEN BINS IN [{written(self.lower)}, {written(self.upper)}]"


@dataclass(frozen=True, slots=True)
class UnevenBins:
    """Ranges between stated edges, in rising order."""

    stated: tuple[Fraction, ...]

    def __init__(self, edges: Sequence[Number]) -> None:
        object.__setattr__(self, "stated", tuple(exact(edge, "edges") for edge in edges))
        if len(self.stated) > MOST_UNEVEN + 1:
            raise BadAggregate(
                f"more than {MOST_UNEVEN} bins between stated edges.", "Use bounds and a number of even bins."
            )
        _check_edges(self.edges())

    @property
    def count(self) -> int:
        """How many ranges there are."""
        return len(self.stated) - 1

    def edges(self) -> tuple[float, ...]:
        """The edges as the engines see them."""
        return tuple(float(edge) for edge in self.stated)

    def place(self, value: Any, engine: str) -> Any:
        """The bin of each value, by halving."""
        import ibis

        edges, found = self.edges(), number(value, engine)

        def halved(low: int, high: int) -> Any:
            if high - low == 1:
                return ibis.literal(low, type="int32")
            middle = (low + high) // 2
            return ibis.ifelse(found < real(edges[middle]), halved(low, middle), halved(middle, high))

        return _where_there(value, found, halved(0, self.count))

    def said(self) -> str:
        """The bins without rounding."""
        return f"BINS BETWEEN {', '.join(written(edge) for edge in self.stated)}"


def _check_edges(edges: Sequence[float]) -> None:
    apart = all(low < high for low, high in itertools.pairwise(edges))
    if len(edges) < 2 or not apart or max(abs(edges[0]), abs(edges[-1])) >= 1e150:
        raise BadAggregate(
            "edges of bins must rise, and be told apart as floating-point numbers.",
            "Write edges=[0, 10, 20, 60], or bounds=(0, 60) and a number of bins.",
        )


def _where_there(value: Any, found: Any, place: Any) -> Any:
    """The place where there is a number; comparisons skip missing values, or call them larger than all others."""
    return dialects.keep_if(dialects.is_there(value, found), place)


@dataclass(frozen=True, eq=False)
class Categories:
    """A stated list of values, one bin each; with `other` one more for all other values, missing ones included."""

    values: pa.Array
    other: bool

    @property
    def count(self) -> int:
        """How many bins there are."""
        return len(self.values) + self.other

    def fitted(self, name: str, kind: ColumnKind) -> pa.Array:
        """The values in the column's canonical type; refuses those it cannot hold, and repeated ones."""
        import pyarrow as pa

        return canonical_keys(pa.table({name: self.values}), [name], {name: kind})[name]

    def said(self) -> str:
        """The bins without rounding."""
        listed = ", ".join(repr(value) for value in self.values.to_pylist())
        return f"VALUES {listed}{' AND OTHERS' if self.other else ''}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Categories) and self.said() == other.said()

    def __hash__(self) -> int:
        return hash(self.said())


Bins: TypeAlias = EvenBins | UnevenBins | Categories


class Placing(Protocol):
    """Bins that find the place of a value by an expression."""

    @property
    def count(self) -> int:
        """How many there are."""

    def place(self, value: Any, engine: str) -> Any:
        """The bin of each value."""


Places: TypeAlias = Placing | Categories


def placed(table: Any, place: str, column: str, bins: Bins, relation: Relation) -> Any:
    """The table with the bin of each row in `place`, missing for rows in no bin. `column` is left out."""
    if not isinstance(bins, Categories):
        return table.mutate(**{place: bins.place(table[column], relation.engine)}).drop(column)
    import pyarrow as pa

    keyed = table.mutate(**{column: dialects.canonical_key(table[column], relation.engine)})
    values = pa.table({column: bins.fitted(column, kind_of(table[column].type()))})
    matched = match_positions(keyed, {column: column}, values, relation, how="left")
    at = matched[POSITION].cast("int32")
    position = at.fill_null(whole(bins.count - 1).cast("int32")) if bins.other else at
    return matched.mutate(**{place: position}).drop(POSITION)


def placed_together(
    table: Any, wanted: Mapping[str, tuple[str, Places]], kept: Sequence[str], relation: Relation
) -> Any:
    """The bin of each row in many columns at once, by place, beside the columns to keep.

    One selection and one chain of joins, however many columns there are: nested one inside the other, as `placed` would, a
    statement of thirty columns is too deep for what writes it.
    """
    import pyarrow as pa

    chosen = {name: table[name] for name in kept}
    lists: dict[str, pa.Array] = {}
    for place, (column, bins) in wanted.items():
        if isinstance(bins, Categories):
            lists[place] = bins.fitted(column, kind_of(table[column].type()))
            chosen[f"privet_k_{place}"] = dialects.canonical_key(table[column], relation.engine)
        else:
            chosen[place] = bins.place(table[column], relation.engine)
    found = table.select(**chosen)
    for place, values in lists.items():
        positions = pa.array(range(len(values)), pa.int32())
        names = [f"privet_s_{place}", f"privet_at_{place}"]
        stated = public_side(pa.table([values, positions], names=names), relation)
        key, value = found[f"privet_k_{place}"], stated[names[0]]
        # Null-safe equality only where a missing value was stated: PostgreSQL cannot hash it.
        found = found.left_join(stated, key.identical_to(value) if values.null_count else key == value)
    places = {}
    for place, (_, bins) in wanted.items():
        at = found[f"privet_at_{place}" if place in lists else place].cast("int32")
        other = isinstance(bins, Categories) and bins.other
        places[place] = at.fill_null(whole(bins.count - 1).cast("int32")) if other else at
    return found.select(**{name: found[name] for name in kept}, **places)
