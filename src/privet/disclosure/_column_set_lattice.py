"""One walk over all small sets of columns: how many classes each makes, and which rows it singles out.

The walk goes up by size. A row that is alone on a set is alone on every larger one, so it is left out there: it
can be equal to no other row, and what is left to group shrinks. Every set up to the size reached is looked at,
exactly; larger ones are not once the work would pass a limit. The limit counts tuples, not seconds, so that the
same table gives the same result on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from privet.disclosure._code_tuples import Codes
from privet.disclosure._tuple_groups import Integers, mixed_radix, sizes_and_singles

# Tuples to be grouped, over all sets of columns: some twenty CPU seconds.
LARGEST_WALK = 1_000_000_000
# Sets of one size, and the bytes of their marks.
MOST_SETS = 100_000
_MOST_BYTES = 2**30

Places = tuple[int, ...]
Bits = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class SetCounts:
    """One set of columns: its classes, the rows alone in theirs, and the ordered pairs of rows that agree.

    `minimal` is the number of rows that are alone here and on no smaller set inside this one.
    """

    at: Places
    classes: int
    uniques: int
    agreeing: int
    minimal: int


@dataclass(frozen=True, eq=False)
class Walk:
    """What was found on the way up: exact for every set of at most `searched` columns.

    `number[s - 1, i]` counts the sets of size s on which tuple i is alone while it is on none inside them.
    `complete` is True when no larger set can single out a row that none of these does, or there is none.
    """

    table: Codes = field(repr=False)
    levels: tuple[tuple[SetCounts, ...], ...] = field(repr=False)
    number: NDArray[np.int32] = field(repr=False)
    marks: dict[Places, Bits] = field(repr=False)
    searched: int
    complete: bool

    def sets(self) -> Iterator[SetCounts]:
        """Every set, by size."""
        for level in self.levels:
            yield from level

    def names(self, at: Places) -> tuple[str, ...]:
        """The columns at these places."""
        return tuple(self.table.columns[j] for j in at)

    def beyond(self, at: Places) -> SetCounts:
        """The counts of a set larger than those searched, with the help of the marks inside it."""
        closed = _closed(self.table, self.marks, combinations(at, self.searched))
        return _count(self.table, at, closed)[0]


def walk(
    codes: Codes,
    columns: Sequence[str] | None = None,
    *,
    largest: int | None = None,
    limit: int = LARGEST_WALK,
) -> Walk:
    """Look at every set of the named columns, up to a size.

    Args:
        codes: the table. Tuples are regrouped by the columns: results are in the order of `Walk.table`.
        columns: the columns to look at; all when None.
        largest: the most columns in a set; as many as the limit allows when None. Single columns always.
        limit: how many tuples may be grouped in all.
    """
    table = codes if columns is None else codes.only(columns)
    width = len(table.columns)
    most = width if largest is None else max(1, min(largest, width))
    levels: list[tuple[SetCounts, ...]] = []
    numbers: list[NDArray[np.int32]] = []
    marks: dict[Places, Bits] = {}
    spent = 0
    while len(levels) < most:
        size = len(levels) + 1
        work = _work(table, marks, size, limit - spent)
        if levels and (work is None or spent + work > limit):
            break
        spent += work or 0
        counted, number, marks = _level(table, marks, size)
        levels.append(counted)
        numbers.append(number)
    done = len(levels) == width or _nothing_left(table, marks)
    return Walk(table, tuple(levels), np.stack(numbers), marks, len(levels), done)


def _work(table: Codes, marks: dict[Places, Bits], size: int, left: int) -> int | None:
    """How many tuples sets of this size would group; None when they are too many to look at."""
    width = len(table.columns)
    sets = comb(width, size)
    if sets > MOST_SETS or sets * len(table) // 8 > _MOST_BYTES:
        return None
    if sets * len(table) <= left or not marks:
        return sets * len(table)
    closed = (
        int(np.bitwise_count(_closed(table, marks, combinations(at, size - 1))).sum())
        for at in combinations(range(width), size)
    )
    return sets * len(table) - sum(closed)


def _nothing_left(table: Codes, marks: dict[Places, Bits]) -> bool:
    every = np.packbits(table.counts == 1)
    return all(bool((bits == every).all()) for bits in marks.values())


def _level(
    table: Codes, marks: dict[Places, Bits], size: int
) -> tuple[tuple[SetCounts, ...], NDArray[np.int32], dict[Places, Bits]]:
    """All sets of one size: their counts, how many single out each tuple for the first time, and the new marks."""
    counted: list[SetCounts] = []
    number = np.zeros(len(table), np.int32)
    after: dict[Places, Bits] = {}
    for at in combinations(range(len(table.columns)), size):
        closed = _closed(table, marks, combinations(at, size - 1) if size > 1 else ())
        counts, fresh = _count(table, at, closed)
        counted.append(counts)
        number[fresh] += 1
        if len(fresh):
            marked = np.zeros(len(table), bool)
            marked[fresh] = True
            closed |= np.packbits(marked)
        after[at] = closed
    return tuple(counted), number, after


def _closed(table: Codes, marks: dict[Places, Bits], inside: Iterator[Places] | Sequence[Places]) -> Bits:
    """Tuples that are alone on any of these sets, as packed bits."""
    closed = np.zeros((len(table) + 7) // 8, np.uint8)
    for at in inside:
        closed |= marks[at]
    return closed


def _count(table: Codes, at: Places, closed: Bits) -> tuple[SetCounts, NDArray[np.int64]]:
    """Group the tuples that are not closed; closed ones are classes of one row each."""
    gone = int(np.bitwise_count(closed).sum())
    if gone == 0:
        sizes, fresh = sizes_and_singles(*table.keys(at), table.weights)
    else:
        live = np.flatnonzero(np.unpackbits(closed, count=len(table)) == 0)
        counts = None if table.weights is None else table.weights[live]
        sizes, fresh = sizes_and_singles(*_keys_of(table, at, live), counts)
        fresh = live[fresh]
    agreeing = int((sizes * (sizes - 1)).sum())
    return SetCounts(at, gone + len(sizes), gone + len(fresh), agreeing, len(fresh)), fresh


def _keys_of(table: Codes, at: Places, live: NDArray[np.int64]) -> tuple[Integers, int]:
    """Keys of some tuples: picked from all keys, or, where they are few, built from picked columns."""
    if len(live) * len(at) > len(table):
        keys, space = table.keys(at)
        return keys[live], space
    return mixed_radix([table.codes[:, j].take(live) for j in at], [table.cardinalities[j] for j in at])
