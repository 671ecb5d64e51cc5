"""What a report says of each value: log-likelihoods by the oracle that the public specification states.

Each is up to a number that is the same for all values, which no guess depends on. They are what the best adversary uses;
reports that are not from a collection of ours are read as plain numbers instead.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.errors import BadAttack
from privet.guarantee.oracles import (
    WORD,
    BitFlip,
    BloomResponse,
    CountMeanSketch,
    FastLocalHashing,
    GeneralizedResponse,
    HadamardResponse,
    HadamardSketch,
    LocalHashing,
    OptimizedUnary,
    Oracle,
    SubsetSelection,
    SymmetricUnary,
    hashed,
    pool,
    pooled,
)

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]


def column(table: Any, name: str, kind: str, bound: int) -> Any:
    """A column of reports: numbers; rows of bits; or for lists, rows that say which numbers they hold."""
    given = table[name]
    listed = given.to_pylist() if hasattr(given, "to_pylist") else list(given)
    if kind == "bits":
        rows = np.frombuffer(b"".join(listed), np.uint8).reshape(len(listed), -1)
        return np.unpackbits(rows, axis=1, count=bound, bitorder="little").astype(np.bool_)
    if kind == "list":
        held = np.zeros((len(listed), bound), np.bool_)
        lengths = [len(one) for one in listed]
        held[np.repeat(np.arange(len(listed)), lengths), [place for one in listed for place in one]] = True
        return held
    return np.asarray(listed, np.uint64 if kind == "uint64" else np.int64)


def columns_of(reports: Any, oracle: Oracle) -> dict[str, Any]:
    """The columns of reports as the likelihoods take them."""
    try:
        return {name: column(reports, name, *shape) for name, shape in oracle.columns().items()}
    except (KeyError, TypeError, ValueError, OverflowError, IndexError):
        raise BadAttack(
            "the client's reports are not those of its specification.", "Give the specification it uses."
        ) from None


def likelihoods(oracle: Oracle, reports: Any, values: Codes, seed: int) -> Floats:
    """A row for each report and a column for each value."""
    return np.asarray(
        said_of(oracle, columns_of(reports, oracle), np.asarray(values, np.int64), seed), np.float64
    )


@singledispatch
def said_of(oracle: Oracle, columns: Mapping[str, Any], values: Codes, seed: int) -> Any:  # noqa: ARG001
    """The log-likelihood of each value."""
    raise BadAttack(
        "what reports of this oracle say of single values is not known here.", "Try another attack."
    )


@said_of.register
def _generalized(oracle: GeneralizedResponse, columns: Mapping[str, Any], values: Codes, seed: int) -> Any:
    del seed
    own, other = oracle.support()
    return (columns["value"][:, None] == values) * _log(own / other)


@said_of.register
def _unary(oracle: SymmetricUnary, columns: Mapping[str, Any], values: Codes, seed: int) -> Any:
    del seed
    return columns["bits"][:, values] * _odds(*oracle.support())


@said_of.register
def _optimized(oracle: OptimizedUnary, columns: Mapping[str, Any], values: Codes, seed: int) -> Any:
    del seed
    return columns["ones"][:, values] * _odds(*oracle.support())


@said_of.register
def _local_hashing(oracle: LocalHashing, columns: Mapping[str, Any], values: Codes, seed: int) -> Any:
    del seed
    return _same_hash(oracle, hashed(columns["seed"][:, None], values[None], oracle.range), columns)


@said_of.register
def _fast_local_hashing(
    oracle: FastLocalHashing, columns: Mapping[str, Any], values: Codes, seed: int
) -> Any:
    seeds = pool(seed, oracle.pool)[columns["hash"]]
    return _same_hash(oracle, pooled(seeds[:, None], values[None], oracle.range), columns)


def _same_hash(oracle: LocalHashing, hashes: Codes, columns: Mapping[str, Any]) -> Any:
    own = oracle.support()[0]
    return (hashes == columns["value"][:, None]) * _log(own * (oracle.range - 1) / (1 - own))


@said_of.register
def _subset(oracle: SubsetSelection, columns: Mapping[str, Any], values: Codes, seed: int) -> Any:
    del seed
    own = oracle.support()[0]
    ratio = own / (1 - own) * (oracle.size - oracle.chosen) / oracle.chosen
    return columns["values"][:, values] * _log(ratio)


@said_of.register
def _hadamard(oracle: HadamardResponse, columns: Mapping[str, Any], values: Codes, seed: int) -> Any:
    del seed
    high, low = oracle.chances()
    block, place = np.divmod(columns["value"][:, None], oracle.width)
    even = np.bitwise_count(place & (values // oracle.blocks + 1)) % 2 == 0
    return ((block == values % oracle.blocks) & even) * _log(high / low)


@said_of.register
def _sketch(oracle: CountMeanSketch, columns: Mapping[str, Any], values: Codes, seed: int) -> Any:
    places = _places(columns["row"], values, seed, oracle.rows, oracle.width)
    own, other = oracle.odds()
    return np.take_along_axis(columns["bits"], places, 1) * _odds(own / WORD, other / WORD)


@said_of.register
def _hadamard_sketch(oracle: HadamardSketch, columns: Mapping[str, Any], values: Codes, seed: int) -> Any:
    places = _places(columns["row"], values, seed, oracle.rows, oracle.width)
    positive = np.bitwise_count(places & columns["column"][:, None]) % 2 == 0
    flip = oracle.odds()[0]
    return (positive == (columns["sign"][:, None] == 1)) * _log((WORD - flip) / flip)


@said_of.register
def _bloom(oracle: BloomResponse, columns: Mapping[str, Any], values: Codes, seed: int) -> Any:
    own, other = map(float, oracle.instantaneous())
    filters = np.zeros((len(columns["row"]), len(values), oracle.bits), np.bool_)
    seeds = pool(seed, oracle.cohorts * oracle.hashes)
    for number in range(oracle.hashes):
        chosen = seeds[columns["row"] * oracle.hashes + number]
        places = pooled(chosen[:, None], values[None], oracle.bits)
        np.put_along_axis(filters, places[:, :, None], values=True, axis=2)
    each = np.where(columns["bits"], math.log(own / other), math.log((1 - own) / (1 - other)))
    return np.einsum("nvb,nb->nv", filters, each)


@said_of.register
def _looked_at(oracle: BitFlip, columns: Mapping[str, Any], values: Codes, seed: int) -> Any:
    del seed
    flip = oracle.odds()[0]
    held = columns["values"]
    signs = held[:, 2 * values + 1].astype(np.int64) - held[:, 2 * values]
    return signs * _log((WORD - flip) / flip)


def _places(rows: Codes, values: Codes, seed: int, many: int, width: int) -> Codes:
    return pooled(pool(seed, many)[rows][:, None], values[None], width)


def _log(ratio: Any) -> float:
    return math.log(ratio)


def _odds(own: Any, other: Any) -> float:
    return math.log(own * (1 - other) / (other * (1 - own)))
