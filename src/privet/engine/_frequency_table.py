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

from privet.engine._dialects import canonical_key
from privet.engine._engine_results import fetch, stream
from privet.engine._expression_kinds import column_kind
from privet.engine._relation import DUCKDB, Relation
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
    if relation.engine == DUCKDB:
        codes, counts, labels = _streamed(chosen, names)
    else:
        codes, counts, labels = _grouped(chosen, names, relation.engine)
    return FrequencyTable(tuple(columns), codes, counts, labels)


_Coded = tuple[NDArray[np.int32], NDArray[np.int64], tuple[Any, ...]]


def _grouped(chosen: Any, names: list[str], engine: str) -> _Coded:
    """Combinations are counted where the rows are; what comes back is coded here."""
    found = fetch(chosen.group_by(names).aggregate(n=chosen.count()), engine)
    coded = [_coded(found[name].combine_chunks()) for name in names]
    codes = np.stack([codes for codes, _ in coded], axis=1) if len(found) else np.zeros((0, len(names)))
    order = np.lexsort(codes.T[::-1])
    counts = np.asarray(found["n"].to_numpy(), np.int64)[order]
    return codes[order].astype(np.int32), counts, tuple(labels for _, labels in coded)


def _streamed(chosen: Any, names: list[str]) -> _Coded:
    """Rows of an embedded engine are coded batch by batch, then counted.

    Its own grouping holds every value of every combination in memory: where most combinations are distinct,
    that is several times what the codes need, and slower.
    """
    seen: list[list[Any]] = [[] for _ in names]  # the values of each batch, by column
    parts: list[NDArray[np.int32]] = []  # and their numbers there
    for batch in stream(chosen):
        part = np.empty((batch.num_rows, len(names)), np.int32)
        for at, name in enumerate(names):
            found = batch[name].dictionary_encode(null_encoding="encode")
            seen[at].append(found.dictionary)
            part[:, at] = found.indices.to_numpy(zero_copy_only=False)
        parts.append(part)
    kinds = chosen.schema().to_pyarrow()
    labels = tuple(
        _renumbered(found, parts, at, kinds.field(names[at]).type) for at, found in enumerate(seen)
    )
    rows = np.concatenate(parts) if parts else np.zeros((0, len(names)), np.int32)
    del parts
    codes, counts = _counted(rows, [len(found) for found in labels])
    return codes, counts, labels


def _renumbered(found: list[Any], parts: list[NDArray[np.int32]], at: int, kind: Any) -> Any:
    """All values of a column in ascending order, missing last; what each batch numbered by itself follows them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    known = pc.unique(
        pa.concat_arrays([values.cast(kind) for values in found]) if found else pa.array([], kind)
    )
    known = known.take(pc.sort_indices(known))
    for values, part in zip(found, parts, strict=True):
        places = pc.index_in(values.cast(kind), value_set=known, skip_nulls=False)
        part[:, at] = np.asarray(places.to_numpy(zero_copy_only=False), np.int32)[part[:, at]]
    found.clear()
    return known


def _counted(rows: NDArray[np.int32], sizes: Sequence[int]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Distinct rows in ascending order, and how often each occurs."""
    if not len(rows):
        return rows, np.zeros(0, np.int64)
    words = packed(rows, sizes)
    order = np.argsort(words[0], kind="stable") if len(words) == 1 else np.lexsort(words[::-1])
    first = np.zeros(len(rows), np.bool_)
    first[0] = True
    for word in words:
        ordered = word[order]
        first[1:] |= ordered[1:] != ordered[:-1]
    starts = np.flatnonzero(first)
    return rows[order[starts]], np.diff(starts, append=len(rows)).astype(np.int64)


def packed(rows: NDArray[np.int32], sizes: Sequence[int]) -> list[NDArray[np.int64]]:
    """Rows as few whole numbers whose order is that of the rows: mixed radix, as many columns to a word as fit."""
    words: list[NDArray[np.int64]] = []
    room = 0
    for at, size in enumerate(sizes):
        radix = max(size, 1)
        if words and room * radix < 2**63:
            words[-1] *= radix
            words[-1] += rows[:, at]
            room *= radix
        else:
            words.append(rows[:, at].astype(np.int64))
            room = radix
    return words


def _coded(column: Any) -> tuple[NDArray[np.int32], Any]:
    """Codes in ascending order of values, missing last, and the values."""
    import pyarrow.compute as pc

    labels = pc.unique(column)
    labels = labels.take(pc.sort_indices(labels))
    codes = pc.index_in(column, value_set=labels, skip_nulls=False)
    return np.asarray(codes.to_numpy(zero_copy_only=False), np.int32), labels
