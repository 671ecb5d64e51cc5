"""Randomised response: each person's own answer is randomised before anyone collects it."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from privet.errors import OutOfRange
from privet.guarantee import RandomizedResponse, readable
from privet.ledger import Permit
from privet.mechanism import _opendp_samplers as opendp_samplers
from privet.mechanism._noise_scales import check_drawable
from privet.mechanism._proofs import proven
from privet.mechanism._sealed_access import open_sealed
from privet.sealed import Sealed, Sensitivity

LARGEST_BUCKETS = 2**32
LEAST_REPLACED = Fraction(1, 2**60)


@proven("randomized_response.proof.md", digest="74b63636a11a4706", events=(RandomizedResponse,))
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
    return opendp_samplers.draw_randomized_response(inside, event.p, event.buckets)


@check_drawable.register(RandomizedResponse)
@proven("randomized_response.proof.md", digest="c35faa76ccd5800d")
def check_response(event: RandomizedResponse, sensitivity: Sensitivity) -> None:
    """Refuse what the sampler cannot serve: too many buckets, and too rare a replacement."""
    del sensitivity
    if event.buckets > LARGEST_BUCKETS:
        raise OutOfRange(
            f"randomised response over more than {LARGEST_BUCKETS} buckets is not drawn.",
            "Group the answers into fewer buckets.",
        )
    if event.p < LEAST_REPLACED:
        raise OutOfRange(
            "a probability this small replaces no answer in practice: nothing would be hidden.",
            f"Use p of at least {readable(LEAST_REPLACED)}.",
        )
