"""What is publicly known of columns, for functions that are made for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from privet.engine import ColumnKind
from privet.errors import NotPublic
from privet.source._key_sets import KeySet
from privet.source._public_ranges import Bounds

if TYPE_CHECKING:
    from privet.source._table_query import Asked


@dataclass(frozen=True)
class ColumnFacts:
    """What is publicly known of a column: its kind, and its bounds or values where they are stated."""

    name: str
    kind: ColumnKind
    bounds: Bounds | None = None
    values: tuple[Any, ...] | None = None


def column_facts(
    table: Asked,
    columns: Sequence[str],
    bounds: Mapping[str, Bounds],
    keys: Mapping[str, KeySet | Iterable[Any]] | None,
) -> list[ColumnFacts]:
    """What is publicly known of these columns; values that were read off the data are refused."""
    found, private = [], []
    for name in columns:
        kind = table.columns[name]
        stated = (keys or {}).get(name, table.keys.get((name,)))
        values = None if stated is None else KeySet.of(stated).fitted((kind,))
        if values is not None and not values.is_public:
            private.append(f"the values of {name!r}")
        listed = None if values is None else tuple(row[0] for row in values.values)
        found.append(ColumnFacts(name, kind, bounds.get(name), listed))
    if private:
        raise NotPublic(
            f"{' and '.join(private)} were read off the data: an output would give them away.",
            'State them from other knowledge, or take responsibility: .confirmed("why they may be public").',
            facts=private,
        )
    return found
