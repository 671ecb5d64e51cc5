"""Discrete Laplace noise: integer noise for pure differential privacy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privet.guarantee import DiscreteLaplace
from privet.ledger import Permit
from privet.mechanism import _opendp_samplers as opendp_samplers
from privet.mechanism._noise_scales import scale_of
from privet.mechanism._proofs import proven
from privet.mechanism._saturation import add_noise
from privet.mechanism._sealed_access import open_sealed
from privet.sealed import Sealed


@proven("discrete_laplace.proof.md", digest="95eb7c107ebc970c", events=(DiscreteLaplace,))
def discrete_laplace(answer: Sealed, permit: Permit) -> NDArray[np.int64]:
    """The answer with independent discrete Laplace noise of the permit's scale in every entry.

    Guarantee:
        Pure differential privacy at total / scale (Ghosh, Roughgarden and Sundararajan 2009); values beyond
        2^61 are shown as 2^61.
    Assumes:
        The seal states the answer's true L1 sensitivity for the ledger's privacy unit.
    """
    event, exact = open_sealed(answer, permit, DiscreteLaplace)
    noise = opendp_samplers.draw_discrete_laplace(len(exact), scale_of(event, answer.sensitivity))
    return add_noise(exact, noise)
