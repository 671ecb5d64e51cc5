"""The private rows of a table as codes: read batch by batch, so that raw values are never held together.

Codes of many rows are set aside in a file: memory does not grow with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.artifact import Features, ModelTarget
from privet.engine import OWNER, set_aside, unit_rows
from privet.errors import BadModel, BadTraining
from privet.guarantee import Person, Unit
from privet.protect.train.tabular._learner_registry import Examples
from privet.source import Table

MANY = 1_000_000  # rows; codes of more are set aside in a file

Block = tuple[NDArray[Any], NDArray[np.float64]]  # codes and targets of some rows


def read_examples(table: Table, features: Features, target: ModelTarget, unit: Unit) -> Examples:
    """All rows that have a target, at most `max_rows` of a person: each row's fate is its own."""
    owners: list[Any] = []
    blocks = _coded(table, features, target, unit, owners)
    try:
        held: list[Block] = []
        for block in blocks:
            held.append(block)
            if sum(len(wanted) for _, wanted in held) > MANY:
                codes, targets = set_aside(_small(chain(held, blocks), features))
                break
        else:
            codes, targets = _together(held, features)
    except BadModel as fault:
        raise BadTraining(fault.fact, "Correct the column or what the schema says of it.") from None
    return Examples(codes, targets, _numbered(owners) if isinstance(unit, Person) else None)


def _coded(
    table: Table, features: Features, target: ModelTarget, unit: Unit, owners: list[Any]
) -> Iterator[Block]:
    """Codes and targets of some rows at a time; whose they are is noted in `owners`."""
    import pyarrow as pa

    for batch in unit_rows(table.relation, [*features.names, target.name], unit):
        rows = pa.Table.from_batches([batch])
        wanted = target.encode(rows.column(target.name), lenient=True)
        usable = ~np.isnan(wanted)
        if isinstance(unit, Person):
            owners.append(rows.column(OWNER).filter(pa.array(usable)))
        yield features.encode(rows, lenient=True)[usable], wanted[usable]


def _together(held: list[Block], features: Features) -> Block:
    if not held:
        return np.zeros((0, len(features.columns)), dtype=np.int32), np.zeros(0)
    return np.concatenate([codes for codes, _ in held]), np.concatenate([wanted for _, wanted in held])


def _small(blocks: Iterable[Block], features: Features) -> Iterator[tuple[NDArray[Any], NDArray[np.float64]]]:
    """Codes as the shortest whole numbers that hold every level."""
    kind = np.min_scalar_type(max((column.levels for column in features.columns), default=1))
    for codes, wanted in blocks:
        yield codes.astype(kind), wanted


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
