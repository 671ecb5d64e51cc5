"""Choosing the best of several candidates, once or in each of many groups: exponential mechanism, permute-and-flip."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privet.errors import NothingToChoose
from privet.guarantee import Exponential, PermuteAndFlip, Repeated
from privet.ledger import Permit
from privet.mechanism import _opendp_samplers as opendp_samplers
from privet.mechanism._noise_scales import scale_of
from privet.mechanism._proofs import proven
from privet.mechanism._sealed_access import open_sealed
from privet.sealed import Sealed


@proven("exponential_selection.proof.md", digest="6ad5bca8cc2b8859", events=(Exponential, PermuteAndFlip))
def select(scores: Sealed, permit: Permit) -> int:
    """The index of a candidate whose score is near the highest; the permit says by which mechanism.

    Permute-and-flip is never worse on average; the exponential mechanism composes more tightly.

    Guarantee:
        Pure differential privacy at epsilon; for the exponential mechanism, bounded range epsilon as well.
    Assumes:
        The list of candidates is public, and one privacy unit moves each score by at most the seal's `largest`
        (all scores may move at once).
    """
    if type(scores) is Sealed and not len(scores):
        raise NothingToChoose("there are no candidates to choose from.", "Give at least one candidate.")
    event, exact = open_sealed(scores, permit, Exponential, PermuteAndFlip)
    scale = scale_of(event, scores.sensitivity)
    return opendp_samplers.draw_noisy_max(
        exact, scale, "gumbel" if isinstance(event, Exponential) else "exponential"
    )


@proven("exponential_selection.proof.md", digest="f10516ea0dba0677", events=(Exponential, PermuteAndFlip))
def select_each(scores: Sealed, permit: Permit) -> NDArray[np.int64]:
    """In each block of the scores, the index of a candidate whose score is near the block's highest.

    The permit's event is `Repeated(selection, count)`: one unit may change the scores of at most `count` blocks.

    Guarantee:
        What `count` selections guarantee together, however many blocks there are.
    Assumes:
        The candidates of a block are public, one privacy unit changes at most the seal's `blocks` blocks, and
        moves each score in them by at most its `largest`.
    """
    event, exact = open_sealed(scores, permit, Repeated)
    scale = scale_of(event, scores.sensitivity)
    blocks = exact.reshape(-1, scores.sensitivity.block)
    drawn = [
        opendp_samplers.draw_noisy_max(
            block, scale, "gumbel" if isinstance(event.event, Exponential) else "exponential"
        )
        for block in blocks
    ]
    return np.array(drawn, dtype=np.int64)
