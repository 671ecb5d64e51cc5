"""The few randomised primitives. Each opens a sealed answer with a permit, and noises it in the same breath.

The permit's event decides the noise; the seal's sensitivity decides whether that noise is enough. A short
proof lies beside each primitive (`laplace.proof.md`, …) and is tied to its source by a digest, so that
neither changes without the other being read again (`privet.mechanism.proofs`).
"""

from privet.mechanism.explain import Explanation, explain
from privet.mechanism.gaussian import discrete_gaussian
from privet.mechanism.generators import fresh_generator
from privet.mechanism.gradient_noise import NoiseStream
from privet.mechanism.laplace import discrete_laplace
from privet.mechanism.objective import Geometry, Perturbation
from privet.mechanism.response import randomized_response
from privet.mechanism.secret_seed import SecretSeed
from privet.mechanism.selection import select, select_each
from privet.mechanism.thresholding import ShownKeys, reveal_keys, thresholded_keys
from privet.mechanism.trials import Trial
from privet.mechanism.truncating import truncated_keys

__all__ = [
    "Explanation",
    "Geometry",
    "NoiseStream",
    "Perturbation",
    "SecretSeed",
    "ShownKeys",
    "Trial",
    "discrete_gaussian",
    "discrete_laplace",
    "explain",
    "fresh_generator",
    "randomized_response",
    "reveal_keys",
    "select",
    "select_each",
    "thresholded_keys",
    "truncated_keys",
]
