"""A share of Gaussian noise: what one site adds to its answer before it is masked and summed with those of others."""

from __future__ import annotations

import numpy as np

from privet.guarantee import DistributedGaussian
from privet.ledger import Permit
from privet.mechanism import _opendp_samplers as opendp_samplers
from privet.mechanism._noise_scales import scale_of
from privet.mechanism._proofs import proven
from privet.mechanism._sealed_access import open_sealed
from privet.sealed import Sealed
from privet.sharing import Contribution

# So many fine steps of a thousand sites add up to less than 2^62.
LARGEST_SUMMAND = 2**52


@proven("distributed_gaussian.proof.md", digest="18e72af2161eabf8", events=(DistributedGaussian,))
def noise_share(answer: Sealed, permit: Permit) -> Contribution:
    """The answer in fine steps with one share of noise in every entry, under seal: it is for a secure sum and nothing else.

    Guarantee:
        Of a sum that holds at least as many shares as the permit states, beside those of sites that conspire: concentrated
        differential privacy (zCDP) for this site's rows, at the price of the event (Kairouz, Liu and Steinke 2021).
    Assumes:
        The seal states the answer's true sensitivity; that many other honest sites add a share of at least this sigma to the same
        sum; and nothing but the sum is seen of what they add (`privet.sharing`).
    """
    event, exact = open_sealed(answer, permit, DistributedGaussian)
    noise = opendp_samplers.draw_discrete_gaussian(len(exact), scale_of(event, answer.sensitivity))
    reach = LARGEST_SUMMAND // event.steps
    return Contribution(np.clip(exact, -reach, reach) * event.steps + noise)
