"""Which columns single people out together: measures of every small set, and the smallest sets that matter.

Distinction is the number of classes over the number of rows; separation the share of pairs of rows that a set
tells apart (Motwani and Xu 2007). Both, and the share of unique rows, can only rise when a column is added.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from math import comb, log, sqrt

import numpy as np
from numpy.typing import NDArray

from privet.disclosure._code_tuples import Codes
from privet.disclosure._column_set_lattice import MOST_SETS, Places, SetCounts, Walk
from privet.disclosure._quasi_random import row_pairs
from privet.disclosure._tuple_groups import sorted_keys
from privet.errors import BadCodes

# Pairs of rows drawn where sets are too many to group by.
_PAIRS = 65_536
_ERROR_RATE = 0.05
# Sets of one size among which keys are looked for.
_MOST_CANDIDATES = 20_000


@dataclass(frozen=True)
class ColumnSet:
    """How well a set of columns tells rows apart.

    Where `exact` is False only pairs of rows were drawn: separation is known to within `margin` with 95 %
    confidence, and the other two are not known.
    """

    columns: tuple[str, ...]
    separation: float
    distinction: float | None
    unique_share: float | None
    exact: bool = True
    margin: float = 0.0


@dataclass(frozen=True)
class ColumnSets:
    """Measures of sets: exact up to `exact_size` columns, by drawn pairs of rows up to `drawn_size`."""

    sets: tuple[ColumnSet, ...] = field(repr=False)
    exact_size: int
    drawn_size: int


def column_sets(walk: Walk, *, largest: int = 3) -> ColumnSets:
    """Every set that the walk looked at, and by drawn pairs those up to `largest` that it did not reach."""
    if largest < 1:
        raise BadCodes("a set has at least one column.")
    found = [_measured(walk, counts) for counts in walk.sets() if len(counts.at) <= largest]
    drawn = reached = min(walk.searched, largest)
    width = len(walk.table.columns)
    goal = min(largest, width)
    while drawn < goal and comb(width, drawn + 1) <= 10 * MOST_SETS and walk.table.rows > 1:
        drawn += 1
        found += _by_pairs(walk, drawn)
    return ColumnSets(tuple(found), reached, drawn)


def _measured(walk: Walk, counts: SetCounts) -> ColumnSet:
    rows = walk.table.rows
    return ColumnSet(
        walk.names(counts.at),
        1 - counts.agreeing / (rows * (rows - 1)) if rows > 1 else 0.0,
        counts.classes / rows if rows else 0.0,
        counts.uniques / rows if rows else 0.0,
    )


def _by_pairs(walk: Walk, size: int) -> Iterator[ColumnSet]:
    """Separation from the columns in which drawn pairs agree; Hoeffding's margin."""
    table = walk.table
    first, second = row_pairs("separation", table.counts, _PAIRS)
    agree = [np.packbits(table.codes[first, j] == table.codes[second, j]) for j in range(len(table.columns))]
    margin = sqrt(log(2 / _ERROR_RATE) / (2 * _PAIRS))
    for at in combinations(range(len(agree)), size):
        both = agree[at[0]] & agree[at[1]]
        for j in at[2:]:
            both &= agree[j]
        apart = 1 - int(np.bitwise_count(both).sum()) / _PAIRS
        yield ColumnSet(walk.names(at), apart, None, None, exact=False, margin=margin)


# --- the smallest sets that single out many ----------------------------------------------------


@dataclass(frozen=True)
class SinglingOut:
    """Sets that make at least `share` of the rows unique, none of them inside another.

    With `exact`, they are all such sets of at most `searched` columns. Otherwise no set of that size was enough,
    and the one given was grown column by column: it works, and a smaller one of its size's kind may exist.
    """

    share: float
    sets: tuple[ColumnSet, ...]
    searched: int
    exact: bool


def singling_out(walk: Walk, share: float) -> SinglingOut:
    """The smallest sets that single out a share of the people, the strongest first within a size."""
    if not 0 < share <= 1:
        raise BadCodes("the share of people must be above 0, and at most 1.", "Write share=0.2 for a fifth.")
    enough = share * walk.table.rows * (1 - 1e-12)
    found: list[SetCounts] = []
    for level in walk.levels:
        strong = sorted(
            (each for each in level if 0 < enough <= each.uniques), key=lambda each: (-each.uniques, each.at)
        )
        inner = [set(each.at) for each in found]
        found += [each for each in strong if not any(small <= set(each.at) for small in inner)]
    if found or walk.searched == len(walk.table.columns):
        return SinglingOut(share, tuple(_measured(walk, each) for each in found), walk.searched, exact=True)
    grown = _grow(walk, enough)
    sets = () if grown is None else (_measured(walk, grown),)
    return SinglingOut(share, sets, walk.searched, exact=False)


def _grow(walk: Walk, enough: float) -> SetCounts | None:
    """The best set searched, with the column added that singles out most, again and again until it is enough."""
    width = len(walk.table.columns)
    best = max(walk.levels[-1], key=lambda each: (each.uniques, each.classes))
    while best.uniques < enough and len(best.at) < width:
        wider = (tuple(sorted((*best.at, j))) for j in range(width) if j not in best.at)
        best = max((walk.beyond(at) for at in wider), key=lambda each: (each.uniques, each.classes))
    return best if best.uniques >= enough else None


# --- minimal unique column combinations --------------------------------------------------------


@dataclass(frozen=True)
class Keys:
    """Minimal sets of columns on which no two rows are equal: candidates for direct identifiers.

    With `exact`, they are all such sets of at most `searched` columns.
    """

    sets: tuple[tuple[str, ...], ...]
    searched: int
    exact: bool


def keys(codes: Codes, *, largest: int = 6, limit: int = 200_000_000) -> Keys:
    """All minimal unique column combinations of at most `largest` columns; of fewer where columns are many.

    A set is a key exactly when it has a column from every difference set (the columns in which two rows differ).
    Candidates are the minimal sets that meet all difference sets seen so far; one that turns out not to be a key
    shows pairs of rows with new difference sets (in the manner of HyUCC: Papenbrock and Naumann 2017). When
    nothing is left to check, the candidates are the answer.

    Args:
        codes: the table.
        largest: the most columns in a key.
        limit: how many tuples may be grouped in all; with more to do, the keys proven so far are given.
    """
    searched = _affordable(len(codes.columns), largest)
    if codes.rows > len(codes) or codes.rows < 2:
        return Keys((), searched, exact=True)  # equal rows: no key. One row: nothing to tell apart
    family, proven = {0}, set[int]()
    _meet(family, _differences(codes, *row_pairs("keys", codes.counts, 1_024)), searched)
    left = limit // len(codes)
    while open_ := family - proven:
        if left == 0:
            return Keys(_named(codes, proven & family), searched, exact=False)
        left -= 1
        candidate = min(open_, key=lambda each: (each.bit_count(), each))
        twins = _twins(codes, _places(candidate))
        if len(twins[0]) == 0:
            proven.add(candidate)
        else:
            _meet(family, _differences(codes, *twins), searched)
    return Keys(_named(codes, family), searched, exact=True)


def _affordable(width: int, largest: int) -> int:
    """The largest size of which there are few enough sets."""
    sizes = range(1, min(largest, width) + 1)
    return max(
        (size for size in sizes if max(comb(width, s) for s in range(1, size + 1)) <= _MOST_CANDIDATES),
        default=1,
    )


def _named(codes: Codes, family: set[int]) -> tuple[tuple[str, ...], ...]:
    sets = sorted((_places(each) for each in family), key=lambda at: (len(at), at))
    return tuple(tuple(codes.columns[j] for j in at) for at in sets)


def _places(mask: int) -> Places:
    return tuple(j for j in range(mask.bit_length()) if mask >> j & 1)


def _twins(codes: Codes, at: Places, most: int = 512) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs of tuples that are equal on a set of columns; none when it is a key."""
    if not at:
        return np.array([0]), np.array([1])
    ordered, order = sorted_keys(*codes.keys(at))
    equal = np.flatnonzero(ordered[1:] == ordered[:-1])
    equal = equal[:: max(1, len(equal) // most)]
    return order[equal], order[equal + 1]


def _differences(codes: Codes, first: NDArray[np.int64], second: NDArray[np.int64]) -> list[int]:
    """The difference sets of pairs of tuples as bit masks, small ones first: they say most."""
    apart = np.stack(
        [codes.codes[first, j] != codes.codes[second, j] for j in range(len(codes.columns))], axis=1
    )
    packed = np.unique(np.packbits(apart, axis=1, bitorder="little"), axis=0)
    masks = {int.from_bytes(line.tobytes(), "little") for line in packed}
    return sorted(masks, key=lambda mask: (mask.bit_count(), mask))


def _meet(family: set[int], differences: list[int], largest: int) -> None:
    """Changes the minimal sets so that they also meet these difference sets (Berge's algorithm).

    A set that has grown by column j is minimal unless it contains a kept set, which then has j too.
    """
    for difference in differences:
        missed = [each for each in family if not each & difference]
        if not missed:
            continue
        family.difference_update(missed)
        for j in _places(difference):
            kept = [each for each in family if each >> j & 1]
            grown = (each | 1 << j for each in missed if each.bit_count() < largest)
            if 1 << j not in family:
                family.update([each for each in grown if not any(small & each == small for small in kept)])
