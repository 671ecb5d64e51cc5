"""Local randomisers with a memory: what a device chooses once, what it answers once for a value, and what one report shows.

Four steps, each a function of the one before and of a stream: `own_choice` (the cohort, the hash function, the places: drawn
once for a device), `forms` (what of a value the kept answer depends on: no randomness), `permanent` (the answer that is kept for
a form) and `shown` (one report about it). A device draws the first and the third from streams keyed by its secret, so that
it can draw them again instead of storing them; `respond` draws all of them from one stream, for people who report once.
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
    ChainedHashing,
    ChainedResponse,
    ChainedUnary,
    Oracle,
    pool,
    pooled,
)
from privet.mechanism._local_response import (
    Codes,
    Columns,
    bloom_filters,
    instantaneous_bits,
    kept_or_other,
    permanent_bits,
    respond,
    uniform_sets,
)
from privet.mechanism._proofs import proven
from privet.mechanism._word_stream import WordStream, draw_below, draw_bits

# One row for each device.
Rows = NDArray[np.int64]


@singledispatch
@proven("memoised_response.proof.md", digest="307ab360266579d7")
def own_choice(oracle: Oracle, count: int, stream: WordStream) -> Rows:  # noqa: ARG001
    """What so many devices choose once, before they look at a value; nothing, for most oracles."""
    return np.zeros((count, 0), np.int64)


@own_choice.register
@proven("memoised_response.proof.md", digest="35528465f9171155", events=(BloomResponse,))
def _own_cohort(oracle: BloomResponse, count: int, stream: WordStream) -> Rows:
    return draw_below(stream, count, oracle.cohorts)[:, None]


@own_choice.register
@proven("memoised_response.proof.md", digest="15fa2001987e2720", events=(ChainedHashing,))
def _own_function(oracle: ChainedHashing, count: int, stream: WordStream) -> Rows:
    return draw_below(stream, count, oracle.pool)[:, None]


@own_choice.register
@proven("memoised_response.proof.md", digest="6ef38f6151875516", events=(BitFlip,))
def _own_places(oracle: BitFlip, count: int, stream: WordStream) -> Rows:
    return np.sort(uniform_sets(count, oracle.size, oracle.chosen, stream), axis=1)


@singledispatch
@proven("memoised_response.proof.md", digest="f93d8f70f7c5f2ef")
def forms(oracle: Oracle, codes: Codes, own: Rows, seed: int) -> Codes:  # noqa: ARG001
    """What of each value its kept answer depends on: values with one form share one answer."""
    return codes


@forms.register
@proven("memoised_response.proof.md", digest="59c0da13920f1c43", events=(ChainedHashing,))
def _hash_form(oracle: ChainedHashing, codes: Codes, own: Rows, seed: int) -> Codes:
    return pooled(pool(seed, oracle.pool)[own[:, 0]], codes, oracle.range)


@forms.register
@proven("memoised_response.proof.md", digest="9d6814ace823c71b", events=(BitFlip,))
def _place_form(oracle: BitFlip, codes: Codes, own: Rows, seed: int) -> Codes:
    """The number of the value's place among those of the device, or `chosen` where it is none of them."""
    del seed
    found = own == codes[:, None]
    return np.where(found.any(axis=1), found.argmax(axis=1), oracle.chosen).astype(np.int64)


@singledispatch
@proven("memoised_response.proof.md", digest="d4715dff9274c018")
def permanent(oracle: Oracle, form: Codes, own: Rows, stream: WordStream, seed: int) -> Rows:  # noqa: ARG001
    """The answer that a device keeps for a form.

    Guarantee:
        It is epsilon-locally differentially private, and so are all reports about the form together.
    Assumes:
        The stream is secret and uniform, and the same answer is used whenever the form comes again.
    """
    raise InternalError(f"there is no kept answer for {type(oracle).__name__}.")


@permanent.register(ChainedResponse)
@permanent.register(ChainedHashing)
@proven("memoised_response.proof.md", digest="a5215b376a1d7089", events=(ChainedResponse, ChainedHashing))
def _kept_code(
    oracle: ChainedResponse | ChainedHashing, form: Codes, own: Rows, stream: WordStream, seed: int
) -> Rows:
    del own, seed
    return kept_or_other(form, _outputs(oracle), oracle.odds()[0], stream)[:, None]


@permanent.register
@proven("memoised_response.proof.md", digest="dfb218b76898ac45", events=(ChainedUnary,))
def _kept_bits(oracle: ChainedUnary, form: Codes, own: Rows, stream: WordStream, seed: int) -> Rows:
    del own, seed
    flip = oracle.odds()[0]
    return draw_bits(stream, form, oracle.size, (2**64 - flip, flip)).astype(np.int64)


@permanent.register
@proven("memoised_response.proof.md", digest="e4bb0ab7f708a32d", events=(BloomResponse,))
def _kept_filter(oracle: BloomResponse, form: Codes, own: Rows, stream: WordStream, seed: int) -> Rows:
    return permanent_bits(oracle, bloom_filters(oracle, form, own[:, 0], seed), stream).astype(np.int64)


@permanent.register
@proven("memoised_response.proof.md", digest="6a74388ef6a8c129", events=(BitFlip,))
def _kept_places(oracle: BitFlip, form: Codes, own: Rows, stream: WordStream, seed: int) -> Rows:
    del own, seed
    flip = oracle.odds()[0]
    place = np.where(form < oracle.chosen, form, -1)
    return draw_bits(stream, place, oracle.chosen, (2**64 - flip, flip)).astype(np.int64)


@singledispatch
@proven("memoised_response.proof.md", digest="fff518d9cc0b3e67")
def shown(oracle: Oracle, kept: Rows, own: Rows, stream: WordStream) -> Columns:  # noqa: ARG001
    """One report about each kept answer: post-processing of it, fresh each time."""
    raise InternalError(f"there is no report about a kept answer for {type(oracle).__name__}.")


@shown.register
@proven("memoised_response.proof.md", digest="b269ea506a47120b", events=(ChainedResponse,))
def _shown_code(oracle: ChainedResponse, kept: Rows, own: Rows, stream: WordStream) -> Columns:
    del own
    return {"value": kept_or_other(kept[:, 0], oracle.size, oracle.odds()[1], stream)}


@shown.register
@proven("memoised_response.proof.md", digest="c2ed5962296f1c91", events=(ChainedHashing,))
def _shown_hash(oracle: ChainedHashing, kept: Rows, own: Rows, stream: WordStream) -> Columns:
    return {
        "hash": own[:, 0],
        "value": kept_or_other(kept[:, 0], oracle.range, oracle.odds()[1], stream),
    }


@shown.register
@proven("memoised_response.proof.md", digest="1da2a0ef05078573", events=(ChainedUnary,))
def _shown_bits(oracle: ChainedUnary, kept: Rows, own: Rows, stream: WordStream) -> Columns:
    del own
    flip = oracle.odds()[1]
    turned = draw_bits(stream, np.full(len(kept), -1), oracle.size, (flip, flip))
    return {"bits": np.packbits((kept > 0) ^ turned, axis=1, bitorder="little")}


@shown.register
@proven("memoised_response.proof.md", digest="b109ad228c51ea0c", events=(BloomResponse,))
def _shown_filter(oracle: BloomResponse, kept: Rows, own: Rows, stream: WordStream) -> Columns:
    bits = instantaneous_bits(oracle, kept > 0, stream)
    return {"row": own[:, 0], "bits": np.packbits(bits, axis=1, bitorder="little")}


@shown.register
@proven("memoised_response.proof.md", digest="8d34023e12045c09", events=(BitFlip,))
def _shown_places(oracle: BitFlip, kept: Rows, own: Rows, stream: WordStream) -> Columns:
    """All of it: the bits were turned over once, and are the same in every report."""
    del stream
    return {"values": (np.arange(len(kept) + 1) * oracle.chosen, (2 * own + kept).ravel())}


@respond.register(ChainedResponse)
@respond.register(ChainedUnary)
@respond.register(ChainedHashing)
@respond.register(BitFlip)
@proven(
    "memoised_response.proof.md",
    digest="de10f207c84f9a6e",
    events=(ChainedResponse, ChainedUnary, ChainedHashing, BitFlip),
)
def _once(oracle: Any, codes: Codes, stream: WordStream, seed: int) -> Columns:
    """All steps from one stream: for people who report once."""
    own = own_choice(oracle, len(codes), stream)
    kept = permanent(oracle, forms(oracle, codes, own, seed), own, stream, seed)
    return shown(oracle, kept, own, stream)


@proven("memoised_response.proof.md", digest="2a47f0118e66ecaf")
def _outputs(oracle: ChainedResponse | ChainedHashing) -> int:
    """Among how many codes the answer is kept."""
    return oracle.range if isinstance(oracle, ChainedHashing) else oracle.size
