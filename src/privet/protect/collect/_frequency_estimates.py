"""Unbiased counts of values from tallies, with the standard error of each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.errors import InternalError
from privet.guarantee.oracles import (
    WORD,
    BitFlip,
    CountMeanSketch,
    FastLocalHashing,
    HadamardResponse,
    HadamardSketch,
    Oracle,
    SupportOracle,
    pool,
    pool_sums,
)
from privet.protect.collect._tallies import Cells

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Frequencies:
    """Estimated counts of values among `reports` people, unbiased, each with its standard error."""

    counts: Floats
    errors: Floats
    reports: int
    candidates: int = 0  # of words: how many these were chosen among


@singledispatch
def unbiased(oracle: Oracle, cells: Cells, reports: int, values: NDArray[Any], seed: int) -> Floats:  # noqa: ARG001
    """The estimated counts of values: numbers of categories, or words that stand for texts."""
    raise InternalError(f"there is no estimate for {type(oracle).__name__}.")


@unbiased.register
def _support(oracle: SupportOracle, cells: Cells, reports: int, values: NDArray[Any], seed: int) -> Floats:
    del seed
    own, other = map(float, oracle.support())
    return np.asarray((cells[values] - reports * other) / (own - other))


@unbiased.register
def _looked_at(oracle: BitFlip, cells: Cells, reports: int, values: NDArray[Any], seed: int) -> Floats:
    """b/d times the sum of (bit - flip) / (1 - 2 flip) over the devices that look at the place (Ding et al. 2017)."""
    del reports, seed
    flip = oracle.odds()[0] / WORD
    seen = cells[values].sum(axis=1)
    return np.asarray(oracle.size / oracle.chosen * (cells[values, 1] - flip * seen) / (1 - 2 * flip))


@unbiased.register
def _pooled(oracle: FastLocalHashing, cells: Cells, reports: int, values: NDArray[Any], seed: int) -> Floats:
    own, other = map(float, oracle.support())
    support = pool_sums(cells, pool(seed, oracle.pool), values, oracle.range)
    return np.asarray((support - reports * other) / (own - other))


@unbiased.register
def _hadamard(
    oracle: HadamardResponse, cells: Cells, reports: int, values: NDArray[Any], seed: int
) -> Floats:
    del reports, seed
    blocks, rows = values % oracle.blocks, values // oracle.blocks + 1
    return np.asarray(walsh_hadamard(cells)[blocks, rows] / 2 / oracle.moments()[0])


@unbiased.register
def _sketch(oracle: CountMeanSketch, cells: Cells, reports: int, values: NDArray[Any], seed: int) -> Floats:
    ones, rows = cells[:, : oracle.width], cells[:, oracle.width :]
    cleaned = oracle.correction() / 2 * (2 * ones - rows) + rows / 2
    return _mean_sketch(oracle, cleaned, reports, values, seed)


@unbiased.register
def _hadamard_sketch(
    oracle: HadamardSketch, cells: Cells, reports: int, values: NDArray[Any], seed: int
) -> Floats:
    return _mean_sketch(oracle, oracle.correction() * walsh_hadamard(cells), reports, values, seed)


def _mean_sketch(
    oracle: CountMeanSketch, cleaned: Floats, reports: int, values: NDArray[Any], seed: int
) -> Floats:
    """The sketch's estimate, m / (m - 1) · (the mean over rows of the value's cells - n / m) (Apple 2017, algorithm A_server)."""
    total = pool_sums(cleaned, pool(seed, oracle.rows), values, oracle.width)
    return oracle.width / (oracle.width - 1) * (total - reports / oracle.width)


def walsh_hadamard(rows: NDArray[Any]) -> Floats:
    """The Walsh-Hadamard transform of each row, whose length is a power of two."""
    out = rows.astype(np.float64)
    many, width = out.shape
    half = 1
    while half < width:
        pairs = out.reshape(many, width // (2 * half), 2, half)
        out = np.stack([pairs[:, :, 0] + pairs[:, :, 1], pairs[:, :, 0] - pairs[:, :, 1]], axis=2)
        out = out.reshape(many, width)
        half *= 2
    return out


def estimated(oracle: Oracle, cells: Cells, reports: int, values: NDArray[Any], seed: int) -> Frequencies:
    """Counts with standard errors by the exact variance, at the counts themselves where these are positive."""
    counts = unbiased(oracle, cells, reports, values, seed)
    likely = np.clip(counts, 0, reports)
    if isinstance(oracle, HadamardResponse):
        variances = oracle.variance(reports, likely, within=_within(oracle, cells, reports, values))
        return Frequencies(counts, np.sqrt(np.maximum(variances, 0)), reports)
    squares: Any = 0.0
    for _ in range(2):  # the squares hold the noise of the counts, which is taken out
        variances = np.asarray(oracle.variance(reports, likely, squares))
        total = max(0.0, float((counts**2).sum() - variances.sum()))
        squares = np.clip(total - likely**2, 0, float(reports) ** 2)
    variances = np.asarray(oracle.variance(reports, likely, squares))
    return Frequencies(counts, np.sqrt(np.maximum(variances, 0)), reports)


def _within(oracle: HadamardResponse, cells: Cells, reports: int, values: NDArray[Any]) -> Any:
    """Estimated reports of people whose value is in the same block."""
    if oracle.blocks == 1:
        return float(reports)
    high, low = map(float, oracle.chances())
    half = oracle.width / 2
    found = (cells.sum(axis=1) - reports * oracle.width * low) / (half * (high - low))
    return np.clip(found, 0, reports)[values % oracle.blocks]
