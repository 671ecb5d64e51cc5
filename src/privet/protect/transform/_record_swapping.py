"""Values exchanged at random: PRAM for categories, swapping between records, and between near ranks.

The draws come from a generator that no seed can be given to. These methods make single values uncertain. They carry
no differential-privacy promise: for one, use randomised response through a ledger.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.engine import ColumnKind, settled, with_columns
from privet.errors import BadTransform
from privet.mechanism import fresh_generator
from privet.protect.transform._rewritten_table import Rewritten, checked_columns, column_of, rewritten
from privet.source import Table

MARGINAL, UNIFORM = "marginal", "uniform"
_CATEGORIES = (ColumnKind.TEXT, ColumnKind.INTEGER, ColumnKind.BOOLEAN)


def pram(table: Table, column: str, *, keep: float, towards: str = MARGINAL) -> Rewritten:
    """Each value kept with probability `keep`, else drawn anew (Gouweleeuw et al., J. Official Statistics 14, 1998).

    Drawn from the column's own shares (`marginal`), the expected shares stay as they are: invariant PRAM. Drawn from
    all values alike (`uniform`), they can be estimated back. A value drawn anew may be the old one. Missing values
    stay missing.
    """
    column_of(table, column, *_CATEGORIES)
    if not 0 <= keep < 1 or towards not in (MARGINAL, UNIFORM):
        raise BadTransform(
            "a value is kept with a probability from 0 to below 1, and drawn from its marginal or uniformly.",
            "Write keep=0.8, towards='marginal'.",
        )
    arrow = settled(table.relation)
    coded = arrow[column].combine_chunks().dictionary_encode()
    codes = coded.indices.to_numpy(zero_copy_only=False).astype(np.float64)
    there = np.flatnonzero(~np.isnan(codes))
    held = codes[there].astype(np.int64)
    new = held.copy()
    draws = fresh_generator()
    again = np.flatnonzero(draws.random(len(held)) >= keep)
    if towards == MARGINAL:
        new[again] = held[draws.integers(0, max(len(held), 1), len(again))]
    else:
        new[again] = draws.integers(0, max(len(coded.dictionary), 1), len(again))
    relation = with_columns(arrow, {column: _taken(coded, codes, there, new)})
    done = f"each value kept with probability {keep:g}, else drawn from {_from(towards)} (PRAM)"
    return rewritten(table, relation, {column: done}, {"values_changed": int((new != held).sum())})


def swap(table: Table, columns: Sequence[str], *, share: float, within: Sequence[str] = ()) -> Rewritten:
    """A share of the records exchange the values of these columns, all together, with a partner at random.

    Partners are drawn inside groups of equal `within` columns, whose joint counts with everything else stay exact
    (Dalenius and Reiss, J. Statistical Planning and Inference 6, 1982). A record without a free partner keeps its own.
    """
    names = checked_columns(table, columns)
    strata = checked_columns(table, within) if within else ()
    if set(names) & set(strata):
        raise BadTransform("a column is both swapped and held fixed.", "Name it once.")
    if not 0 < share <= 1:
        raise BadTransform("the share of records to swap lies above 0 and at most at 1.", "Write share=0.1.")
    arrow = settled(table.relation)
    order = partners(_strata(arrow, strata), share, fresh_generator())
    relation = with_columns(arrow, {name: arrow[name].take(order) for name in names})
    fixed = f" among records alike in {', '.join(strata)}" if strata else ""
    done = dict.fromkeys(names, f"swapped between {share:.0%} of records{fixed}")
    return rewritten(table, relation, done, {"records_swapped": int((order != np.arange(len(order))).sum())})


def partners(strata: NDArray[np.int64], share: float, draws: Any) -> NDArray[np.int64]:
    """For each record, the record whose values it gets: pairs inside strata, as near to the share as pairs allow."""
    order = np.arange(len(strata))
    mixed = draws.permutation(len(strata))
    mixed = mixed[np.argsort(strata[mixed], kind="stable")]
    for group in np.split(mixed, np.flatnonzero(np.diff(strata[mixed])) + 1):
        pairs = int(len(group) * share / 2 + draws.random())
        pairs = min(pairs, len(group) // 2)
        first, second = group[:pairs], group[pairs : 2 * pairs]
        order[first], order[second] = second, first
    return order


def rank_swap(table: Table, columns: Sequence[str], *, window: float) -> Rewritten:
    """Each value exchanged with one whose rank is at most a share `window` of the rows away (Moore 1996).

    Columns are swapped one by one, each with draws of its own: what any of them says alone stays exactly as it was,
    and a correlation is weakened the less, the smaller the window. Equal values have ranks in a random order.
    Missing values stay where they are, and so do the few that find nobody free within the window.
    """
    names = checked_columns(
        table, columns, ColumnKind.INTEGER, ColumnKind.REAL, ColumnKind.DATE, ColumnKind.TIMESTAMP
    )
    if not 0 < window <= 1:
        raise BadTransform("the window is a share of the rows above 0 and at most 1.", "Write window=0.05.")
    import pyarrow.compute as pc

    arrow = settled(table.relation)
    changed, moved = {}, 0
    for name in names:
        values = arrow[name].combine_chunks()
        there = np.flatnonzero(values.is_valid().to_numpy(zero_copy_only=False))
        draws = fresh_generator()
        mixed = there[draws.permutation(len(there))]
        ranked = mixed[pc.array_sort_indices(values.take(mixed)).to_numpy().astype(np.int64)]
        order = np.arange(len(values))
        order[ranked] = ranked[near_partners(len(ranked), max(1, int(window * len(ranked))), draws)]
        changed[name] = values.take(order)
        moved += int((order != np.arange(len(order))).sum())
    done = dict.fromkeys(
        names, f"exchanged with values at most {window:.1%} of the ranks away (rank swapping)"
    )
    return rewritten(table, with_columns(arrow, changed), done, {"values_swapped": moved})


def near_partners(ranks: int, width: int, draws: Any) -> NDArray[np.int64]:
    """For each rank the rank it exchanges with: pairs at most `width` apart, each drawn among the free ones above."""
    partner = np.arange(ranks)
    free = np.ones(ranks, bool)
    for rank, first in enumerate(draws.random(ranks)):
        above = min(width, ranks - 1 - rank)
        if not free[rank] or above < 1:
            continue
        other = rank + 1 + int(first * above)
        if not free[other]:
            choices = rank + 1 + np.flatnonzero(free[rank + 1 : rank + 1 + above])
            if not len(choices):
                continue
            other = int(choices[draws.integers(len(choices))])
        partner[rank], partner[other] = other, rank
        free[rank] = free[other] = False
    return partner


def _strata(arrow: Any, names: Sequence[str]) -> NDArray[np.int64]:
    """One number for each combination of values; missing is one more value."""
    found = np.zeros(arrow.num_rows, np.int64)
    for name in names:
        coded = arrow[name].combine_chunks().dictionary_encode(null_encoding="encode").indices.to_numpy()
        found = np.unique(found * (int(coded.max(initial=0)) + 1) + coded, return_inverse=True)[1]
    return found


def _taken(coded: Any, codes: NDArray[np.float64], there: NDArray[np.int64], new: NDArray[np.int64]) -> Any:
    import pyarrow as pa

    places = np.zeros(len(codes), np.int64)
    places[there] = new
    return coded.dictionary.take(pa.array(places, mask=np.isnan(codes)))


def _from(towards: str) -> str:
    return "the column's own shares" if towards == MARGINAL else "all values alike"
