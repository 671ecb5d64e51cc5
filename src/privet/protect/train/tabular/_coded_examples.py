"""The private rows of a table as codes: read batch by batch, so that raw values are never held together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.artifact import Features, ModelTarget
from privet.engine import OWNER, unit_rows
from privet.errors import BadModel, BadTraining
from privet.guarantee import Person, Unit
from privet.protect.train.tabular._learner_registry import Examples
from privet.source import Table


def read_examples(table: Table, features: Features, target: ModelTarget, unit: Unit) -> Examples:
    """All rows that have a target, at most `max_rows` of a person: each row's fate is its own."""
    import pyarrow as pa

    names = [*features.names, target.name]
    codes: list[NDArray[np.int32]] = []
    targets: list[NDArray[np.float64]] = []
    owners: list[Any] = []
    try:
        for batch in unit_rows(table.relation, names, unit):
            rows = pa.Table.from_batches([batch])
            wanted = target.encode(rows.column(target.name), lenient=True)
            usable = ~np.isnan(wanted)
            codes.append(features.encode(rows, lenient=True)[usable])
            targets.append(wanted[usable])
            if isinstance(unit, Person):
                owners.append(rows.column(OWNER).filter(pa.array(usable)))
    except BadModel as fault:
        raise BadTraining(fault.fact, "Correct the column or what the schema says of it.") from None
    all_codes = np.concatenate(codes) if codes else np.zeros((0, len(features.columns)), dtype=np.int32)
    all_targets = np.concatenate(targets) if targets else np.zeros(0)
    return Examples(all_codes, all_targets, _numbered(owners) if isinstance(unit, Person) else None)


def require_readable(table: Table, columns: Iterable[str], unit: Unit) -> None:
    """Go through the rows once and forget them, so that a row that cannot be read fails before anything is booked."""
    names = [name for name in dict.fromkeys(columns) if name in table.columns]
    for _ in unit_rows(table.relation, names, unit):
        continue


def _numbered(owners: list[Any]) -> NDArray[np.int64]:
    """Whose rows they are, as numbers from 0 in order of appearance."""
    import pyarrow as pa

    chunks = [chunk for owner in owners for chunk in owner.chunks]
    if not chunks:
        return np.zeros(0, dtype=np.int64)
    coded = pa.chunked_array(chunks).combine_chunks().dictionary_encode()
    return np.asarray(coded.indices.to_numpy(zero_copy_only=False), dtype=np.int64)
