"""How often each combination of values occurs: for the owner's audit, never for a release.

Values are replaced by integer codes, so that what audits and searches pass around carries no raw data; the
labels stay in one place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.engine.expressions import column_kind
from privet.engine.portable import canonical_key
from privet.engine.relation import Relation
from privet.engine.running import fetch
from privet.errors import BadKeys

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, eq=False)
class FrequencyTable:
    """Distinct combinations as codes (one row each) with their counts; exact, owner only.

    `labels[j]` is an Arrow array in ascending order with missing last; `codes[:, j]` points into it.
    """

    columns: tuple[str, ...]
    codes: NDArray[np.int32] = field(repr=False)
    counts: NDArray[np.int64] = field(repr=False)
    labels: tuple[pa.Array, ...] = field(repr=False)

    def __len__(self) -> int:
        return len(self.counts)


def frequency_table(relation: Relation, columns: Sequence[str]) -> FrequencyTable:
    """Counts of each distinct combination, in order of codes.

    Stability: one row changes one count by one. There is no bound for a person, and nothing here is sealed:
    the owner looks at it, and it cannot flow into a release.
    """
    if not columns or len(set(columns)) < len(columns):
        raise BadKeys("columns must be named, and each only once.", "Name the columns to count by.")
    kinds = relation.columns
    for name in columns:
        column_kind(name, kinds)
    table = relation.table
    names = [f"k{at}" for at in range(len(columns))]
    chosen = table.select(
        **{
            place: canonical_key(table[name], relation.engine)
            for place, name in zip(names, columns, strict=True)
        }
    )
    found = fetch(chosen.group_by(names).aggregate(n=chosen.count()), relation.engine)
    coded = [_coded(found[name].combine_chunks()) for name in names]
    codes = np.stack([codes for codes, _ in coded], axis=1) if len(found) else np.zeros((0, len(names)))
    order = np.lexsort(codes.T[::-1])
    counts = np.asarray(found["n"].to_numpy(), np.int64)[order]
    return FrequencyTable(tuple(columns), codes[order].astype(np.int32), counts, tuple(s for _, s in coded))


def _coded(column: Any) -> tuple[NDArray[np.int32], Any]:
    """Codes in ascending order of values, missing last, and the values."""
    import pyarrow.compute as pc

    labels = pc.unique(column)
    labels = labels.take(pc.sort_indices(labels))
    codes = pc.index_in(column, value_set=labels, skip_nulls=False)
    return np.asarray(codes.to_numpy(zero_copy_only=False), np.int32), labels
