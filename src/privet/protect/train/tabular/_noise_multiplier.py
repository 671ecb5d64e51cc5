"""What steps of noisy gradients cost, and how much noise a promise needs for them."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from privet.guarantee import (
    ApproxDP,
    Change,
    Event,
    Gaussian,
    PoissonSampled,
    Repeated,
    calibrate,
    epsilon_for,
)


def run_of(q: Fraction, steps: int, sigma: Fraction) -> Event:
    """The event of so many steps."""
    noise = Gaussian(sigma, 1)
    return Repeated(noise if q == 1 else PoissonSampled(q, noise), steps)


@lru_cache(maxsize=256)
def noise_for(q: Fraction, steps: int, promise: ApproxDP, change: Change) -> Fraction:
    """The least noise that keeps the promise over all steps.

    Without sampling, T steps with sigma·√T are as private as one with sigma (Gaussian noise composes to Gaussian
    noise), so the exact formula for one (Balle and Wang, ICML 2018, Theorem 8) is where to start; the result is
    checked as a whole, by the accountant that it will be booked with.
    """
    if q < 1:
        return calibrate(lambda sigma: run_of(q, steps, sigma), promise, accountant="pld", change=change)
    sigma, more = analytic_sigma(float(promise.epsilon), float(promise.delta)) * math.sqrt(steps), 2.0**-20
    while True:
        run = run_of(q, steps, Fraction(sigma))
        if epsilon_for(run, promise.delta, accountant="pld", change=change).epsilon <= promise.epsilon:
            return Fraction(sigma)
        sigma, more = sigma * (1 + more), 2 * more


def analytic_sigma(epsilon: float, delta: float) -> float:
    """The least noise on sensitivity 1, up to rounding."""
    from scipy.optimize import brentq
    from scipy.special import log_ndtr

    def excess(log_sigma: float) -> float:
        sigma = math.exp(log_sigma)
        gain = math.exp(log_ndtr(1 / (2 * sigma) - epsilon * sigma))
        return gain - math.exp(epsilon + log_ndtr(-1 / (2 * sigma) - epsilon * sigma)) - delta

    return math.exp(brentq(excess, math.log(1e-3), math.log(1e6), xtol=1e-12))
