"""Choosing the best of several candidates: the exponential mechanism and permute-and-flip."""

from __future__ import annotations

from privet.errors import NothingToChoose
from privet.guarantee.events import Exponential, PermuteAndFlip
from privet.ledger import Permit
from privet.mechanism import sampling
from privet.mechanism.opening import open_sealed
from privet.mechanism.proofs import proven
from privet.mechanism.scales import scale_of
from privet.sealed import Sealed


@proven("selection.proof.md", digest="2506ccbc30ba0e34")
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
    return sampling.draw_noisy_max(
        exact, scale, "gumbel" if isinstance(event, Exponential) else "exponential"
    )
