"""Numbers within bounds: rounded at random to a position, and reported by a window that slides with it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privet.guarantee.oracles import WORD, Hybrid, WindowResponse
from privet.mechanism._local_response import Codes, Columns
from privet.mechanism._proofs import proven
from privet.mechanism._word_stream import WordStream, draw_below, draw_chance


@proven("window_response.proof.md", digest="37d7159a4232a6b8", events=(WindowResponse, Hybrid))
def respond_number(oracle: WindowResponse, shares: NDArray[np.float64], stream: WordStream) -> Columns:
    """The reports of numbers given as shares of their bounds, from 0 to 1; numbers outside count as the nearest bound.

    Guarantee:
        Each report is epsilon-locally differentially private.
    Assumes:
        The stream is secret and uniform, and each number is used for one report.
    """
    inside = np.clip(np.nan_to_num(shares, nan=0.0), 0.0, 1.0)
    if not isinstance(oracle, Hybrid):
        return {"value": slid_window(oracle, rounded(inside, oracle.steps, stream), stream)}
    coin = (
        draw_chance(stream, len(inside), oracle.mixed) if oracle.mixed < WORD else np.ones(len(inside), bool)
    )
    out = np.empty(len(inside), np.int64)
    tossed, slid = np.flatnonzero(coin), np.flatnonzero(~coin)
    out[tossed] = oracle.outputs + slid_window(oracle.coin, rounded(inside[tossed], 1, stream), stream)
    out[slid] = slid_window(oracle, rounded(inside[slid], oracle.steps, stream), stream)
    return {"value": out}


@proven("window_response.proof.md", digest="729eb66c2f2e35a2")
def rounded(shares: NDArray[np.float64], steps: int, stream: WordStream) -> Codes:
    """Each share as one of the two positions around it, so that the mean is the share."""
    exact = shares * steps
    below = np.floor(exact)
    up = (stream.words(len(shares)) >> np.uint64(11)).astype(np.float64) * 2.0**-53 < exact - below
    return np.asarray(below + up, np.int64)


@proven("window_response.proof.md", digest="187b10c55c69b787", events=(WindowResponse,))
def slid_window(oracle: WindowResponse, positions: Codes, stream: WordStream) -> Codes:
    """One of the outputs in the window of each position, or one of the others."""
    likely = draw_chance(stream, len(positions), oracle.odds()[0])
    out = np.empty(len(positions), np.int64)
    inside, outside = np.flatnonzero(likely), np.flatnonzero(~likely)
    out[inside] = positions[inside] + draw_below(stream, inside.size, oracle.window)
    drawn = draw_below(stream, outside.size, oracle.steps)
    out[outside] = np.where(drawn < positions[outside], drawn, drawn + oracle.window)
    return out
