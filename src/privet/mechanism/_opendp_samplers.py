"""The noise itself: the one module that calls OpenDP.

OpenDP samples by exact rational arithmetic from cryptographic randomness (OpenSSL), so there are no gaps
between floats to leak through. Every function here draws from public parameters, apart from `draw_noisy_max`
and `draw_randomized_response`, whose output depends on the values at random. Callers reach these functions
through the module (`sampling.draw_…`), so that a test of logic can put still noise in their place.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from privet.errors import InternalError
from privet.guarantee import float_down, float_up
from privet.mechanism._proofs import proven

# Draws pass through Python lists; pieces of this size bound the memory they take.
PIECE = 2**18


@proven("opendp_samplers.proof.md", digest="8062f8c5bd424144")
def draw_discrete_laplace(n: int, scale: float) -> NDArray[np.int64]:
    """`n` independent integers with P[z] proportional to exp(-|z| / scale), saturated at 64 bits."""
    return _draw_pieces(_laplace(_positive(scale)), n)


@proven("opendp_samplers.proof.md", digest="05deb6270b56b68f")
def draw_discrete_gaussian(n: int, sigma: float) -> NDArray[np.int64]:
    """`n` independent integers with P[z] proportional to exp(-z² / 2 sigma²), saturated at 64 bits."""
    return _draw_pieces(_gaussian(_positive(sigma)), n)


@proven("opendp_samplers.proof.md", digest="74182440aa7c1b1a")
def draw_noisy_max(scores: NDArray[np.int64], scale: float, noise: Literal["gumbel", "exponential"]) -> int:
    """The index of the largest score after adding independent real noise of the given scale to each."""
    return int(_noisy_max(_positive(scale), noise)(scores.tolist()))


@proven("opendp_samplers.proof.md", digest="cfbbd47fb87f833c")
def draw_randomized_response(values: NDArray[np.int64], p: Fraction, buckets: int) -> NDArray[np.int64]:
    """Each value replaced, with probability `p` or a hair more, by a uniform draw from range(buckets)."""
    keep = 1 - p
    if 2 * keep <= 1:
        kept = _draw_coins(len(values), float_down(keep))
    else:
        kept = ~_draw_coins(len(values), float_up(p))
    return np.where(kept, values, _draw_uniform(len(values), buckets))


@proven("opendp_samplers.proof.md", digest="a3457ad0afbab0f3")
def _draw_pieces(measurement: Any, n: int) -> NDArray[np.int64]:
    """Noise on `n` zeros, drawn piece by piece."""
    noise = np.empty(n, dtype=np.int64)
    for start in range(0, n, PIECE):
        piece = noise[start : start + PIECE]
        piece[:] = measurement([0] * len(piece))
    return noise


@proven("opendp_samplers.proof.md", digest="00f3a66095add6c3")
def _draw_coins(n: int, chance: float) -> NDArray[np.bool_]:
    """`n` independent coins that are true with exactly this chance, at most one half.

    OpenDP's randomised response on bits turns each zero bit into a one with probability f/2.
    """
    if n == 0 or chance == 0:
        return np.zeros(n, dtype=np.bool_)
    packed = _bit_response(2 * chance)(bytes((n + 7) // 8))
    return np.unpackbits(np.frombuffer(packed, dtype=np.uint8), count=n).astype(np.bool_)


@proven("opendp_samplers.proof.md", digest="263b1582d3427192")
def _draw_uniform(n: int, buckets: int) -> NDArray[np.int64]:
    """`n` independent uniform draws from range(buckets): fair coins as binary digits, too large ones drawn anew."""
    digits = (buckets - 1).bit_length()
    weights = 1 << np.arange(digits, dtype=np.int64)
    drawn = np.full(n, buckets, dtype=np.int64)
    while (missing := np.flatnonzero(drawn >= buckets)).size:
        coins = _draw_coins(missing.size * digits, 0.5).reshape(missing.size, digits)
        drawn[missing] = coins @ weights
    return drawn


@proven("opendp_samplers.proof.md", digest="9b78c2d6428ead25")
def _positive(scale: float) -> float:
    """The scale, if it is one: OpenDP reads scale zero as a wish for no noise."""
    if not 0 < scale < float("inf"):
        raise InternalError("noise needs a positive, finite scale.")
    return float(scale)


# --- measurements, built once for each parameter -----------------------------------------------


@proven("opendp_samplers.proof.md", digest="94c6443da7a0ef4c")
def _opendp() -> Any:
    # Not `opendp.prelude`: it loads every library that OpenDP can work with.
    from opendp import domains, measurements, measures, metrics
    from opendp.mod import enable_features

    # The samplers have proofs upstream; "contrib" also stands for constructors that have not been vetted
    # by a second reader there, which is why ours are tested statistically.
    enable_features("contrib")
    return SimpleNamespace(m=measurements, **vars(domains) | vars(metrics) | vars(measures))


@lru_cache(maxsize=64)
@proven("opendp_samplers.proof.md", digest="c7f24036c51c3d97")
def _laplace(scale: float) -> Any:
    dp = _opendp()
    return dp.m.make_laplace(dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64"), scale=scale)


@lru_cache(maxsize=64)
@proven("opendp_samplers.proof.md", digest="5afda3b6105f9cb7")
def _gaussian(scale: float) -> Any:
    dp = _opendp()
    return dp.m.make_gaussian(dp.vector_domain(dp.atom_domain(T="i64")), dp.l2_distance(T="f64"), scale=scale)


@lru_cache(maxsize=64)
@proven("opendp_samplers.proof.md", digest="932e79898a634456")
def _noisy_max(scale: float, noise: Literal["gumbel", "exponential"]) -> Any:
    dp = _opendp()
    # OpenDP picks the noise by the measure: exponential for pure, Gumbel for concentrated privacy.
    measure = dp.zero_concentrated_divergence() if noise == "gumbel" else dp.max_divergence()
    domain = dp.vector_domain(dp.atom_domain(T="i64"))
    return dp.m.make_noisy_max(domain, dp.linf_distance(T="i64"), measure, scale=scale)


@lru_cache(maxsize=64)
@proven("opendp_samplers.proof.md", digest="5e1e49bf0b8b23c3")
def _bit_response(f: float) -> Any:
    dp = _opendp()
    # The weight bound enters OpenDP's own price only, which is not used here: the bits carry no data.
    return dp.m.make_randomized_response_bitvec(
        dp.bitvector_domain(max_weight=1), dp.discrete_distance(), f=f
    )
