"""The few randomised primitives. Each opens a sealed answer with a permit, and noises it in the same breath.

The permit's event decides the noise; the seal's sensitivity decides whether that noise is enough. A short
proof lies beside each primitive (`laplace.proof.md`, …) and is tied to its source by a digest, so that
neither changes without the other being read again (`privet.mechanism._proofs`).
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.mechanism._discrete_gaussian import discrete_gaussian as discrete_gaussian
    from privet.mechanism._discrete_laplace import discrete_laplace as discrete_laplace
    from privet.mechanism._exponential_selection import select as select
    from privet.mechanism._exponential_selection import select_each as select_each
    from privet.mechanism._generators import fresh_generator as fresh_generator
    from privet.mechanism._generators import shared_state as shared_state
    from privet.mechanism._gradient_noise import NoiseStep as NoiseStep
    from privet.mechanism._gradient_noise import NoiseStream as NoiseStream
    from privet.mechanism._gradient_noise import generator_of as generator_of
    from privet.mechanism._key_material import fresh_bytes as fresh_bytes
    from privet.mechanism._mechanism_explanation import MechanismExplanation as MechanismExplanation
    from privet.mechanism._mechanism_explanation import explain as explain
    from privet.mechanism._objective_noise import Geometry as Geometry
    from privet.mechanism._objective_noise import Perturbation as Perturbation
    from privet.mechanism._objective_noise import perturbation as perturbation
    from privet.mechanism._private_trials import Trial as Trial
    from privet.mechanism._private_trials import trials as trials
    from privet.mechanism._randomized_response import randomized_response as randomized_response
    from privet.mechanism._secret_seed import SecretSeed as SecretSeed
    from privet.mechanism._thresholded_keys import ShownKeys as ShownKeys
    from privet.mechanism._thresholded_keys import reveal_keys as reveal_keys
    from privet.mechanism._thresholded_keys import thresholded_keys as thresholded_keys
    from privet.mechanism._truncated_keys import truncated_keys as truncated_keys
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
