"""What a run of noisy steps costs: its event from sampling, noise and length, and the noise or length that keeps a promise."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from privet.errors import NoSolution, PrivetError
from privet.guarantee import (
    ApproxDP,
    Change,
    Composed,
    Event,
    Gaussian,
    PoissonSampled,
    Repeated,
    SealedPlan,
    TruncatedPoissonSampled,
    ZeroConcentratedDP,
    calibrate,
    epsilon_for,
    solve,
    zcdp_cost,
)
from privet.protect.train.gradients._adaptive_clipping import count_noise

Sampling = Literal["poisson", "truncated", "shuffled", "full", "epochs", "cyclic"]
SAMPLINGS = ("poisson", "truncated", "shuffled", "full", "epochs", "cyclic")


@dataclass(frozen=True)
class TrainingAccount:
    """What decides the event of a run besides its noise and its length."""

    sampling: Sampling
    q: Fraction
    cut: int | None
    records: int
    count_noise: Fraction | None
    promise: ApproxDP | ZeroConcentratedDP
    change: Change

    def one(self, sigma: Fraction) -> Event:
        """One step. Noise is in units of what one record can move a sum by, so replacement needs no special case."""
        noise: Event = Gaussian(sigma, 1)
        if self.count_noise is not None:
            noise = Composed([noise, Gaussian(self.count_noise, Fraction(1, 2))])
        if self.sampling == "poisson" and self.q < 1:
            return PoissonSampled(self.q, noise)
        if self.sampling == "truncated":
            assert self.cut is not None
            return TruncatedPoissonSampled(self.q, self.cut, self.records, noise)
        return noise

    def event(self, sigma: Fraction, draws: int) -> Event:
        """The whole run, sealed where its promise has a delta."""
        run = Repeated(self.one(sigma), draws)
        return SealedPlan(run, self.promise.delta) if isinstance(self.promise, ApproxDP) else run

    @property
    def accountant(self) -> str | None:
        """Loss distributions where batches are sampled; else whatever is tightest."""
        return "pld" if self.sampling in ("poisson", "truncated") and self.q < 1 else None


def counting(
    account: TrainingAccount, asked: float | None, batch: int, draws: int | None, noise: float | None
) -> TrainingAccount:
    """The account of a run that also counts uncut examples, for adaptive clipping; refuses a count that is never paid for."""
    without = Fraction(noise or 0) if draws is None else noise_for(account, draws)
    counted = replace(account, count_noise=count_noise(asked, batch, without))
    try:
        noise_for(counted, draws or 1)
    except NoSolution:
        raise NoSolution(
            "the noise on the number of uncut examples is too small for the promise, whatever the noise on gradients.",
            "Raise count_noise, or leave it out.",
        ) from None
    return counted


@lru_cache(maxsize=64)
def noise_for(account: TrainingAccount, draws: int) -> Fraction:
    """The least noise, in clipping bounds, with which so many draws keep the promise."""
    if account.sampling == "truncated" and account.q < 1:
        return _truncated_noise(account, draws)
    return calibrate(
        lambda sigma: Repeated(account.one(sigma), draws),
        account.promise,
        accountant=account.accountant,
        change=account.change,
    )


def _truncated_noise(account: TrainingAccount, draws: int) -> Fraction:
    """A little more noise than plain Poisson sampling needs: the account of a cut batch is slow, so few are tried.

    On a coarser grid, which overstates the loss a little more: the booking's own certificate can only be lower.
    """
    assert isinstance(account.promise, ApproxDP)
    target = account.promise
    plain = float(noise_for(replace(account, sampling="poisson", cut=None), draws))

    def fits(gap: float) -> bool:
        run = Repeated(account.one(Fraction(plain * (1 + gap))), draws)
        return epsilon_for(run, target.delta, accountant="pld", grid=1e-3).epsilon <= target.epsilon

    too_small, enough = 0.0, 2.0**-10
    while not fits(enough):
        too_small, enough = enough, 4 * enough
    while enough - too_small > 0.01 * (1 + enough):
        middle = (too_small + enough) / 2
        too_small, enough = (too_small, middle) if fits(middle) else (middle, enough)
    return Fraction(plain * (1 + enough))


@lru_cache(maxsize=64)
def draws_within(account: TrainingAccount, sigma: Fraction) -> int:
    """How many draws with this noise keep the promise."""
    if isinstance(account.promise, ZeroConcentratedDP):
        draws = math.floor(account.promise.rho / zcdp_cost(account.one(sigma)).rho)
        if draws < 1:
            raise NoSolution("not even one step keeps the promise.", "Raise rho, or use more noise.")
        return draws
    return int(
        solve(
            lambda draws: Repeated(account.one(sigma), int(draws)),
            account.promise.delta,
            account.promise.epsilon,
            increasing=True,
            integer=True,
            accountant=account.accountant,
            change=account.change,
        )
    )


@lru_cache(maxsize=256)
def quick_epsilon(one: Event, draws: int, delta: Fraction, change: Change) -> float:
    """The loss of so many draws, quickly, by Rényi accounting: for a progress bar."""
    run = Repeated(one, draws)
    try:
        return epsilon_for(run, delta, change=change, accountant="rdp").epsilon
    except PrivetError:  # no Rényi bound is known for truncated samples
        return epsilon_for(run, delta, change=change).epsilon


def sampling_rate(sampling: Sampling, records: int, batch: int) -> Fraction:
    """The chance of a record to be in a batch; 1 where batches are not sampled."""
    return min(Fraction(1), Fraction(batch, records)) if sampling in ("poisson", "truncated") else Fraction(1)
