"""How many promoted values one report of an oracle can be made to support, and how many people fake reports add to them."""

from __future__ import annotations

from fractions import Fraction
from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.attacks._seeded_generator import Draw
from privet.attacks.local._report_likelihoods import columns_of, likelihoods
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
    SupportOracle,
    SymmetricUnary,
    hashed,
    pool,
    pooled,
)

_SEARCHED = 2_000  # hash functions of their own that forgers look through


def support_chances(oracle: Oracle) -> tuple[float, float]:
    """The chances that an honest report supports its own value, and a given other one; as the estimate corrects for."""
    if isinstance(oracle, HadamardSketch):
        kept = 1 - Fraction(oracle.odds()[0], WORD)
        half = Fraction(1, 2)
        return float(kept), float(half + (kept - half) / oracle.width)
    if isinstance(oracle, CountMeanSketch):
        own, other = (Fraction(words, WORD) for words in oracle.odds())
        return float(own), float(other + (own - other) / oracle.width)
    if isinstance(oracle, SupportOracle):
        own, other = oracle.support()
        return float(own), float(other)
    raise _unknown(oracle)


def _unknown(oracle: Oracle) -> BadAttack:
    """Why fake reports are not followed here."""
    why = (
        "a regression over all filters decodes these reports, so that one report has no share of an estimate of its own"
        if isinstance(oracle, BloomResponse)
        else "what one report adds to an estimate is not known here"
    )
    return BadAttack(f"{why}.", "Try an oracle whose reports are added up, such as oue or flh.")


@singledispatch
def most_supported(oracle: Oracle, promoted: int) -> int:  # noqa: ARG001
    """The most of so many promoted values that one report can support: all of them, unless the oracle limits it."""
    return promoted


@most_supported.register
def _one(oracle: GeneralizedResponse, promoted: int) -> int:
    del oracle, promoted
    return 1


@most_supported.register
def _chosen(oracle: SubsetSelection, promoted: int) -> int:
    return min(oracle.chosen, promoted)


@singledispatch
def crafted(oracle: Oracle, promoted: NDArray[np.int64], fakes: int, seed: int, draw: Draw) -> int:  # noqa: ARG001
    """How often so many fake reports support the promoted values together, each made to support as many as it can."""
    raise _unknown(oracle)


@crafted.register(GeneralizedResponse)
@crafted.register(SymmetricUnary)
@crafted.register(OptimizedUnary)
@crafted.register(SubsetSelection)
def _stated(oracle: Oracle, promoted: NDArray[np.int64], fakes: int, seed: int, draw: Draw) -> int:
    """The report names values itself: it names as many promoted ones as it may."""
    del seed, draw
    return fakes * most_supported(oracle, len(promoted))


@crafted.register
def _searched(oracle: LocalHashing, promoted: NDArray[np.int64], fakes: int, seed: int, draw: Draw) -> int:
    """Of many hash functions, the one under which most promoted values fall together."""
    del seed
    functions = draw.integers(0, 2**64, _SEARCHED, np.uint64)
    return fakes * _together(hashed(functions[:, None], promoted[None], oracle.range))


@crafted.register
def _pooled(oracle: FastLocalHashing, promoted: NDArray[np.int64], fakes: int, seed: int, draw: Draw) -> int:
    del draw
    return fakes * _together(pooled(pool(seed, oracle.pool)[:, None], promoted[None], oracle.range))


@crafted.register
def _sketch(oracle: CountMeanSketch, promoted: NDArray[np.int64], fakes: int, seed: int, draw: Draw) -> int:
    """In any row the bits of all promoted values can be set."""
    del oracle, seed, draw
    return fakes * len(promoted)


@crafted.register
def _signs(oracle: HadamardSketch, promoted: NDArray[np.int64], fakes: int, seed: int, draw: Draw) -> int:
    """The first entry of every row has the same sign for all values, so that one sign supports them all."""
    del oracle, seed, draw
    return fakes * len(promoted)


@singledispatch
def honest_people(oracle: Oracle, reports: Any, promoted: NDArray[np.int64], seed: int) -> float:
    """The people that reports add to the estimates of the promoted values together."""
    own, other = support_chances(oracle)
    said = likelihoods(oracle, reports, promoted, seed)
    return float(((said > 0) - other).sum()) / (own - other)


@honest_people.register
def _in_blocks(oracle: HadamardResponse, reports: Any, promoted: NDArray[np.int64], seed: int) -> float:
    """A report adds to the values of its block alone: something where its entry is positive, and the opposite elsewhere."""
    del seed
    block, place = np.divmod(columns_of(reports, oracle)["value"][:, None], oracle.width)
    signs = 1 - 2 * (np.bitwise_count(place & (promoted // oracle.blocks + 1)) % 2).astype(np.int64)
    return float((signs * (block == promoted % oracle.blocks)).sum()) / (2 * oracle.moments()[0])


@honest_people.register
def _looked_at(oracle: BitFlip, reports: Any, promoted: NDArray[np.int64], seed: int) -> float:
    """A report adds to the values whose bits its device looks at."""
    said = likelihoods(oracle, reports, promoted, seed)
    shown, hidden = _shown_bit(oracle)
    return float((said > 0).sum() * shown - (said < 0).sum() * hidden)


def _shown_bit(oracle: BitFlip) -> tuple[float, float]:
    """The people that a bit adds where it is 1, and takes where it is 0 (Ding, Kulkarni and Yekhanin 2017)."""
    flip = oracle.odds()[0] / WORD
    scale = oracle.size / oracle.chosen / (1 - 2 * flip)
    return scale * (1 - flip), scale * flip


@singledispatch
def fake_people(oracle: Oracle, promoted: NDArray[np.int64], fakes: int, seed: int, draw: Draw) -> float:
    """The people that so many fake reports add to the promoted values together."""
    own, other = support_chances(oracle)
    return (crafted(oracle, promoted, fakes, seed, draw) - len(promoted) * other * fakes) / (own - other)


@fake_people.register(HadamardResponse)
@fake_people.register(BitFlip)
def _as_many_as_can_be(
    oracle: Oracle, promoted: NDArray[np.int64], fakes: int, seed: int, draw: Draw
) -> float:
    """The first entry of a block is positive for all of its values; and a device says itself which bits it looks at."""
    del seed, draw
    return fakes * most_people(oracle, promoted)


@singledispatch
def most_people(oracle: Oracle, promoted: NDArray[np.int64]) -> float:
    """The most people that one report can add to the promoted values together."""
    own, other = support_chances(oracle)
    return (most_supported(oracle, len(promoted)) - len(promoted) * other) / (own - other)


@most_people.register
def _in_one_block(oracle: HadamardResponse, promoted: NDArray[np.int64]) -> float:
    together = np.bincount(promoted % oracle.blocks, minlength=oracle.blocks).max()
    return float(together) / (2 * oracle.moments()[0])


@most_people.register
def _all_that_are_looked_at(oracle: BitFlip, promoted: NDArray[np.int64]) -> float:
    return min(oracle.chosen, len(promoted)) * _shown_bit(oracle)[0]


def _together(hashes: NDArray[np.int64]) -> int:
    """The most values that share a hash under one function."""
    same = hashes[:, :, None] == hashes[:, None, :]
    return int(same.sum(axis=2).max())
