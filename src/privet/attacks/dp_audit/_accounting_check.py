"""The promise computed again from what a run did: the cheapest check, and the one that finds forgotten steps."""

from __future__ import annotations

import time
from fractions import Fraction

from privet.artifact import UNLIMITED, AttackCost, IntervalEstimate, Power, RiskEstimate
from privet.attacks._attack_registry import Case, register
from privet.attacks.dp_audit._promised_epsilon import promised_at
from privet.attacks.dp_audit._run_recorder import Observed
from privet.attacks.dp_audit._structure_tests import OWNER
from privet.guarantee import Gaussian, PoissonSampled, Repeated, epsilon_for

# The account is rounded up to its grid; what lies inside this share of the promise is the promise.
_ROOM = 1e-2
_GRID = 1e-3


@register(name="accounting", on="run", needs=("promise",))
def accounting(target: Observed, case: Case) -> RiskEstimate:
    """Account again for the steps that were taken, with the noise and sampling that were claimed."""
    started = time.process_time()
    claim = target.claim
    spent = account(claim.sigma, claim.q, target.steps, claim.delta)
    allowed = promised_at(case.promise, claim.delta)
    return RiskEstimate(
        attack="accounting",
        measure="epsilon",
        success=IntervalEstimate(spent, spent, spent, 1.0),
        baseline=0.0,
        adversary=OWNER,
        cost=AttackCost(time.process_time() - started),
        bound=None if allowed is None else allowed * (1 + _ROOM),
        bound_reason="the promise, with one part in a hundred for the grid of the account",
        promise=case.promise,
        detectable=UNLIMITED,  # computed from the steps, whatever they come to
        power=Power(computed="it is an account and no sample: any cost above the promise shows."),
        artifact="training run",
        notes=(
            f"{target.steps:,} steps with the noise and the sampling that were claimed cost epsilon {spent:.4g}.",
        ),
    )


def account(sigma: float, q: float, steps: int, delta: float) -> float:
    """The epsilon of so many steps of Gaussian noise on Poisson samples, at delta."""
    noise = Gaussian(Fraction(sigma), 1)
    event = Repeated(noise if q == 1 else PoissonSampled(Fraction(q), noise), steps)
    return epsilon_for(event, Fraction(delta), grid=_GRID).epsilon
