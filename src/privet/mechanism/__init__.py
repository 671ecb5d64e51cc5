"""The few randomised primitives. Each opens a sealed answer with a permit, and noises it in the same breath.

The permit's event decides the noise; the seal's sensitivity decides whether that noise is enough. A short
proof lies beside each primitive (`discrete_laplace.proof.md`, …) and is tied to its source by a digest, so that
neither changes without the other being read again (`privet.mechanism._proofs`).

All of it is loaded at once: a draw registers its proof and its sampler's limits. OpenDP waits for the first draw.

One calls: `discrete_laplace`, `discrete_gaussian`, `select`, `thresholded_keys`, … with a `Sealed` value and a permit.
Never: draws without a permit, or opens a seal that its event does not cover.
"""

from privet.mechanism._discrete_gaussian import discrete_gaussian
from privet.mechanism._discrete_laplace import discrete_laplace
from privet.mechanism._exponential_selection import select, select_each
from privet.mechanism._generators import fresh_generator, shared_state
from privet.mechanism._gradient_noise import NoiseStep, NoiseStream, generator_of
from privet.mechanism._key_material import fresh_bytes
from privet.mechanism._mechanism_explanation import MechanismExplanation, explain
from privet.mechanism._objective_noise import Geometry, Perturbation, perturbation
from privet.mechanism._private_trials import Trial, trials
from privet.mechanism._randomized_response import randomized_response
from privet.mechanism._secret_seed import SecretSeed
from privet.mechanism._thresholded_keys import ShownKeys, reveal_keys, thresholded_keys
from privet.mechanism._truncated_keys import truncated_keys

__all__ = [
    "Geometry",
    "MechanismExplanation",
    "NoiseStep",
    "NoiseStream",
    "Perturbation",
    "SecretSeed",
    "ShownKeys",
    "Trial",
    "discrete_gaussian",
    "discrete_laplace",
    "explain",
    "fresh_bytes",
    "fresh_generator",
    "generator_of",
    "perturbation",
    "randomized_response",
    "reveal_keys",
    "select",
    "select_each",
    "shared_state",
    "thresholded_keys",
    "trials",
    "truncated_keys",
]
