"""What can be measured in each group, and how values become whole steps.

A value is clamped to its public bounds and counted in whole steps from the *lower* bound, so that everything
is non-negative; sums are moved to the middle at the very end, where a row adds between -reach and reach.
Values that are missing or not a number are not valid: they count as rows, not as values.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from privet.engine import _dialects as dialects
from privet.engine._dialects import keep_if, real, whole
from privet.errors import BadAggregate
from privet.sealed import LARGEST_REACH, FixedPoint

KINDS = ("rows", "persons", "valid", "sum", "sum_of_squares", "product", "distances")
VALUE_KINDS = ("valid", "sum", "sum_of_squares", "product", "distances")
SUM_KINDS = ("sum", "sum_of_squares", "product", "distances")

# Sums of whole steps are exact in doubles while they stay below 2^53. With steps up to 2^21 that holds for
# 2^32 rows of one person in one group; finer ones are added up as 64-bit integers.
LARGEST_IN_DOUBLE = 2**21
# The share of a total that is kept is computed in doubles; below this, its error is far under half a step.
LARGEST_KEPT = 2**48


@dataclass(frozen=True, slots=True)
class Measure:
    """One number for each group; for `distances`, two.

    `rows`: all rows; `persons`: units; `valid`: rows whose value is there; `sum`: of steps from the middle,
    over valid rows; `sum_of_squares`: of squared steps from the middle, themselves counted from the middle
    of their range (`square_reach` each), over valid rows; `product`: of the steps of two columns, each from
    its middle, over rows where both are valid; `distances`: steps up from the lower bound, and steps down from
    the upper one, over valid rows. Both are 0 or more and add up to `span` for each row, so that a row moves the two
    together by no more than it can move either. Columns in `beside` must be valid too for a row to count.
    """

    kind: str
    column: str | None = None
    fixed: FixedPoint | None = None
    other: str | None = None
    other_fixed: FixedPoint | None = None
    beside: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise BadAggregate("unknown measure.", f"Use one of {', '.join(KINDS)}.")
        if (self.column is not None) != (self.kind in VALUE_KINDS):
            raise BadAggregate(
                f"the measure {self.kind!r} needs {'a' if self.column is None else 'no'} column."
            )
        if (self.fixed is not None) != (self.kind in SUM_KINDS):
            raise BadAggregate(
                f"the measure {self.kind!r} needs {'public bounds' if self.fixed is None else 'no bounds'}."
            )
        second = (self.other is not None, self.other_fixed is not None)
        if second != ((True, True) if self.kind == "product" else (False, False)):
            raise BadAggregate("a product is of two columns with public bounds, and nothing else is.")
        if self.beside and self.column is None:
            raise BadAggregate(f"the measure {self.kind!r} counts rows whatever their values.")
        for fixed in (self.fixed, self.other_fixed):
            if fixed is not None:
                _check_range(fixed)
        if self.reach > LARGEST_REACH:
            raise BadAggregate(
                "squares and products of such fine steps do not fit 64-bit integers.",
                "Use a coarser step: the range over 2^16 or more.",
            )

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns that must be valid for a row to count, in alphabetical order."""
        named = (self.column, self.other, *self.beside)
        return tuple(sorted({column for column in named if column is not None}))

    @property
    def reach(self) -> int:
        """The most that one row adds to a sum, in steps."""
        if self.fixed is None:
            return 1
        if self.other_fixed is not None:
            return self.fixed.reach * self.other_fixed.reach
        if self.kind == "distances":
            return self.fixed.span
        return self.fixed.reach if self.kind == "sum" else square_reach(self.fixed)

    @property
    def span(self) -> int:
        """The most steps that one row counts before they are moved to where zero is."""
        if self.fixed is None:
            return 1
        if self.other_fixed is not None:
            return 2 * self.reach
        return self.fixed.reach**2 if self.kind == "sum_of_squares" else self.fixed.span

    @property
    def length(self) -> int:
        """The number of entries for each group."""
        return 2 if self.kind == "distances" else 1

    @property
    def added(self) -> Measure:
        """What is added up for it: itself, or the sum that both distances follow from."""
        return replace(self, kind="sum") if self.kind == "distances" else self

    @property
    def offset(self) -> int:
        """The steps taken off for each valid row, so that it adds between -reach and reach."""
        if self.fixed is None:
            return 0
        return self.fixed.offset if self.kind == "sum" else self.reach


def square_reach(fixed: FixedPoint) -> int:
    """Half the range of squared steps, rounded up: what `sum_of_squares` takes off each squared value."""
    return (fixed.reach**2 + 1) // 2


def _check_range(fixed: FixedPoint) -> None:
    """Bounds must be told apart in doubles, and no product of theirs may leave the range of doubles."""
    lower, upper, step = float(fixed.lower), float(fixed.upper), float(fixed.step)
    if not (lower < upper and max(abs(lower), abs(upper)) < 1e150 and 1e-150 < step < 1e150):
        raise BadAggregate(
            "these bounds cannot be told apart as floating-point numbers, or are far out of proportion.",
            "State bounds between which people's values really lie.",
        )


def steps(value: Any, measure: Measure, engine: str) -> Any:
    """A value as whole steps in [0, span], missing where it is not valid."""
    assert measure.fixed is not None
    counted = _from_lower(value, measure.fixed, engine)
    if measure.kind == "sum_of_squares":
        counted = (counted - real(measure.fixed.offset)) * (counted - real(measure.fixed.offset))
    return _small(keep_if(_is_valid(value, engine), counted), measure)


def row_steps(table: Any, measure: Measure, engine: str) -> Any:
    """What each row counts, in whole steps in [0, span], missing where the row does not count."""
    if measure.needs == (measure.column,):
        return steps(table[measure.column], measure, engine)
    assert measure.fixed is not None
    counted = _from_lower(table[measure.column], measure.fixed, engine)
    if measure.kind != "sum":
        middle = real(measure.fixed.offset)
        second = counted - middle
        if measure.other_fixed is not None:
            other = _from_lower(table[measure.other], measure.other_fixed, engine)
            second = other - real(measure.other_fixed.offset)
        counted = (counted - middle) * second
        if measure.kind == "product":
            counted = counted + real(measure.offset)
    return _small(keep_if(_all_valid(table, measure.needs, engine), counted), measure)


def _small(counted: Any, measure: Measure) -> Any:
    return counted if measure.span <= LARGEST_IN_DOUBLE else counted.cast("int64")


def _from_lower(value: Any, fixed: FixedPoint, engine: str) -> Any:
    """A value as whole steps from the lower bound; anything where it is not valid.

    The product with 1/step is monotone in the value, so its largest and smallest results are known before
    any row is seen; where they leave the range, a clamp on the result is added.
    """
    import ibis

    offset, rate = float(fixed.lower - fixed.step / 2), float(1 / fixed.step)
    found = number(value, engine)
    inside = ibis.least(ibis.greatest(found, real(float(fixed.lower))), real(float(fixed.upper)))
    counted = dialects.floor((inside - real(offset)) * real(rate))
    # Bounds are public, so that the clamp can be left out is known without a look at a row.
    ends = [math.floor((float(end) - offset) * rate) for end in (fixed.lower, fixed.upper)]
    if ends[0] < 0 or ends[1] > fixed.span:
        counted = ibis.least(ibis.greatest(counted, real(0)), real(fixed.span))
    return counted


def _is_valid(value: Any, engine: str) -> Any:
    """Whether a value is there. LEAST and GREATEST skip missing values, and Spark's ISNAN says no to them."""
    if not (value.type().is_numeric() or value.type().is_boolean()):
        return value.notnull()
    return dialects.is_there(value, number(value, engine))


def number(value: Any, engine: str) -> Any:
    """A column of numbers or truth values as doubles."""
    import ibis

    if value.type().is_boolean():
        return ibis.cases((value, real(1)), (~value, real(0)), else_=ibis.null("float64"))
    return dialects.to_double(value, engine)


def _all_valid(table: Any, columns: Sequence[str], engine: str) -> Any:
    return functools.reduce(operator.and_, (_is_valid(table[column], engine) for column in columns))


def presence(value: Any, engine: str) -> Any:
    """Something that is missing exactly where the value is missing, not a number or out of reach."""
    dtype = value.type()
    if dtype.is_floating():
        return keep_if(~value.isnan(), value)
    return dialects.to_double(value, engine) if dtype.is_decimal() else value


def row_presence(table: Any, columns: Sequence[str], engine: str) -> Any:
    """Something that is missing exactly where one of the columns is not valid."""
    if len(columns) == 1:
        return presence(table[columns[0]], engine)
    return keep_if(_all_valid(table, columns, engine), real(1))


def share(total: Any, kept: Any, present: Any, measure: Measure) -> Any:
    """What the kept rows carry of a person's total, moved to where zero is: within ±reach for each.

    The share is proportional, so it needs no choice among rows. If all rows are kept the factor is exactly 1
    and so is the result. The clamp holds whatever happened before it.
    """
    import ibis

    factor = kept.cast("float64") / ibis.greatest(present, whole(1)).cast("float64")
    part = dialects.floor(total.cast("float64").fill_null(real(0)) * factor + real(0.5)).cast("int64")
    # The sensitivity rests on these two clamps alone, not on the arithmetic of doubles above.
    most = kept * whole(measure.span)
    return ibis.greatest(ibis.least(part, most), whole(0)) - kept * whole(measure.offset)
