"""Every mechanism, one module each: its event, prices, error, cover of a sensitivity and words together.

Whoever adds one writes a class here and a draw with its proof in `privet.mechanism`, and lists it below; accountants,
the calculator and the conformance suite then know it.

One calls: an event by its class, with exact parameters.
Never: draws, or holds a float where a price is decided.
"""

from privet.guarantee.mechanisms._banded_gaussian import (
    BandedGaussian,
    BandedInverseGaussian,
    CorrelatedGaussian,
)
from privet.guarantee.mechanisms._capsule import (
    CONFIDENCE,
    CandidateSelection,
    GaussianNoise,
    LaplaceNoise,
    Mechanism,
    NoiseSpread,
    Parameter,
    PartitionSelection,
    costlier,
    no_noise,
)
from privet.guarantee.mechanisms._distributed_gaussian import DistributedGaussian
from privet.guarantee.mechanisms._gaussian import (
    DiscreteGaussian,
    Gaussian,
    NormedGaussian,
    gaussian_sigma,
    rho_for_error,
)
from privet.guarantee.mechanisms._laplace import DiscreteLaplace, Laplace, epsilon_for_error, laplace_scale
from privet.guarantee.mechanisms._randomized_response import RandomizedResponse
from privet.guarantee.mechanisms._selection import Exponential, PermuteAndFlip
from privet.guarantee.mechanisms._shuffled_reports import ShuffledReports
from privet.guarantee.mechanisms._stated import Opaque, ZeroConcentrated
from privet.guarantee.mechanisms._thresholded_keys import ThresholdedKeys, threshold_for
from privet.guarantee.mechanisms._truncated_keys import TruncatedKeys, bound_for

# In the order in which the calculator lists them.
MECHANISMS: tuple[type[Mechanism], ...] = (
    Laplace,
    DiscreteLaplace,
    Gaussian,
    DiscreteGaussian,
    NormedGaussian,
    DistributedGaussian,
    BandedGaussian,
    BandedInverseGaussian,
    RandomizedResponse,
    Exponential,
    PermuteAndFlip,
    ThresholdedKeys,
    TruncatedKeys,
    ShuffledReports,
    Opaque,
    ZeroConcentrated,
)

__all__ = [  # noqa: RUF022 -- sorted as Python sorts
    "BandedGaussian",
    "BandedInverseGaussian",
    "CONFIDENCE",
    "CandidateSelection",
    "CorrelatedGaussian",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "DistributedGaussian",
    "Exponential",
    "Gaussian",
    "GaussianNoise",
    "Laplace",
    "LaplaceNoise",
    "Mechanism",
    "NoiseSpread",
    "NormedGaussian",
    "Opaque",
    "Parameter",
    "PartitionSelection",
    "PermuteAndFlip",
    "RandomizedResponse",
    "ShuffledReports",
    "ThresholdedKeys",
    "TruncatedKeys",
    "ZeroConcentrated",
    "bound_for",
    "costlier",
    "epsilon_for_error",
    "gaussian_sigma",
    "laplace_scale",
    "no_noise",
    "rho_for_error",
    "threshold_for",
]
