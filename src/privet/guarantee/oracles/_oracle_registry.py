"""All oracles by kind."""

from __future__ import annotations

from privet.errors import UnknownRecord
from privet.guarantee.oracles._bit_flip import BitFlip
from privet.guarantee.oracles._bloom_response import BloomResponse
from privet.guarantee.oracles._chained_response import ChainedHashing, ChainedResponse, ChainedUnary
from privet.guarantee.oracles._generalized_response import GeneralizedResponse
from privet.guarantee.oracles._hadamard_response import HadamardResponse
from privet.guarantee.oracles._local_hashing import FastLocalHashing, LocalHashing
from privet.guarantee.oracles._oracle import Oracle
from privet.guarantee.oracles._sketches import CountMeanSketch, HadamardSketch
from privet.guarantee.oracles._subset_selection import SubsetSelection
from privet.guarantee.oracles._unary_encoding import OptimizedUnary, SymmetricUnary
from privet.guarantee.oracles._window_response import Duchi, Hybrid, Piecewise, SquareWave

ORACLES: dict[str, type[Oracle]] = {
    cls.kind: cls
    for cls in (
        GeneralizedResponse, SymmetricUnary, OptimizedUnary, LocalHashing, FastLocalHashing, SubsetSelection,
        HadamardResponse, BloomResponse, ChainedResponse, ChainedUnary, ChainedHashing, BitFlip, CountMeanSketch,
        HadamardSketch, Duchi, Piecewise, Hybrid, SquareWave,
    )
}  # fmt: skip


def oracle_class(kind: object) -> type[Oracle]:
    """The class of a kind; refuses one that is not known."""
    found = ORACLES.get(kind) if isinstance(kind, str) else None
    if found is None:
        raise UnknownRecord(
            "the oracle is of an unknown kind.", f"Known kinds: {', '.join(sorted(ORACLES))}."
        )
    return found
