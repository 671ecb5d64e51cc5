"""Every mechanism, one module each: its event, prices, error, cover of a sensitivity and words together.

Whoever adds one writes a class here and a draw with its proof in `privet.mechanism`, and lists it below; accountants,
the calculator and the conformance suite then know it.
"""

from privet.guarantee.mechanisms.capsule import (
    CandidateSelection,
    GaussianNoise,
    LaplaceNoise,
    Mechanism,
    PartitionSelection,
)
from privet.guarantee.mechanisms.gaussian import DiscreteGaussian, Gaussian
from privet.guarantee.mechanisms.laplace import DiscreteLaplace, Laplace
from privet.guarantee.mechanisms.randomized_response import RandomizedResponse
from privet.guarantee.mechanisms.selection import Exponential, PermuteAndFlip
from privet.guarantee.mechanisms.stated import Opaque, ZeroConcentrated
from privet.guarantee.mechanisms.thresholded_keys import ThresholdedKeys
from privet.guarantee.mechanisms.truncated_keys import TruncatedKeys

# In the order in which the calculator lists them.
MECHANISMS: tuple[type[Mechanism], ...] = (
    Laplace,
    DiscreteLaplace,
    Gaussian,
    DiscreteGaussian,
    RandomizedResponse,
    Exponential,
    PermuteAndFlip,
    ThresholdedKeys,
    TruncatedKeys,
    Opaque,
    ZeroConcentrated,
)

__all__ = [
    "CandidateSelection",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "Exponential",
    "Gaussian",
    "GaussianNoise",
    "Laplace",
    "LaplaceNoise",
    "Mechanism",
    "Opaque",
    "PartitionSelection",
    "PermuteAndFlip",
    "RandomizedResponse",
    "ThresholdedKeys",
    "TruncatedKeys",
    "ZeroConcentrated",
]
