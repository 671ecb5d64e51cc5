"""Noise for objective perturbation: a random linear term in the loss, and a little more on its approximate minimum."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from privet.errors import InternalError, PermitMismatch
from privet.guarantee import Event, Opaque, float_down
from privet.ledger import Permit
from privet.mechanism._gradient_noise import generator_of, noised
from privet.mechanism._proofs import proven
from privet.mechanism._secret_seed import SecretSeed

# Of epsilon and delta: what hides that the minimum is only nearly found.
FINISH = 0.01


@dataclass(frozen=True, slots=True)
class Geometry:
    """Of one unit's loss, a function of one product w·x: the longest gradient, the most curvature; and the pull on w."""

    gradient: float
    curvature: float
    pull: float


@dataclass(frozen=True)
class Perturbation:
    """The linear term to add to the loss, and how to tell a point near the minimum."""

    term: NDArray[np.float64]
    finish: Callable[[NDArray[np.float64], float], NDArray[np.float64]]


@proven("objective_noise.proof.md", digest="9d297d9468baeb86")
def perturbation(permit: Permit, geometry: Geometry, width: int) -> Perturbation:
    """Draw the term for a loss over `width` weights, at the (epsilon, delta) of the permit's `Opaque` event.

    Guarantee:
        What `finish(w, slack)` returns has the privacy of the event: see `objective_noise.proof.md`.
    Assumes:
        The loss is a sum of one convex, twice differentiable function of w·x for each unit, within `geometry`, plus
        pull/2 |w|² plus term·w; a unit is added or removed; the gradient at w is at most `slack` long; w depends on
        the data through this loss alone; `finish` is called once.
    """
    booked: Event | None = getattr(permit, "event", None)
    if not isinstance(booked, Opaque):
        raise PermitMismatch("a loss is perturbed with a permit.", "Charge Opaque(epsilon, delta) for it.")
    epsilon, delta = float_down(booked.epsilon), float_down(booked.delta)
    sigma = term_sigma((1 - FINISH) * epsilon, (1 - FINISH) * delta, geometry)
    permit.use()
    seed = SecretSeed.fresh()
    (term,) = noised([np.zeros(width)], sigma, generator_of(seed, 0, 1))

    def finish(weights: NDArray[np.float64], slack: float) -> NDArray[np.float64]:
        spread = finish_sigma(FINISH * epsilon, FINISH * delta, geometry, slack)
        (told,) = noised([weights], spread, generator_of(seed, 1, 1))
        return told

    return Perturbation(term, finish)


@proven("objective_noise.proof.md", digest="e2920d3f15350cae")
def term_sigma(epsilon: float, delta: float, geometry: Geometry) -> float:
    """The least deviation of the linear term, by bisection from above."""
    left = epsilon - math.log1p(geometry.curvature / geometry.pull)
    if left <= 0 or not 0 < delta < 1:
        raise InternalError("the pull is too weak for this epsilon.")
    low, high = 0.0, geometry.gradient * (math.sqrt(-2 * math.log(delta / 2)) + math.sqrt(left)) / left + 1
    for _ in range(100):
        middle = (low + high) / 2
        reach = middle * left / geometry.gradient - geometry.gradient / (2 * middle)
        low, high = (low, middle) if 2 * ndtr(-reach) <= delta else (middle, high)
    return high * (1 + 1e-9)


@proven("objective_noise.proof.md", digest="a276a8a33f0cf1b1")
def finish_sigma(epsilon: float, delta: float, geometry: Geometry, slack: float) -> float:
    """The deviation that hides which of two points within slack / pull of the minimum was found."""
    if not 0 < epsilon < 1:
        raise InternalError("the share of epsilon for the finish must lie below 1.")
    return 2 * slack / geometry.pull * math.sqrt(2 * math.log(1.25 / delta)) / epsilon * (1 + 1e-9)
