"""Joining with public tables: each private row finds at most one public row.

The public side is unique in its keys (refused otherwise), so a private row is never multiplied, and nothing
about one person's rows depends on another's. Stability 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from privet.engine._dialects import canonical_key
from privet.engine._engine_results import public_side
from privet.engine._expression_kinds import column_kind
from privet.engine._public_keys import canonical_keys
from privet.engine._relation import Relation
from privet.errors import BadKeys

if TYPE_CHECKING:
    import pyarrow as pa

LEFT, INNER = "left", "inner"


def join_public(relation: Relation, public: pa.Table, on: Sequence[str], how: str = LEFT) -> Relation:
    """The columns of a public table beside each row, matched by `on`. Stability 1.

    `left` keeps rows without a match (with missing values), `inner` drops them. Missing keys match nothing.
    """
    if how not in (LEFT, INNER):
        raise BadKeys("a public table is joined with how='left' or how='inner'.")
    columns = relation.columns
    kinds = {name: column_kind(name, columns) for name in on}
    if not on or any(name not in public.column_names for name in on):
        raise BadKeys("the public table lacks a column to join on.", "Name columns that both sides have.")
    added = [name for name in public.column_names if name not in on]
    for name in added:
        if name in columns:
            raise BadKeys(f"both tables have a column {name!r}.", "Rename it in the public table.")
    keys = canonical_keys(public.select(list(on)), list(on), kinds)
    side = public.select(added)
    for at, name in enumerate(on):
        side = side.append_column(f"privet_key_{at}", keys[name])
    right = public_side(side, relation)
    conditions = [
        canonical_key(relation.table[name], relation.engine) == right[f"privet_key_{at}"]
        for at, name in enumerate(on)
    ]
    joined = relation.table.join(right, conditions, how=how)
    return relation.with_table(joined.select(*columns, *added))


def apply_mapping(relation: Relation, column: str, mapping: pa.Table, into: str) -> Relation:
    """A new column `into`, looked up by `column` in a public table with the columns `column` and `into`.

    Values that the table does not list become missing. Stability 1.
    """
    if sorted(mapping.column_names) != sorted((column, into)):
        raise BadKeys(
            f"a mapping for {column!r} needs the columns {column!r} and {into!r}.",
            "Give one row for each value.",
        )
    return join_public(relation, mapping, [column], LEFT)
