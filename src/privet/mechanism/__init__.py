"""The few randomised primitives. Each opens a sealed answer with a permit, and noises it in the same breath.

The permit's event decides the noise; the seal's sensitivity decides whether that noise is enough. A short
proof lies beside each primitive (`discrete_laplace.proof.md`, …) and is tied to its source by a digest, so that
neither changes without the other being read again (`privet.mechanism._proofs`).

All of it is loaded at once: a draw registers its proof and its sampler's limits. OpenDP waits for the first draw.

One calls: `discrete_laplace`, `discrete_gaussian`, `select`, `thresholded_keys`, … with a `Sealed` value and a permit;
on a device, where there is neither, `respond` with an oracle of a public specification and a `WordStream`.
Never: opens a seal without a permit, or with one that does not cover it.
"""

from privet.mechanism._correlated_noise import CorrelatedStep, CorrelatedStream
from privet.mechanism._discrete_gaussian import discrete_gaussian
from privet.mechanism._discrete_laplace import discrete_laplace
from privet.mechanism._distributed_gaussian import noise_share
from privet.mechanism._embedding_noise import embedding_noise, euclidean_laplace
from privet.mechanism._exponential_selection import select, select_each
from privet.mechanism._generators import Draws, fresh_generator, shared_state
from privet.mechanism._gradient_noise import NoiseStep, NoiseStream, generator_of
from privet.mechanism._key_material import fresh_bytes
from privet.mechanism._local_response import (
    Columns,
    bloom_filters,
    instantaneous_bits,
    permanent_bits,
    pooled_hash,
    respond,
    sketched_bits,
    uniform_sets,
)
from privet.mechanism._mechanism_explanation import MechanismExplanation, explain
from privet.mechanism._memoised_response import forms, own_choice, permanent, shown
from privet.mechanism._objective_noise import Geometry, Perturbation, perturbation
from privet.mechanism._pac_gaussian import Basis, check_release, pac_gaussian
from privet.mechanism._private_trials import Trial, trials
from privet.mechanism._randomized_response import randomized_response
from privet.mechanism._secret_seed import SecretSeed
from privet.mechanism._secret_world import SecretWorld
from privet.mechanism._thresholded_keys import ShownKeys, reveal_keys, thresholded_keys
from privet.mechanism._truncated_keys import truncated_keys
from privet.mechanism._window_response import respond_number
from privet.mechanism._word_stream import WordStream, draw_below, draw_bits, draw_chance

__all__ = [
    "Basis",
    "Columns",
    "CorrelatedStep",
    "CorrelatedStream",
    "Draws",
    "Geometry",
    "MechanismExplanation",
    "NoiseStep",
    "NoiseStream",
    "Perturbation",
    "SecretSeed",
    "SecretWorld",
    "ShownKeys",
    "Trial",
    "WordStream",
    "bloom_filters",
    "check_release",
    "discrete_gaussian",
    "discrete_laplace",
    "draw_below",
    "draw_bits",
    "draw_chance",
    "embedding_noise",
    "euclidean_laplace",
    "explain",
    "forms",
    "fresh_bytes",
    "fresh_generator",
    "generator_of",
    "instantaneous_bits",
    "noise_share",
    "own_choice",
    "pac_gaussian",
    "permanent",
    "permanent_bits",
    "perturbation",
    "pooled_hash",
    "randomized_response",
    "respond",
    "respond_number",
    "reveal_keys",
    "select",
    "select_each",
    "shared_state",
    "shown",
    "sketched_bits",
    "thresholded_keys",
    "trials",
    "truncated_keys",
    "uniform_sets",
]
