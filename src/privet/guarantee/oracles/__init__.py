"""Oracles of local differential privacy: exact odds, variances and matrices, as pure values.

One calls: `ORACLES`, `oracle_class(kind).made(epsilon, size, settings)`.
Never: draws, or states an epsilon that its matrix does not have.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.guarantee.oracles._bit_flip import BitFlip as BitFlip
    from privet.guarantee.oracles._bloom_response import BloomResponse as BloomResponse
    from privet.guarantee.oracles._chained_response import ChainedHashing as ChainedHashing
    from privet.guarantee.oracles._chained_response import ChainedResponse as ChainedResponse
    from privet.guarantee.oracles._chained_response import ChainedUnary as ChainedUnary
    from privet.guarantee.oracles._generalized_response import GeneralizedResponse as GeneralizedResponse
    from privet.guarantee.oracles._hadamard_response import HadamardResponse as HadamardResponse
    from privet.guarantee.oracles._hash_family import factors as factors
    from privet.guarantee.oracles._hash_family import hashed as hashed
    from privet.guarantee.oracles._hash_family import mixed as mixed
    from privet.guarantee.oracles._hash_family import pool as pool
    from privet.guarantee.oracles._hash_family import pool_sums as pool_sums
    from privet.guarantee.oracles._hash_family import pooled as pooled
    from privet.guarantee.oracles._hash_family import pooled_each as pooled_each
    from privet.guarantee.oracles._hash_family import text_words as text_words
    from privet.guarantee.oracles._hash_family import window as window
    from privet.guarantee.oracles._local_hashing import FastLocalHashing as FastLocalHashing
    from privet.guarantee.oracles._local_hashing import LocalHashing as LocalHashing
    from privet.guarantee.oracles._oracle import MOST_VALUES as MOST_VALUES
    from privet.guarantee.oracles._oracle import Oracle as Oracle
    from privet.guarantee.oracles._oracle import SupportOracle as SupportOracle
    from privet.guarantee.oracles._oracle import largest_log_ratio as largest_log_ratio
    from privet.guarantee.oracles._oracle_registry import ORACLES as ORACLES
    from privet.guarantee.oracles._oracle_registry import oracle_class as oracle_class
    from privet.guarantee.oracles._response_memory import ResponseMemory as ResponseMemory
    from privet.guarantee.oracles._response_memory import memory_of as memory_of
    from privet.guarantee.oracles._sketches import CountMeanSketch as CountMeanSketch
    from privet.guarantee.oracles._sketches import HadamardSketch as HadamardSketch
    from privet.guarantee.oracles._subset_selection import SubsetSelection as SubsetSelection
    from privet.guarantee.oracles._text_marks import CHECKS as CHECKS
    from privet.guarantee.oracles._text_marks import fragment_marks as fragment_marks
    from privet.guarantee.oracles._text_marks import text_checks as text_checks
    from privet.guarantee.oracles._text_marks import text_marks as text_marks
    from privet.guarantee.oracles._unary_encoding import OptimizedUnary as OptimizedUnary
    from privet.guarantee.oracles._unary_encoding import SymmetricUnary as SymmetricUnary
    from privet.guarantee.oracles._unary_encoding import UnaryEncoding as UnaryEncoding
    from privet.guarantee.oracles._window_response import Duchi as Duchi
    from privet.guarantee.oracles._window_response import Hybrid as Hybrid
    from privet.guarantee.oracles._window_response import Piecewise as Piecewise
    from privet.guarantee.oracles._window_response import SquareWave as SquareWave
    from privet.guarantee.oracles._window_response import WindowResponse as WindowResponse
    from privet.guarantee.oracles._word_odds import LARGEST_EPSILON as LARGEST_EPSILON
    from privet.guarantee.oracles._word_odds import WORD as WORD
    from privet.guarantee.oracles._word_odds import admitted as admitted
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
