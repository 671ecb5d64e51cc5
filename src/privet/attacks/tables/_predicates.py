"""Statements about one person's columns, such as "born before 1931 and in ward 4", and how many rows each is true of.

Codes keep the order of values, so every statement about a column is an interval of codes: from a value to itself,
everything up to it, everything from it, or the gap alone. Counting is done on packed bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.attacks._seeded_generator import Draw
from privet.attacks.tables._table_codes import MISSING, Coded

_BYTES = 32_000_000  # bits held at once: bounds memory, changes nothing
_SPAN = 0.01  # share of rows inside a narrow span of numbers
_ALL_DIFFERENT = 0.5  # share of different values above which a column of names singles out by itself


@dataclass(frozen=True, eq=False)
class Predicates:
    """One row for each statement, one column for each of its parts: low <= code of `column` <= high."""

    column: NDArray[np.int64] = field(repr=False)
    low: NDArray[np.int32] = field(repr=False)
    high: NDArray[np.int32] = field(repr=False)

    def __len__(self) -> int:
        return len(self.column)

    def take(self, rows: NDArray[np.int64]) -> Predicates:
        """Some of the statements."""
        return Predicates(self.column[rows], self.low[rows], self.high[rows])


def joined(parts: list[Predicates]) -> Predicates:
    """Statements of several lists with equally many parts."""
    return Predicates(
        np.concatenate([one.column for one in parts]),
        np.concatenate([one.low for one in parts]),
        np.concatenate([one.high for one in parts]),
    )


def counts(table: Coded, predicates: Predicates) -> NDArray[np.int64]:
    """Of how many rows each statement is true."""
    parts = [np.bitwise_count(bits).sum(axis=1, dtype=np.int64) for _, bits in _packed(table, predicates)]
    return np.concatenate([np.zeros(0, np.int64), *parts])


def true_of(table: Coded, predicates: Predicates, most: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs of a statement and a row that it is true of, for statements true of at most so many rows."""
    statements, rows = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for start, bits in _packed(table, predicates):
        few = np.flatnonzero(np.bitwise_count(bits).sum(axis=1, dtype=np.int64) <= most)
        byte_of, byte_at = np.nonzero(bits[few])
        inside = np.unpackbits(bits[few][byte_of, byte_at][:, None], axis=1)
        at, bit = np.nonzero(inside)
        statements.append(start + few[byte_of[at]])
        rows.append(byte_at[at] * 8 + bit)
    return np.concatenate(statements), np.concatenate(rows)


def _packed(table: Coded, predicates: Predicates) -> Iterator[tuple[int, NDArray[np.uint8]]]:
    """A bit for each row, set where a statement is true; some statements at a time."""
    width = (len(table) + 7) // 8
    step = max(1, _BYTES // max(1, width * predicates.column.shape[1]))
    for start in range(0, len(predicates), step):
        part = slice(start, start + step)
        yield start, _true(table, predicates.column[part], predicates.low[part], predicates.high[part])


def _true(
    table: Coded, column: NDArray[np.int64], low: NDArray[np.int32], high: NDArray[np.int32]
) -> NDArray[np.uint8]:
    # The same part occurs in many statements: each is looked up once.
    packed = (column << 56) ^ ((low.astype(np.int64) + 1) << 28) ^ (high.astype(np.int64) + 1)
    distinct, first, inverse = np.unique(packed, return_index=True, return_inverse=True)
    columns, lows, highs = column.ravel()[first], low.ravel()[first], high.ravel()[first]
    bits = np.empty((len(distinct), (len(table) + 7) // 8), np.uint8)
    for j in np.unique(columns).tolist():
        mine = np.flatnonzero(columns == j)
        bits[mine] = _bits(table.codes[:, j], lows[mine].astype(np.int64), highs[mine].astype(np.int64))
    places = inverse.reshape(column.shape)
    both: NDArray[np.uint8] = bits[places[:, 0]]
    for at in range(1, column.shape[1]):
        both &= bits[places[:, at]]
    return both


def _bits(codes: NDArray[np.int32], low: NDArray[np.int64], high: NDArray[np.int64]) -> NDArray[np.uint8]:
    """A bit for each row inside each interval: one subtraction and one comparison of unsigned numbers."""
    kind: type[np.uint16 | np.uint32] = np.uint16 if int(codes.max(initial=0)) + 2 < 2**16 else np.uint32
    shifted: NDArray[Any] = (codes + 1).astype(kind)
    first: NDArray[Any] = (low + 1).astype(kind)
    span: NDArray[Any] = np.minimum(high - low, np.iinfo(kind).max - 1).astype(kind)
    out = np.empty((len(low), (len(codes) + 7) // 8), np.uint8)
    step = max(1, 4_000_000 // max(1, len(codes)))
    for start in range(0, len(low), step):
        part = slice(start, start + step)
        inside = (shifted[None, :] - first[part, None]) <= span[part, None]
        out[part] = np.packbits(inside, axis=1)
    return out


def telling_columns(table: Coded) -> list[int]:
    """Columns to speak of: not those where all rows are equal, nor names that nearly all differ, if others are left.

    A column like a number of an account makes every statement with it true of one row at most, published or not.
    """
    rows = len(table)
    varied = [j for j in range(len(table.columns)) if len(np.unique(table.codes[:, j])) > 1]
    kept = [
        j
        for j in varied
        if table.is_number[j] or len(np.unique(table.codes[:, j])) <= max(2, _ALL_DIFFERENT * rows)
    ]
    return kept or varied


def about_rows(table: Coded, rows: NDArray[np.int64], column: NDArray[np.int64]) -> Predicates:
    """What is true of a row in each of its columns: at least, or at most, its number (away from the middle), or its value."""
    codes = table.codes[rows[:, None], column]
    middle = np.array(
        [
            np.median(known) if len(known := table.codes[table.codes[:, j] != MISSING, j]) else 0
            for j in range(len(table.columns))
        ]
    )
    return _sided(table, codes, column, middle)


def _sided(
    table: Coded, codes: NDArray[np.int32], column: NDArray[np.int64], middle: NDArray[np.float64]
) -> Predicates:
    number = table.is_number[column] & (codes != MISSING)
    above = codes >= middle[column]
    top = np.array(table.sizes)[column]
    low = np.where(number & ~above, 0, codes).astype(np.int32)
    high = np.where(number & above, top, codes).astype(np.int32)
    return Predicates(column, low, high)


def near_rows(table: Coded, rows: NDArray[np.int64], column: NDArray[np.int64]) -> Predicates:
    """What is nearly true of a row in each of its columns: a number inside a narrow span of it, or its value.

    Finds people whose row was copied, or copied with a little noise, where "at least" and "at most" are true of many.
    """
    return _spanned(table, table.codes[rows[:, None], column], column)


def _spanned(table: Coded, codes: NDArray[np.int32], column: NDArray[np.int64]) -> Predicates:
    low, high = codes.copy(), codes.copy()
    reach = max(1, int(_SPAN * len(table) / 2))
    for j in np.unique(column).tolist():
        if not table.is_number[j]:
            continue
        known = np.sort(table.codes[table.codes[:, j] != MISSING, j])
        mine = (column == j) & (codes != MISSING)
        first = np.searchsorted(known, codes[mine], "left") - reach
        last = np.searchsorted(known, codes[mine], "right") - 1 + reach
        low[mine] = known[np.maximum(first, 0)]
        high[mine] = known[np.minimum(last, len(known) - 1)]
    return Predicates(column, low, high)


def expected(table: Coded, made: Predicates) -> NDArray[np.float64]:
    """Of how many rows each statement would be true if columns had nothing to do with each other."""
    found = np.full(len(made), float(len(table)))
    for j in np.unique(made.column).tolist():
        below = np.concatenate(
            [[0], np.cumsum(np.bincount(table.codes[:, j] + 1, minlength=table.sizes[j] + 2))]
        )
        top = len(below) - 1
        part = made.column == j
        share = np.ones(made.column.shape)
        high, low = np.minimum(made.high[part] + 2, top), np.minimum(made.low[part] + 1, top)
        share[part] = (below[high] - below[low]) / len(table)
        found *= share.prod(axis=1)
    return found


def at_random(table: Coded, draw: Draw, column: NDArray[np.int64], *, near: bool = False) -> Predicates:
    """Statements whose parts come from different rows: what a guess without the link between columns looks like."""
    rows = draw.integers(0, len(table), column.shape)
    codes = table.codes[rows, column]
    if near:
        return _spanned(table, codes, column)
    return _sided(table, codes, column, draw.random(len(table.columns)) * np.array(table.sizes))


def columns_for(draw: Draw, number: int, among: list[int], size: int) -> NDArray[np.int64]:
    """For each statement so many different columns, each as likely as another."""
    order = np.argsort(draw.random((number, len(among))), axis=1)[:, :size]
    return np.asarray(among, np.int64)[order]
