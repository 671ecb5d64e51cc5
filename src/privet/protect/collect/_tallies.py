"""Tallies: how many reports said what. They are all that estimates need, and a group-by makes them.

`counted` adds up columns of reports, or groups of equal reports with their numbers, into one array of cells.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.errors import InternalError
from privet.guarantee.oracles import (
    BitFlip,
    BloomResponse,
    CountMeanSketch,
    FastLocalHashing,
    GeneralizedResponse,
    HadamardResponse,
    HadamardSketch,
    Hybrid,
    LocalHashing,
    OptimizedUnary,
    Oracle,
    SubsetSelection,
    SymmetricUnary,
    WindowResponse,
    factors,
    window,
)

Cells = NDArray[np.int64]
Weights = NDArray[np.int64] | None
_ROWS = 1 << 14


@singledispatch
def counted(oracle: Oracle, columns: dict[str, Any], weights: Weights = None) -> Cells:  # noqa: ARG001
    """The cells of an oracle, from its columns; `weights` are the numbers of equal reports."""
    raise InternalError(f"there is no tally for {type(oracle).__name__}.")


def _bins(places: Any, size: int, weights: Weights = None) -> Cells:
    return np.bincount(places, weights, minlength=size).astype(np.int64)


@counted.register
def _generalized(oracle: GeneralizedResponse, columns: dict[str, Any], weights: Weights = None) -> Cells:
    return _bins(columns["value"], oracle.size, weights)


@counted.register(OptimizedUnary)
@counted.register(SubsetSelection)
def _listed(oracle: Oracle, columns: dict[str, Any], weights: Weights = None) -> Cells:
    offsets, places = columns["ones" if isinstance(oracle, OptimizedUnary) else "values"]
    each = None if weights is None else np.repeat(weights, np.diff(offsets))
    return _bins(places, oracle.size, each)


@counted.register
def _looked_at(oracle: BitFlip, columns: dict[str, Any], weights: Weights = None) -> Cells:
    """For each place the reports that show its bit as 0, and as 1."""
    offsets, places = columns["values"]
    each = None if weights is None else np.repeat(weights, np.diff(offsets))
    return _bins(places, 2 * oracle.size, each).reshape(oracle.size, 2)


@counted.register
def _symmetric(oracle: SymmetricUnary, columns: dict[str, Any], weights: Weights = None) -> Cells:
    if weights is not None:
        raise InternalError("reports of bits are not grouped.")
    total = np.zeros(oracle.size, np.int64)
    for start in range(0, len(columns["bits"]), _ROWS):
        bits = np.unpackbits(
            columns["bits"][start : start + _ROWS], axis=1, count=oracle.size, bitorder="little"
        )
        total += column_sums(bits)
    return total


def column_sums(bits: NDArray[np.uint8]) -> Cells:
    """Sums of zeros and ones by column: 255 rows at a time fit into a byte, which is many times faster."""
    whole = len(bits) // 255 * 255
    blocks = bits[:whole].reshape(-1, 255, bits.shape[1]).sum(axis=1, dtype=np.uint8)
    return np.asarray(blocks.sum(axis=0, dtype=np.int64) + bits[whole:].sum(axis=0, dtype=np.int64))


@counted.register
def _local_hashing(oracle: LocalHashing, columns: dict[str, Any], weights: Weights = None) -> Cells:
    """How many reports support each value.

    A report supports x when a·x + b - begin, as a 64-bit word, is below the width of its window. From one value to the
    next the word grows by a: one addition and one comparison for each report and value.
    """
    if weights is not None:
        raise InternalError("reports with seeds of their own are not grouped.")
    total = np.zeros(oracle.size, np.int64)
    for start in range(0, len(columns["seed"]), _ROWS):
        part = slice(start, start + _ROWS)
        a, b = factors(columns["seed"][part])
        begin, width = window(columns["value"][part], oracle.range)
        word, below = b - begin, np.empty(len(a), np.bool_)
        for value in range(oracle.size):
            np.less(word, width, out=below)
            total[value] += np.count_nonzero(below)
            np.add(word, a, out=word)
    return total


@counted.register
def _fast_local_hashing(oracle: FastLocalHashing, columns: dict[str, Any], weights: Weights = None) -> Cells:
    places = columns["hash"] * oracle.range + columns["value"]
    return _bins(places, oracle.pool * oracle.range, weights).reshape(oracle.pool, oracle.range)


@counted.register
def _hadamard(oracle: HadamardResponse, columns: dict[str, Any], weights: Weights = None) -> Cells:
    return _bins(columns["value"], oracle.outputs, weights).reshape(oracle.blocks, oracle.width)


@counted.register
def _sketch(oracle: CountMeanSketch, columns: dict[str, Any], weights: Weights = None) -> Cells:
    return _rows_of_bits(columns["row"], columns["bits"], oracle.rows, oracle.width, weights)


@counted.register
def _bloom(oracle: BloomResponse, columns: dict[str, Any], weights: Weights = None) -> Cells:
    return _rows_of_bits(columns["row"], columns["bits"], oracle.cohorts, oracle.bits, weights)


def _rows_of_bits(
    rows: NDArray[np.int64], packed: NDArray[np.uint8], many: int, width: int, weights: Weights
) -> Cells:
    """Ones by row and place, and in the last column the reports of each row."""
    if weights is not None:
        raise InternalError("reports of bits are not grouped.")
    cells = np.zeros((many, width + 1), np.int64)
    cells[:, width] = _bins(rows, many)
    order = np.argsort(rows, kind="stable")
    for start in range(0, len(rows), _ROWS):
        part = order[start : start + _ROWS]
        bits = np.unpackbits(packed[part], axis=1, count=width, bitorder="little")
        ones = np.flatnonzero(bits)
        first, last = rows[part[0]], rows[part[-1]]
        places = (rows[part] - first)[ones // width] * width + ones % width
        span = int(last - first + 1)
        cells[first : last + 1, :width] += np.bincount(places, minlength=span * width).reshape(span, width)
    return cells


@counted.register
def _hadamard_sketch(oracle: HadamardSketch, columns: dict[str, Any], weights: Weights = None) -> Cells:
    places = (columns["row"] * oracle.width + columns["column"]) * 2 + columns["sign"]
    both = _bins(places, 2 * oracle.rows * oracle.width, weights).reshape(oracle.rows, oracle.width, 2)
    return np.asarray(both[..., 1] - both[..., 0])


@counted.register
def _outputs(oracle: WindowResponse, columns: dict[str, Any], weights: Weights = None) -> Cells:
    more = 2 if isinstance(oracle, Hybrid) else 0
    return _bins(columns["value"], oracle.outputs + more, weights)
