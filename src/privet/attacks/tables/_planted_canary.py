"""The distinguishing game on a synthesizer: it is run with a planted record and without it, many times over.

The game is the definition of differential privacy itself. A record that nobody else is like, planted in the table, is the
case that marginals and models have most trouble hiding (Annamalai, Ganev and De Cristofaro, "What do you want from theory
alone?", USENIX Security 2024). What is read off each twin are figures that anybody with the twin can compute.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.attacks.dp_audit import Neighbours
from privet.attacks.tables._gower_distance import copied, nearest
from privet.attacks.tables._released_rows import refuse_absent, refuse_empty, released_of, rows_of
from privet.attacks.tables._table_codes import coded
from privet.errors import BadAttack, checked

if TYPE_CHECKING:
    import pyarrow as pa


@checked
def planted_canary(make: Callable[[Any], Any], rows: Any, canary: Any) -> Neighbours:
    """A synthesizer as a mechanism on two neighbouring inputs: a table, and the same with one record more.

    Args:
        make: from an Arrow table to a twin of it: anything with rows. Each call is a run of its own, with fresh noise.
        rows: the table.
        canary: the record that is planted, best one whose values are rare together: a mapping, or a table of one row.

    Give it to `attack` with the promise and `draws`, the runs on each input (at least a hundred):
    `attack(planted_canary(…), promise=…, attacks=["falsifier"], draws=200, plants=0)`.
    """
    without = rows_of(rows)
    refuse_empty(rows=without)
    planted = _record(canary, without)
    import pyarrow as pa

    with_it = pa.concat_tables([without, planted]).combine_chunks()
    return Neighbours(_sampler(make, with_it, planted), _sampler(make, without, planted))


def _record(canary: Any, table: pa.Table) -> pa.Table:
    import pyarrow as pa

    if isinstance(canary, dict):
        strange = [name for name in canary if name not in table.column_names]
        if strange:
            raise BadAttack("the canary has columns that the table lacks.", "Give the table's own columns.")
        try:
            found = pa.Table.from_pylist([canary], schema=table.schema)
        except (pa.ArrowException, TypeError):
            raise BadAttack(
                "the canary's values are of other kinds than the table's.", "Write them as the table does."
            ) from None
        return found
    found = rows_of(canary)
    refuse_absent(found, table.column_names, "the canary")
    if found.num_rows != 1:
        raise BadAttack("one record is planted.", "Give a table of one row.")
    return found.select(table.column_names).cast(table.schema)


def _sampler(
    make: Callable[[Any], Any], table: pa.Table, canary: pa.Table
) -> Callable[[int], NDArray[np.float64]]:
    def draws(many: int) -> NDArray[np.float64]:
        return np.array([traces(released_of(make(table)).rows, canary) for _ in range(many)])

    return draws


def traces(twin: pa.Table, canary: pa.Table) -> list[float]:
    """What a twin shows of a record: how many rows there are, how near they come, whether it is there, and its values' shares.

    How many rows there are is a trace too: a synthesizer that says how many people it saw says whether one more was there.
    """
    names = [name for name in twin.column_names if name in canary.column_names]
    if not names or not twin.num_rows:
        return [float(twin.num_rows), 1.0, 0.0, *([0.0] * len(canary.column_names))]
    fake, planted = coded([twin.select(names), canary.select(names)], names)
    values = (fake.codes == planted.codes[0]).mean(axis=0)
    by_name = dict(zip(names, values.tolist(), strict=True))
    return [
        float(twin.num_rows),
        float(nearest(planted, fake, 1)[0, 0]),
        float(copied(planted, fake)[0]),
        *(float(by_name.get(name, 0.0)) for name in canary.column_names),
    ]
