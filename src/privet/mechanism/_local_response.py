"""Local randomisers: one person's value becomes one report before anything leaves the device.

There is no seal to open and no ledger on a phone: the value is its owner's, and what is promised for it is fixed by the
public specification of the collection. What a person may give in total is kept by the device (`privet.protect.collect`).
Each randomiser reads its randomness from a `WordStream` alone, and for one value in an order that other languages can
follow. Arrays of many values are drawn step by step for all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.errors import InternalError
from privet.guarantee.oracles import (
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
    pooled_each,
)
from privet.mechanism._proofs import proven
from privet.mechanism._word_stream import WordStream, draw_below, draw_bits, draw_chance

# Columns of reports: numbers; rows of packed bits (uint8, two dimensions); or offsets and numbers of lists.
Columns = dict[str, Any]
Codes = NDArray[np.int64]
_CELLS = 1 << 23


@singledispatch
@proven("local_response.proof.md", digest="ffe4b7f4df2eae00")
def respond(oracle: Oracle, codes: Codes, stream: WordStream, seed: int) -> Columns:  # noqa: ARG001
    """The reports of values given as numbers from 0 to size - 1; `seed` is the public one of the specification.

    Guarantee:
        Each report is epsilon-locally differentially private: no two values make any report more than e^epsilon times
        as likely (Kasiviswanathan et al. 2008).
    Assumes:
        The stream is secret and uniform, and each value is used for one report.
    """
    raise InternalError(f"there is no randomiser for {type(oracle).__name__}.")


@proven("local_response.proof.md", digest="fe8eecb398449688", events=(GeneralizedResponse,))
def kept_or_other(codes: Codes, size: int, words: int, stream: WordStream) -> Codes:
    """Each code, or with the words that do not keep it one of the others, all alike."""
    out = codes.copy()
    changed = np.flatnonzero(~draw_chance(stream, len(codes), words))
    other = draw_below(stream, changed.size, size - 1)
    out[changed] = other + (other >= codes[changed])
    return out


@respond.register
@proven("local_response.proof.md", digest="9bca18a5661b6671", events=(GeneralizedResponse,))
def _generalized(oracle: GeneralizedResponse, codes: Codes, stream: WordStream, seed: int) -> Columns:
    del seed
    return {"value": kept_or_other(codes, oracle.size, oracle.odds()[0], stream)}


@respond.register
@proven("local_response.proof.md", digest="fbd785a29f2ee256", events=(LocalHashing,))
def _local_hashing(oracle: LocalHashing, codes: Codes, stream: WordStream, seed: int) -> Columns:
    del seed
    seeds = stream.words(len(codes))
    hashes = hashed(seeds, codes, oracle.range)
    return {"seed": seeds, "value": kept_or_other(hashes, oracle.range, oracle.odds()[0], stream)}


@respond.register
@proven("local_response.proof.md", digest="8d92f9fb3a294bb9", events=(FastLocalHashing,))
def _fast_local_hashing(oracle: FastLocalHashing, codes: Codes, stream: WordStream, seed: int) -> Columns:
    return pooled_hash(oracle, codes, stream, pool(seed, oracle.pool))


@proven("local_response.proof.md", digest="74675e4f8a52f6ae", events=(FastLocalHashing,))
def pooled_hash(
    oracle: FastLocalHashing, values: NDArray[Any], stream: WordStream, seeds: NDArray[np.uint64]
) -> Columns:
    """Reports by a pool of hash functions, of values that need not be numbered: any 64-bit words."""
    chosen = draw_below(stream, len(values), oracle.pool)
    hashes = pooled_each(seeds, chosen, values, oracle.range)
    return {"hash": chosen, "value": kept_or_other(hashes, oracle.range, oracle.odds()[0], stream)}


@respond.register
@proven("local_response.proof.md", digest="bc46a2657205b0d3", events=(SymmetricUnary,))
def _symmetric(oracle: SymmetricUnary, codes: Codes, stream: WordStream, seed: int) -> Columns:
    del seed
    return {"bits": packed_bits(codes, oracle.size, oracle.odds(), stream)}


@respond.register
@proven("local_response.proof.md", digest="c7c8b987ab3787c7", events=(OptimizedUnary,))
def _optimized(oracle: OptimizedUnary, codes: Codes, stream: WordStream, seed: int) -> Columns:
    del seed
    lengths, places = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for part in _parts(codes, oracle.size):
        flat = np.flatnonzero(draw_bits(stream, part, oracle.size, oracle.odds()))
        rows, ones = np.divmod(flat, oracle.size)
        lengths.append(np.bincount(rows, minlength=len(part)))
        places.append(ones)
    return {"ones": (_offsets(np.concatenate(lengths)), np.concatenate(places))}


@respond.register
@proven("local_response.proof.md", digest="6e172aabde6f6b64", events=(SubsetSelection,))
def _subset(oracle: SubsetSelection, codes: Codes, stream: WordStream, seed: int) -> Columns:
    del seed
    found = [chosen_sets(oracle, part, stream) for part in _parts(codes, 8 * oracle.size)]
    values = np.concatenate([np.zeros((0, oracle.chosen), np.int64), *found])
    return {"values": (np.arange(len(codes) + 1) * oracle.chosen, values.ravel())}


@proven("local_response.proof.md", digest="2d05355f550618cf", events=(SubsetSelection,))
def chosen_sets(oracle: SubsetSelection, codes: Codes, stream: WordStream) -> NDArray[np.int64]:
    """One set for each code: with it or without it, and otherwise uniform; its values ascend."""
    inside = draw_chance(stream, len(codes), oracle.odds()[0])
    out = np.empty((len(codes), oracle.chosen), np.int64)
    for own, count in ((True, oracle.chosen - 1), (False, oracle.chosen)):
        rows = np.flatnonzero(inside == own)
        others = uniform_sets(rows.size, oracle.size - 1, count, stream)
        others += others >= codes[rows, None]
        whole = np.concatenate([others, codes[rows, None]], axis=1) if own else others
        out[rows] = np.sort(whole, axis=1)
    return out


@proven("local_response.proof.md", digest="bc24b22ccf5e8a49")
def uniform_sets(rows: int, size: int, count: int, stream: WordStream) -> NDArray[np.int64]:
    """Sets of `count` of `size` numbers, exactly uniform: those with the least random keys; a tie at the edge is drawn again."""
    if count in (0, size):
        return np.tile(np.arange(count), (rows, 1))
    out, todo = np.empty((rows, count), np.int64), np.arange(rows)
    while todo.size:
        keys = stream.words32(todo.size * size).reshape(todo.size, size).astype(np.uint64) << np.uint64(32)
        keys |= np.arange(size, dtype=np.uint64)
        keys.partition((count - 1, count), axis=1)
        clear = keys[:, count - 1] >> np.uint64(32) != keys[:, count] >> np.uint64(32)
        out[todo[clear]] = (keys[clear, :count] & np.uint64(2**32 - 1)).astype(np.int64)
        todo = todo[~clear]
    return out


@respond.register
@proven("local_response.proof.md", digest="6df8f30d6c00b44f", events=(HadamardResponse,))
def likely_column(oracle: HadamardResponse, codes: Codes, stream: WordStream, seed: int) -> Columns:
    """A column with +1 in the value's row, or any other one."""
    del seed
    width, half = oracle.width, oracle.width // 2
    blocks, rows = codes % oracle.blocks, codes // oracle.blocks + 1
    likely = draw_chance(stream, len(codes), oracle.odds()[0])
    out = np.empty(len(codes), np.int64)
    inside, outside = np.flatnonzero(likely), np.flatnonzero(~likely)
    drawn = draw_below(stream, inside.size, half)
    out[inside] = blocks[inside] * width + _with_parity(drawn, rows[inside], 0)
    drawn = draw_below(stream, outside.size, oracle.outputs - half)
    own = drawn < half
    apart = np.where(own, 0, drawn - half)
    other = apart // width + (apart // width >= blocks[outside])
    odd = _with_parity(np.where(own, drawn, 0), rows[outside], 1)
    out[outside] = np.where(own, blocks[outside] * width + odd, other * width + apart % width)
    return {"value": out}


@proven("local_response.proof.md", digest="b8af06ed35d62c45")
def _with_parity(drawn: Codes, rows: Codes, parity: int) -> Codes:
    """The drawn-th column whose product with the row has this parity: a bit is inserted at the row's lowest one."""
    lowest = rows & -rows
    column = (drawn // lowest) * (2 * lowest) + drawn % lowest
    wrong = np.bitwise_count(column & rows) % 2 != parity
    return np.asarray(np.where(wrong, column | lowest, column))


@respond.register
@proven("local_response.proof.md", digest="fd84ce44878adb6f", events=(CountMeanSketch,))
def _count_mean_sketch(oracle: CountMeanSketch, codes: Codes, stream: WordStream, seed: int) -> Columns:
    return sketched_bits(oracle, codes, stream, pool(seed, oracle.rows))


@proven("local_response.proof.md", digest="1e5116e87169c7d5", events=(CountMeanSketch,))
def sketched_bits(
    oracle: CountMeanSketch, values: NDArray[Any], stream: WordStream, seeds: NDArray[np.uint64]
) -> Columns:
    """Reports to a sketch, of values that need not be numbered: any 64-bit words."""
    rows = draw_below(stream, len(values), oracle.rows)
    places = pooled_each(seeds, rows, values, oracle.width)
    own, other = oracle.odds()
    return {"row": rows, "bits": packed_bits(places, oracle.width, (own, other), stream)}


@respond.register
@proven("local_response.proof.md", digest="8c609b757d9ea537", events=(HadamardSketch,))
def hadamard_sign(oracle: HadamardSketch, codes: Codes, stream: WordStream, seed: int) -> Columns:
    """The sign of one entry of the transform, turned over with the words for it."""
    rows = draw_below(stream, len(codes), oracle.rows)
    columns = draw_below(stream, len(codes), oracle.width)
    places = pooled_each(pool(seed, oracle.rows), rows, codes, oracle.width)
    positive = np.bitwise_count(places & columns) % 2 == 0
    flipped = draw_chance(stream, len(codes), oracle.odds()[0])
    return {"row": rows, "column": columns, "sign": (positive ^ flipped).astype(np.int64)}


@respond.register
@proven("local_response.proof.md", digest="d1033908455244df", events=(BloomResponse,))
def _bloom(oracle: BloomResponse, codes: Codes, stream: WordStream, seed: int) -> Columns:
    cohorts = draw_below(stream, len(codes), oracle.cohorts)
    permanent = permanent_bits(oracle, bloom_filters(oracle, codes, cohorts, seed), stream)
    return {
        "row": cohorts,
        "bits": np.packbits(instantaneous_bits(oracle, permanent, stream), axis=1, bitorder="little"),
    }


@proven("local_response.proof.md", digest="7fe6a209ddf1db3f", events=(BloomResponse,))
def bloom_filters(oracle: BloomResponse, codes: Codes, cohorts: Codes, seed: int) -> NDArray[np.bool_]:
    """The filter of each value in each cohort: as many bits as there are hashes, fewer where two fall together."""
    filters = np.zeros((len(codes), oracle.bits), np.bool_)
    seeds = pool(seed, oracle.cohorts * oracle.hashes)
    for number in range(oracle.hashes):
        places = pooled_each(seeds, cohorts * oracle.hashes + number, codes, oracle.bits)
        filters[np.arange(len(codes)), places] = True
    return filters


@proven("local_response.proof.md", digest="ebf272759c5131d2", events=(BloomResponse,))
def permanent_bits(
    oracle: BloomResponse, filters: NDArray[np.bool_], stream: WordStream
) -> NDArray[np.bool_]:
    """Each bit of the filters turned over with the words for it: drawn once for a value, and kept by its device."""
    flip = oracle.odds()[0]
    return filters ^ draw_bits(stream, np.full(len(filters), -1), oracle.bits, (flip, flip))


@proven("local_response.proof.md", digest="ed830c2937e590b7", events=(BloomResponse,))
def instantaneous_bits(
    oracle: BloomResponse, permanent: NDArray[np.bool_], stream: WordStream
) -> NDArray[np.bool_]:
    """What one report shows of the permanent bits: post-processing of them, fresh each time."""
    drawn = stream.bytes(permanent.size).reshape(permanent.shape)
    return drawn < np.where(permanent, oracle.loud, oracle.quiet)


@proven(
    "local_response.proof.md",
    digest="e78bb1108e6b9e1a",
    events=(SymmetricUnary, OptimizedUnary, CountMeanSketch),
)
@proven("local_response.proof.md", digest="")
def packed_bits(places: Codes, width: int, odds: tuple[int, int], stream: WordStream) -> NDArray[np.uint8]:
    """One-hot rows with every bit drawn by its odds, eight to a byte, the first bit lowest."""
    found = [
        np.packbits(draw_bits(stream, part, width, odds), axis=1, bitorder="little")
        for part in _parts(places, width)
    ]
    return np.concatenate([np.zeros((0, -(-width // 8)), np.uint8), *found])


@proven("local_response.proof.md", digest="049390b7cb2558fc")
def _parts(codes: Codes, width: int) -> Iterator[Codes]:
    """The codes in parts whose bits fit into the processor's cache and a few megabytes."""
    step = max(1, _CELLS // width)
    for start in range(0, len(codes), step):
        yield codes[start : start + step]


@proven("local_response.proof.md", digest="f96e0ac49566783a")
def _offsets(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
