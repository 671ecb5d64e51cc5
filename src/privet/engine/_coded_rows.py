"""Rows on their way out, beside the codes that a frequency table gave them: for a table that is to be published.

The search works on distinct combinations as codes. Here every row is read once more and finds its codes again,
batch by batch, so that what replaces its values can be looked up in arrays; rows that leave an engine for a file
pass here in any case, and no join has to hold the combinations as text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.engine._dialects import canonical_key
from privet.engine._engine_results import fetch, stream
from privet.engine._expression_kinds import column_kind
from privet.engine._frequency_table import FrequencyTable, packed
from privet.engine._relation import SPARK, Relation
from privet.errors import SourceChanged

if TYPE_CHECKING:
    import pyarrow as pa


def coded_batches(
    relation: Relation, table: FrequencyTable, keep: Sequence[str]
) -> Iterator[tuple[pa.RecordBatch, NDArray[np.int32]]]:
    """Every row: its values in the columns to keep, and its codes in the columns of the frequency table.

    Refuses a value that the frequency table does not know: the source has changed since it was counted.
    """
    import pyarrow.compute as pc

    kinds = relation.columns
    for name in [*keep, *table.columns]:
        column_kind(name, kinds)
    rows = relation.table
    places = [f"privet_code_{at}" for at in range(len(table.columns))]
    chosen = rows.select(
        **{name: rows[name] for name in keep},
        **{
            place: canonical_key(rows[name], relation.engine)
            for place, name in zip(places, table.columns, strict=True)
        },
    )
    for batch in _batches(chosen, relation.engine):
        codes = np.empty((batch.num_rows, len(places)), np.int32)
        for at, place in enumerate(places):
            found = pc.index_in(
                batch[place].cast(table.labels[at].type), value_set=table.labels[at], skip_nulls=False
            )
            if found.null_count:
                raise SourceChanged(
                    f"column {table.columns[at]!r} holds values that were not there when it was counted.",
                    "Open the table again and start over.",
                )
            codes[:, at] = found.to_numpy(zero_copy_only=False)
        yield batch.select(list(keep)), codes


def plain_batches(relation: Relation, keep: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Every row in these columns, as it is."""
    kinds = relation.columns
    for name in keep:
        column_kind(name, kinds)
    return _batches(relation.table.select(*keep), relation.engine)


def repeated(relation: Relation, column: str) -> int:
    """How many values of a column stand in more than one row; missing ones are not counted."""
    column_kind(column, relation.columns)
    rows = relation.table.filter(relation.table[column].notnull())
    often = rows.group_by(column).aggregate(n=rows.count())
    often = often.filter(often["n"] > 1)
    return int(fetch(often.aggregate(n=often.count()), relation.engine)["n"][0].as_py())


def _batches(chosen: Any, engine: str) -> Iterator[pa.RecordBatch]:
    if engine == SPARK:
        return iter(fetch(chosen, SPARK).to_batches(max_chunksize=100_000))
    return stream(chosen)


class Finder:
    """Finds rows of codes among the combinations of a frequency table."""

    def __init__(self, table: FrequencyTable) -> None:
        self._sizes = [len(labels) for labels in table.labels]
        words = packed(table.codes, self._sizes)
        # Several words become one by their ranks: there are no more ranks than combinations.
        self._known = [np.unique(word) for word in words] if len(words) > 1 else []
        self._keys = words[0] if len(words) == 1 else self._ranked(words)

    def places(self, codes: NDArray[np.int32]) -> NDArray[np.int64]:
        """Which combination each row is, by its place in the frequency table."""
        words = packed(codes, self._sizes)
        wanted = words[0] if len(words) == 1 else self._ranked(words)
        found = np.minimum(np.searchsorted(self._keys, wanted), len(self._keys) - 1)
        if (self._keys[found] != wanted).any():
            raise _new_combination()
        return found.astype(np.int64)

    def _ranked(self, words: list[NDArray[np.int64]]) -> NDArray[np.int64]:
        keys = np.zeros(len(words[0]), np.int64)
        for known, word in zip(self._known, words, strict=True):
            rank = np.minimum(np.searchsorted(known, word), len(known) - 1)
            if (known[rank] != word).any():
                raise _new_combination()
            keys = keys * len(known) + rank
        return keys


def _new_combination() -> SourceChanged:
    return SourceChanged(
        "the table holds combinations of values that were not there when it was counted.",
        "Open the table again and start over.",
    )
