"""The rehearsal: a function is tried on made-up rows before anything is booked, so that its faults cost and tell nothing.

The rows are made from public knowledge alone: the kinds of the columns, their bounds and their stated values, spread evenly by
the golden ratio. From the result come the output's shape and whether the function is one at all: the same rows twice, with
others between them, must give the same output, or the noise would be measured against its own dice. The others are fewer and have
half of the values alone: what has another shape on them has it on halves too, and would be paid for and come to nothing.
"""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.engine import ColumnKind
from privet.errors import BadFunction
from privet.protect.pac._function_copies import FunctionCopies
from privet.protect.pac._row_forms import as_given, numbers_of
from privet.source import AppliedFunction

if TYPE_CHECKING:
    import pyarrow as pa

ROWS = 240
_FEWER, _LOWER_HALF = 180, 0.5
_MISSING_EVERY = 12
_GOLDEN = 0.6180339887498949
_DAY = datetime.date(2020, 1, 1)


def made_up_rows(applied: AppliedFunction, rows: int = ROWS, reach: float = 1.0) -> pa.Table:
    """Rows of the right kinds that nobody's data went into; `reach` is the share of each column's values that occurs."""
    import pyarrow as pa

    return pa.table(
        {name: _column(applied, name, at, rows, reach) for at, name in enumerate(applied.columns)}
    )


def rehearsed_shape(applied: AppliedFunction) -> tuple[int, ...]:
    """The shape of the output: as stated, or that on made-up rows; refuses a function that fails on them or throws dice."""
    box = applied.function
    if box.shape is not None:
        return tuple(box.shape)
    copies, rows = FunctionCopies.of(box.compute), made_up_rows(applied)
    try:
        first = _output(copies, rows, box.rows)
        other = _shape_on(copies, made_up_rows(applied, _FEWER, _LOWER_HALF), box.rows)
        second = _output(copies, rows, box.rows)
    except (Exception, SystemExit) as problem:
        raise BadFunction(
            f"the function {box.name!r} fails on made-up rows of {', '.join(applied.columns)} ({type(problem).__name__}).",
            "Nothing was booked or read. Mend it, or state the shape of its output, shape=(3, 2): then it is not tried.",
            faults=[],
        ) from problem
    if first.shape != second.shape or not np.array_equal(first, second, equal_nan=True):
        raise BadFunction(
            f"the function {box.name!r} gives two outputs for the same rows.",
            "Fix its seeds, and let it keep nothing from one call to the next: with dice of its own, nobody can tell what the rows "
            "have to do with its output.",
            faults=[],
        )
    if other not in (None, first.shape):
        raise BadFunction(
            f"the shape of what the function {box.name!r} gives depends on its rows: {first.shape} for some and {other} for others.",
            "Let it give as many numbers for any rows: for groups, one for each public value, as in "
            ".reindex(['a', 'b']).fillna(0); something for each row cannot be released.",
            faults=[],
        )
    if not first.size:
        raise BadFunction(
            f"the function {box.name!r} gives no number.", "Let it give at least one.", faults=[]
        )
    if not np.isfinite(first).all():
        raise BadFunction(
            f"the function {box.name!r} gives numbers that are not finite on made-up rows.",
            "A half where it does so counts as one where it fails. Mend it, or state the shape of its output: then it is not tried.",
            faults=[],
        )
    return first.shape


def fails_on_missing(applied: AppliedFunction) -> bool:
    """Whether the function comes to nothing on made-up rows some of whose values are missing; not tried where its shape is stated."""
    box = applied.function
    if box.shape is not None:
        return False
    whole = made_up_rows(applied)
    gone = np.arange(whole.num_rows) % _MISSING_EVERY == 0
    try:
        output = _output(FunctionCopies.of(box.compute), _with_gaps(whole, gone), box.rows)
    except (Exception, SystemExit):  # noqa: BLE001  whatever it raises, it raises about made-up rows
        return True
    return not np.isfinite(output).all()


def _with_gaps(rows: pa.Table, gone: NDArray[np.bool_]) -> pa.Table:
    import pyarrow as pa
    import pyarrow.compute as pc

    mask = pa.array(gone)
    return pa.table(
        {
            name: pc.if_else(mask, pa.scalar(None, rows[name].type), rows[name].combine_chunks())
            for name in rows.column_names
        }
    )


def _output(copies: FunctionCopies, rows: pa.Table, form: str) -> NDArray[np.float64]:
    """Of rows made for it alone: a function may change those that it is given."""
    return numbers_of(copies.fresh()(as_given(rows, form)))


def _shape_on(copies: FunctionCopies, rows: pa.Table, form: str) -> tuple[int, ...] | None:
    """The shape on other rows; None where the function fails on them, as a learner does that needs every class."""
    try:
        return _output(copies, rows, form).shape
    except (Exception, SystemExit):  # noqa: BLE001  whatever it raises, it raises about made-up rows
        return None


def _column(applied: AppliedFunction, name: str, at: int, rows: int, reach: float) -> pa.Array:
    import pyarrow as pa

    kind = applied.table.columns[name]
    spread = (np.arange(1, rows + 1) * (_GOLDEN * (at + 1) + 0.01 * at)) % 1.0
    places = np.asarray(reach * spread, np.float64)
    if kind.is_number:
        return pa.array(_numbers(applied, name, kind, places))
    stated = applied.table.keys.get((name,))
    if stated is not None and len(stated):
        values = [row[0] for row in stated.values]
        return pa.array([values[int(place * len(values))] for place in places])
    if kind is ColumnKind.BOOLEAN:
        return pa.array(places < 0.5)
    if kind in (ColumnKind.DATE, ColumnKind.TIMESTAMP):
        days = [_DAY + datetime.timedelta(days=int(place * 3650)) for place in places]
        return pa.array(days, pa.date32()).cast(
            pa.date32() if kind is ColumnKind.DATE else pa.timestamp("us")
        )
    return pa.array([f"text {int(place * 5)}" for place in places])


def _numbers(
    applied: AppliedFunction, name: str, kind: ColumnKind, places: NDArray[np.float64]
) -> NDArray[Any]:
    low, high = (float(end) for end in (applied.bounds[name].lower, applied.bounds[name].upper))
    values = low + places * (high - low)
    return np.clip(np.rint(values), low, high).astype(np.int64) if kind is ColumnKind.INTEGER else values
