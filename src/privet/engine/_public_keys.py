"""Keys that the caller states: checked, made canonical, and matched to rows by their position in the list.

The position is public, so it can stand for the key from there on: one whole number instead of several
columns. Rows with other keys are dropped before anyone's contribution is bounded, and use nobody's allowance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from privet.engine._engine_results import public_side
from privet.engine._relation import ColumnKind, Relation
from privet.errors import BadKeys

if TYPE_CHECKING:
    import pyarrow as pa

POSITION = "i"


def arrow_type(kind: ColumnKind) -> Any:
    """The Arrow type in which keys of this kind are compared."""
    import pyarrow as pa

    return {
        ColumnKind.INTEGER: pa.int64(),
        ColumnKind.REAL: pa.float64(),
        ColumnKind.TEXT: pa.string(),
        ColumnKind.BOOLEAN: pa.bool_(),
        ColumnKind.DATE: pa.date32(),
        ColumnKind.TIMESTAMP: pa.timestamp("us"),
    }[kind]


def canonical_keys(public: pa.Table, keys: Sequence[str], kinds: Mapping[str, ColumnKind]) -> pa.Table:
    """The stated keys in canonical types; refuses wrong columns, wrong kinds and repeated keys."""
    import pyarrow as pa

    if sorted(public.column_names) != sorted(keys):
        raise BadKeys(
            f"the stated keys have columns {public.column_names}, the question groups by {list(keys)}.",
            "Give one column for each key, with the same names.",
        )
    if public.num_rows == 0:
        raise BadKeys("the list of stated keys is empty.", "State at least one key, or leave the list out.")
    columns = [_canonical_column(public[name], name, kinds[name]) for name in keys]
    table = pa.table(columns, names=list(keys))
    if table.group_by(list(keys)).aggregate([]).num_rows < table.num_rows:
        raise BadKeys("a stated key occurs twice.", "State each key once (-0.0 is 0, NaN is missing).")
    return table


def _canonical_column(column: pa.ChunkedArray, name: str, kind: ColumnKind) -> pa.Array:
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        found = pc.cast(column.combine_chunks(), arrow_type(kind))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise BadKeys(
            f"the stated keys of {name!r} are not all of the column's kind ({kind.value}).",
            "Write them as the same kind of value as in the column.",
        ) from None
    if kind is ColumnKind.REAL:
        found = pc.if_else(pc.is_nan(found), None, found)
        found = pc.if_else(pc.equal(found, 0.0), 0.0, found)
    return found


def match_positions(
    table: Any, names: Mapping[str, str], public: pa.Table, relation: Relation, how: str = "inner"
) -> Any:
    """Only rows whose key is stated, with its position in `POSITION`; `names` maps keys to columns.

    With `how="left"` other rows stay, without a position.
    """
    import pyarrow as pa

    positions = pa.array(range(public.num_rows), pa.int32())
    places = [*(f"s_{column}" for column in names.values()), POSITION]
    stated = public_side(pa.table([*(public[name] for name in names), positions], names=places), relation)
    conditions = [
        # Null-safe equality only where a missing key was stated: PostgreSQL cannot hash it.
        table[column].identical_to(stated[f"s_{column}"])
        if public[name].null_count
        else table[column] == stated[f"s_{column}"]
        for name, column in names.items()
    ]
    joined = table.join(stated, conditions, how=how)
    return joined.drop(*(f"s_{column}" for column in names.values()), *names.values())
