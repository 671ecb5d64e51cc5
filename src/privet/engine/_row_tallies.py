"""Tallies of coded rows: each row falls into one cell of each tally, by a rule that looks at that row alone. Under seal.

For what no grouping by columns says: which of many synthetic rows is nearest, or whether a sum of bits is even. Rows
come from the engine as codes, batch by batch, and only tallies are kept; memory does not grow with the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from privet.engine._coded_marginals import CodedColumn, Columns, SealedMarginals, coded_rows
from privet.engine._engine_versions import check_version
from privet.engine._masked_failures import Prepared, attempted
from privet.engine._relation import Relation
from privet.guarantee import Unit

# From codes (one line a row) to cells, one column for each tally. It must treat every row by itself.
Rule: TypeAlias = Callable[[NDArray[np.int32]], NDArray[np.int64]]


def row_tallies(
    relation: Relation, columns: Sequence[CodedColumn], unit: Unit, rule: Rule, sizes: Sequence[int]
) -> SealedMarginals:
    """How many of the kept rows fall into each cell of each tally; tally k is the sealed marginal of `(k,)`.

    Stability: a row adds one to one cell of each tally, so one unit moves a tally as it moves a count of rows in
    disjoint cells. Cells outside a tally are drawn into it. If the engine fails, these are the tallies of no rows.
    """
    check_version(relation)
    nothing: dict[Columns, NDArray[np.int64]] = {
        (at,): np.zeros(size, np.int64) for at, size in enumerate(sizes)
    }

    def compute() -> dict[Columns, NDArray[np.int64]]:
        found = {one: counts.copy() for one, counts in nothing.items()}
        for codes, _ in coded_rows(relation, columns, unit):
            cells = rule(codes)
            for at, size in enumerate(sizes):
                found[at,] += np.bincount(np.clip(cells[:, at], 0, size - 1), minlength=size)
        return found

    counts, failure = attempted(Prepared(compute, nothing))
    return SealedMarginals(counts, tuple(sizes), unit, failure)
