"""Privacy-loss distributions: the tightest numbers, for plans whose parameters are fixed beforehand.

The loss of a composition is the sum of independent losses, so its distribution is a convolution (Meiser and
Mohammadi 2018; Koskela, Jälkö, Honkela 2020), on a grid (`_loss_grid`). Each mechanism is asked for its own; of
dp_accounting the distribution *objects* are used, not the accountant, so that every count passes `_composed` below.
Gaussian events are merged before anything is put on the grid: squares of sensitivity / sigma add. All are composed at
once (`_tilted_composition`), where the errors of the arithmetic are bounded and added to delta.

A single step of training loses far less than a step of the grid when its sample is small; rounded up, a million of them
would be many times too dear. So the grid is made finer where a step's loss asks for it (`_fitting`).
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache, singledispatch

from privet.errors import UnsupportedEvent
from privet.guarantee import _basic_composition as basic_composition
from privet.guarantee import _zero_concentrated as concentrated
from privet.guarantee._costs import ROUNDING
from privet.guarantee._events import Event, PoissonSampled, TruncatedPoissonSampled, leaves
from privet.guarantee._loss_grid import (
    Priced,
    Slack,
    TooLargeForGrid,
    gaussian_distribution,
    replaced_gaussian_distribution,
    require_room_for_sum,
    sampled_largest_loss,
    sampled_mean_loss,
    worst_distribution,
)
from privet.guarantee._privacy_units import Change
from privet.guarantee._tilted_composition import TiltedComposition
from privet.guarantee.exact_amounts import float_down, float_up
from privet.guarantee.mechanisms import Mechanism

__all__ = ["GRID", "TooLargeForGrid", "distribution_delta", "distribution_epsilon", "leaf_priced"]

GRID = 1e-4
# Below, numbers themselves run out of digits.
_LEAST_DELTA = 1e-250
_STEPS_PER_LOSS = 4
_POINTS_PER_LOSS = 400_000
_POINTS_IN_ALL = 2_000_000
_COARSEST = 1e-2
# Numbers of units whose binomial tail is computed; beyond, every batch counts as full.
_COUNTABLE = 10**15


def distribution_epsilon(
    event: Event, delta: Fraction, *, change: Change = Change.ADD_OR_REMOVE, grid: float = GRID
) -> float:
    """The epsilon at this delta; infinite where delta is too small to tell."""
    composed, slack = _composed(event, change, grid)
    left = (float_down(delta) - slack.lost) * math.exp(-slack.swell) * (1 - ROUNDING)
    if left < _LEAST_DELTA:
        return math.inf
    return composed.epsilon(left) * (1 + ROUNDING) + slack.drift


def distribution_delta(
    event: Event, epsilon: Fraction, *, change: Change = Change.ADD_OR_REMOVE, grid: float = GRID
) -> float:
    """The delta at this epsilon."""
    composed, slack = _composed(event, change, grid)
    shifted = float_down(epsilon) - slack.drift
    shifted -= ROUNDING * abs(shifted)
    delta = composed.delta(shifted)
    return min(1.0, slack.lost + math.exp(slack.swell) * delta * (1 + ROUNDING))


@lru_cache(maxsize=4)
def _composed(event: Event, change: Change, grid: float) -> tuple[TiltedComposition, Slack]:
    """The distribution of all that `event` composes: the only place where counts enter."""
    grid = _fitting(event, grid)
    parts = [(leaf_priced(leaf, change, grid), count) for leaf, count in leaves(event).items()]
    squares = sum((part.squares * count for part, count in parts), Fraction(0))
    mean = sum(part.mean * count for part, count in parts) + float_up(squares) / 2
    require_room_for_sum(mean, sum(part.failing * count for part, count in parts), grid)
    slack = sum((part.slack.times(count) for part, count in parts), Slack())
    rest = [(part.distribution, part.times * count) for part, count in parts if part.distribution is not None]
    if squares:
        rest.append((gaussian_distribution(squares, grid), 1))
    return TiltedComposition(rest, grid, apart=[(part.apart, count) for part, count in parts]), slack


def _fitting(event: Event, grid: float) -> float:
    """The grid, halved until its steps are small beside the loss of each sampled step, or doubled until all fits.

    It decides how tight the bound is, not whether it holds: every grid overstates.
    """
    wanted, least, mean = grid, 0.0, 0.0
    for leaf, count in leaves(event).items():
        if not isinstance(leaf, PoissonSampled | TruncatedPoissonSampled) or count == 1:
            continue
        if leaf.q == 1 or not concentrated.only_gaussian(leaf.event):
            continue
        q, square = float(leaf.q), 2 * float(concentrated.zcdp_cost(leaf.event).rho)
        # The standard deviation, by the chi-square divergence.
        wanted = min(wanted, q * math.sqrt(math.expm1(min(square, 60.0))) / _STEPS_PER_LOSS)
        least = max(least, sampled_largest_loss(q, square) / _POINTS_PER_LOSS)
        mean += count * sampled_mean_loss(leaf.q, Fraction(square), 0.0)
    merged = [(_merged(leaf), count) for leaf, count in leaves(event).items()]
    squares = sum((part.squares * count for part, count in merged if part is not None), Fraction(0))
    if squares and all(part is not None for part, _ in merged):
        return grid * 2.0 ** max(0, math.floor(math.log2(min(float_up(squares), 1e6)) / 2))
    while grid > wanted and grid / 2 >= least:
        grid /= 2
    while grid < _COARSEST and mean + 12 * math.sqrt(2 * mean) > _POINTS_IN_ALL * grid:
        grid *= 2
    return grid


# --- one event ---------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def leaf_priced(event: Event, change: Change, grid: float) -> Priced:
    """The distribution of one event."""
    return _priced(event, change, grid)


@singledispatch
def _priced(event: Event, change: Change, grid: float) -> Priced:
    """Whatever has an (epsilon, delta): the worst mechanism that does (Kairouz, Oh, Viswanath 2015)."""
    basic = basic_composition.leaf_cost(event, change)
    return worst_distribution(basic.epsilon, basic.delta, grid)


@_priced.register(Mechanism)
def _(event: Mechanism, change: Change, grid: float) -> Priced:
    """Its own, where it knows a better one."""
    priced = event.loss_distribution(grid)
    return _priced.dispatch(Event)(event, change, grid) if priced is None else priced


@_priced.register(PoissonSampled)
def _(event: PoissonSampled, change: Change, grid: float) -> Priced:
    """Exact for one noise on the sample; anything else by its amplified (epsilon, delta)."""
    basic_composition.require_add_or_remove(event, change)
    inner = leaves(event.event)
    merged = [(_merged(leaf), count) for leaf, count in inner.items()]
    if all(part is not None for part, _ in merged):
        return _sampled_gaussian(event, [(part, count) for part, count in merged if part], grid)
    noise, count = next(iter(inner.items()))
    if len(inner) == count == 1 and isinstance(noise, Mechanism):
        sampled = noise.sampled_distribution(event.q, grid)
        if sampled is not None:
            return sampled
    return _priced.dispatch(Event)(event, change, grid)


@_priced.register(TruncatedPoissonSampled)
def _(event: TruncatedPoissonSampled, change: Change, grid: float) -> Priced:
    """A mixture over whether the batch overflows, safe for every number of units up to `size`.

    When the other units alone fill the batch, one more unit can push another out, which doubles the
    sensitivity and acts like a replacement; otherwise it is plain Poisson sampling. The chance of a full batch
    grows with the number of units, the full case dominates the plain one at the same sampling probability (the
    replaced pair lies beyond both one-sided pairs in every half-line), and in the full case the unit is kept
    with probability below q. So the mixture at `size` units with q throughout dominates that at fewer units.
    """
    basic_composition.require_add_or_remove(event, change)
    if not concentrated.only_gaussian(event.event):
        raise UnsupportedEvent("the inner event of a truncated sample must be Gaussian noise.")
    squares = 2 * concentrated.zcdp_cost(event.event).rho
    plain = gaussian_distribution(squares, grid, float_up(event.q))
    full = _chance_of_full(event)
    mean = sampled_mean_loss(event.q, 16 * squares if full > 0 else squares, grid)
    if full <= 0:
        return Priced(distribution=plain, mean=mean)
    replaced = replaced_gaussian_distribution(squares, grid, float_up(event.q))
    return Priced(distribution=replaced.compute_mixture(plain, full), mean=mean)


def _chance_of_full(event: TruncatedPoissonSampled) -> float:
    """The chance that the other units alone fill the batch, rounded up."""
    from scipy import stats

    if event.batch >= event.size:
        return 0.0
    if event.size > _COUNTABLE:
        return 1.0
    return min(1.0, float(stats.binom.sf(event.batch - 1, event.size - 1, float_up(event.q))) * (1 + 1e-9))


def _merged(event: Event) -> Priced | None:
    """The event as a term of one Gaussian noise, where it can be."""
    return event.merged_gaussian() if isinstance(event, Mechanism) else None


def _sampled_gaussian(event: PoissonSampled, parts: list[tuple[Priced, int]], grid: float) -> Priced:
    """Several Gaussian noises on one sample are one Gaussian noise: the squares add."""
    squares = sum((part.squares * count for part, count in parts), Fraction(0))
    slack = sum((part.slack.times(count) for part, count in parts), Slack())
    if event.q == 1:
        return Priced(squares=squares, slack=slack)
    distribution = gaussian_distribution(squares, grid, float_up(event.q))
    return Priced(distribution=distribution, mean=sampled_mean_loss(event.q, squares, grid), slack=slack)
