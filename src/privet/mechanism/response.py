"""Randomised response: each person's own answer is randomised before anyone collects it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privet.guarantee.events import RandomizedResponse
from privet.ledger import Permit
from privet.mechanism import sampling
from privet.mechanism.opening import open_sealed
from privet.mechanism.proofs import proven
from privet.sealed import Sealed


@proven("response.proof.md", digest="fb61aa8b6fb767f6")
def randomized_response(answers: Sealed, permit: Permit) -> NDArray[np.int64]:
    """Each answer, a number in range(buckets), replaced with probability p by a uniformly random one.

    An answer outside the range counts as the nearest bucket: an error would say something about it.

    Guarantee:
        Each person's answer is (local) differentially private at log(1 + buckets·(1 - p)/p).
    Assumes:
        Each person gives one answer.
    """
    event, exact = open_sealed(answers, permit, RandomizedResponse)
    inside = np.clip(exact, 0, event.buckets - 1)
    return sampling.draw_randomized_response(inside, event.p, event.buckets)
