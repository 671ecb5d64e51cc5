"""Discrete Gaussian noise: integer noise for concentrated differential privacy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privet.guarantee import DiscreteGaussian, NormedGaussian
from privet.ledger import Permit
from privet.mechanism import _opendp_samplers as opendp_samplers
from privet.mechanism._noise_scales import scale_of
from privet.mechanism._proofs import proven
from privet.mechanism._saturation import add_noise
from privet.mechanism._sealed_access import open_sealed
from privet.sealed import Sealed


@proven("discrete_gaussian.proof.md", digest="a70c27dd63aa568e", events=(DiscreteGaussian, NormedGaussian))
def discrete_gaussian(answer: Sealed, permit: Permit) -> NDArray[np.int64]:
    """The answer with independent discrete Gaussian noise of the permit's sigma in every entry.

    Guarantee:
        Concentrated differential privacy (zCDP) at coordinates · sensitivity² / 2 sigma² (Canonne, Kamath and
        Steinke 2020, Theorem 4), or at norm² / 2 sigma² where the permit bounds the change as a whole; values beyond 2^61 are shown as 2^61.
    Assumes:
        The seal states how many entries one privacy unit can change, and by how much each.
    """
    event, exact = open_sealed(answer, permit, DiscreteGaussian, NormedGaussian)
    noise = opendp_samplers.draw_discrete_gaussian(len(exact), scale_of(event, answer.sensitivity))
    return add_noise(exact, noise)
