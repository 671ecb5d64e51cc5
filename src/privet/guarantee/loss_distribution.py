"""Privacy-loss distributions: the tightest numbers, for plans whose parameters are fixed beforehand.

The loss of a composition is the sum of independent losses, so its distribution is a convolution (Meiser and
Mohammadi 2018; Koskela, Jälkö, Honkela 2020); dp_accounting's distributions are rounded to a grid such that
they only ever overstate ("connect the dots", Doroshenko et al. 2022). Its distribution *objects* are used, not
its accountant, so that every count passes `_composed` below. Gaussian events are merged before anything is put
on the grid: squares of sensitivity / sigma add. The rest is composed pairwise, in a balanced tree.

Fourier transforms leave absolute errors of up to 1.1e-16 of mass per composed event; ten times that, and
`_NOISE_FLOOR`, are taken off delta for them, so that a delta near it yields an infinite epsilon and never a
wrong one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache, singledispatch
from typing import Any

from privet.errors import UnsupportedEvent
from privet.guarantee import concentrated, pure
from privet.guarantee.amounts import float_down, float_up
from privet.guarantee.events import (
    DiscreteGaussian,
    DiscreteLaplace,
    Event,
    Gaussian,
    Laplace,
    PoissonSampled,
    RandomizedResponse,
    ThresholdedKeys,
    TruncatedKeys,
    TruncatedPoissonSampled,
    ZeroConcentrated,
    leaves,
)
from privet.guarantee.smoothing import Slack, gaussian_slack, laplace_sensitivity
from privet.guarantee.units import Change

GRID = 1e-4
_NOISE_FLOOR, _NOISE_PER_EVENT = 1e-13, 1e-15
_CUT_OFF = 1e-17
_STAGE = 10_000
_MOST_POINTS = 5_000_000
# Integers that are worth walking over one by one; beyond, the continuous bounds of `smoothing` take over.
_MOST_STEPS, _LARGEST_SIGMA = 2_000, Fraction(2_000)
# Numbers of units whose binomial tail is computed; beyond, every batch counts as full.
_COUNTABLE = 10**15
# So many expected failures leave a chance below 1e-13 that the loss is finite: no distribution is left to keep.
_CERTAIN = 30


class TooLargeForGrid(UnsupportedEvent):
    """The losses are so large that a distribution on the grid would not fit into memory."""


@dataclass(frozen=True)
class Priced:
    """What one event adds to a composition.

    `squares` is the part that is exactly Gaussian: (sensitivity / sigma)². `distribution` is the rest, on the
    grid, or None. `mean` bounds the expected loss of the rest: it decides whether the grid can hold the sum.
    `failing` is the chance of an infinite loss.
    """

    squares: Fraction = Fraction(0)
    distribution: Any = field(default=None, compare=False)
    mean: float = 0.0
    slack: Slack = field(default_factory=Slack)
    failing: float = 0.0


def distribution_epsilon(
    event: Event, delta: Fraction, *, change: Change = Change.ADD_OR_REMOVE, grid: float = GRID
) -> float:
    """The epsilon at this delta; infinite where delta is too small to tell."""
    if _NOISE_FLOOR + _NOISE_PER_EVENT * _on_grid(event) >= delta:
        return math.inf
    composed, slack = _composed(event, change, grid)
    left = (float_down(delta) - slack.lost) * math.exp(-slack.swell) * (1 - pure.ROUNDING)
    if left <= 0:
        return math.inf
    epsilon = float(composed.get_epsilon_for_delta(left))
    step = 1e-12
    # The library walks down the grid adding up steps; the check by its direct sum removes what that rounds off.
    while math.isfinite(epsilon) and composed.get_delta_for_epsilon(epsilon) > left:
        epsilon, step = epsilon + step, 2 * step
    return epsilon * (1 + pure.ROUNDING) + slack.drift


def distribution_delta(
    event: Event, epsilon: Fraction, *, change: Change = Change.ADD_OR_REMOVE, grid: float = GRID
) -> float:
    """The delta at this epsilon."""
    composed, slack = _composed(event, change, grid)
    shifted = float_down(epsilon) - slack.drift
    shifted -= pure.ROUNDING * abs(shifted)
    delta = float(composed.get_delta_for_epsilon(shifted))
    return min(1.0, slack.lost + math.exp(slack.swell) * delta * (1 + pure.ROUNDING))


@lru_cache(maxsize=4)
def _composed(event: Event, change: Change, grid: float) -> tuple[Any, Slack]:
    """The distribution of all that `event` composes: the only place where counts enter."""
    parts = [(leaf_priced(leaf, change, grid), count) for leaf, count in leaves(event).items()]
    squares = sum((part.squares * count for part, count in parts), Fraction(0))
    mean = sum(part.mean * count for part, count in parts) + float_up(squares) / 2
    _require_room(mean + 12 * math.sqrt(2 * mean), grid)
    if sum(part.failing * count for part, count in parts) > _CERTAIN:
        _require_room(math.inf, grid)
    slack = sum((part.slack.times(count) for part, count in parts), Slack())
    rest = [_repeated(part.distribution, count) for part, count in parts if part.distribution is not None]
    if squares:
        rest.append(_gaussian(squares, grid))
    return _tree(rest), slack + Slack(lost=_NOISE_FLOOR + _NOISE_PER_EVENT * _on_grid(event))


def _on_grid(event: Event) -> int:
    """How many events are composed on the grid; those that are merged as Gaussian do not count."""
    return sum(
        count for leaf, count in leaves(event).items() if not (isinstance(leaf, Gaussian) or _is_smooth(leaf))
    )


def _repeated(distribution: Any, count: int) -> Any:
    """`count` times the same, in stages of at most 10,000.

    The library bounds the support of a long composition by moments at a few orders that fit the length of the
    single distribution. For a short one composed very often these bounds are so loose that memory runs out;
    after each stage the distribution is longer and the orders fit again.
    """
    if count <= _STAGE:
        return distribution.self_compose(count) if count > 1 else distribution
    stages, left = divmod(count, _STAGE)
    many = _repeated(distribution.self_compose(_STAGE), stages)
    return many.compose(_repeated(distribution, left)) if left else many


def _tree(distributions: list[Any]) -> Any:
    """All of them composed pairwise, so that long ones meet long ones and short ones short ones."""
    while len(distributions) > 1:
        pairs = zip(distributions[::2], distributions[1::2], strict=False)
        odd = distributions[-1:] if len(distributions) % 2 else []
        distributions = [left.compose(right) for left, right in pairs] + odd
    return distributions[0]


def _require_room(widest_loss: float, grid: float) -> None:
    if widest_loss > _MOST_POINTS * grid:
        raise TooLargeForGrid(
            "the losses are too large for a distribution on this grid.",
            "Use more noise, a coarser grid, or zCDP accounting.",
            grid=grid,
        )


# --- one event ---------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def leaf_priced(event: Event, change: Change, grid: float) -> Priced:
    """The distribution of one event."""
    return _priced(event, change, grid)


@singledispatch
def _priced(event: Event, change: Change, grid: float) -> Priced:
    """Whatever has an (epsilon, delta): the worst mechanism that does (Kairouz, Oh, Viswanath 2015)."""
    basic = pure.leaf_cost(event, change)
    return _worst(basic.epsilon, basic.delta, grid)


@_priced.register(ZeroConcentrated)
def _(event: ZeroConcentrated, change: Change, grid: float) -> Priced:
    del change, grid
    raise UnsupportedEvent(
        "a zero-concentrated promise does not determine a loss distribution.",
        "Use zCDP or Rényi accounting.",
        kind=event.kind,
    )


@_priced.register(Gaussian)
def _(event: Gaussian, change: Change, grid: float) -> Priced:
    del change, grid
    return Priced(squares=(event.sensitivity / event.sigma) ** 2)


@_priced.register(Laplace)
def _(event: Laplace, change: Change, grid: float) -> Priced:
    """A vector's release is bounded by a scalar's whose whole L1 sensitivity sits in one coordinate."""
    epsilon = pure.leaf_cost(event, change).epsilon
    return Priced(distribution=_laplace(epsilon, grid), mean=_mean(epsilon, grid))


@_priced.register(DiscreteLaplace)
def _(event: DiscreteLaplace, change: Change, grid: float) -> Priced:
    epsilon = pure.leaf_cost(event, change).epsilon
    return Priced(distribution=_discrete_laplace(event, grid), mean=_mean(epsilon, grid))


@_priced.register(DiscreteGaussian)
def _(event: DiscreteGaussian, change: Change, grid: float) -> Priced:
    """One shift by the full sensitivity per coordinate: such pairs dominate, and so does their product.

    Zhu, Dong, Wang 2022, Theorem 10. With a large sigma, continuous noise with the slack of `smoothing`.
    """
    del change
    squares = (event.sensitivity / event.sigma) ** 2
    if event.sigma > _LARGEST_SIGMA:
        return Priced(squares=event.coordinates * squares, slack=gaussian_slack(event))
    one = _discrete_gaussian(event, grid)
    mean = float_up(event.coordinates * squares) / 2
    _require_room(mean + 12 * math.sqrt(2 * mean), grid)
    slack = Slack(lost=event.coordinates * (_CUT_OFF + _NOISE_PER_EVENT))
    return Priced(distribution=one.self_compose(event.coordinates), mean=mean, slack=slack)


@_priced.register(RandomizedResponse)
def _(event: RandomizedResponse, change: Change, grid: float) -> Priced:
    from dp_accounting.pld import privacy_loss_distribution as library

    epsilon = pure.leaf_cost(event, change).epsilon
    if event.p == 1:
        return Priced(distribution=library.identity(grid))
    _require_room(float_up(epsilon), grid)
    distribution = library.from_randomized_response(
        float_down(event.p), event.buckets, value_discretization_interval=grid
    )
    # Rounding to the grid lifts the loss of each report by up to one step.
    return Priced(distribution=distribution, mean=_mean(epsilon, grid) + grid)


@_priced.register(ThresholdedKeys)
def _(event: ThresholdedKeys, change: Change, grid: float) -> Priced:
    """The noise on the counts, and the chance that a key of one person alone is shown."""
    noise = _discrete_laplace(DiscreteLaplace(event.scale, event.keys * event.reach), grid)
    basic = pure.leaf_cost(event, change)
    shown = _worst(Fraction(0), basic.delta, grid)
    distribution = noise.compose(shown.distribution)
    return Priced(distribution=distribution, mean=_mean(basic.epsilon, grid), failing=shown.failing)


@_priced.register(TruncatedKeys)
def _(event: TruncatedKeys, change: Change, grid: float) -> Priced:
    """The worst (1 / scale, delta)-private mechanism once for each key, which is what a key is.

    Between counts n and n + 1 the loss is 1 / scale, or its negative, or infinite at the noise's largest value:
    the three losses of the worst mechanism, with its chances. Between no person and one it is dominated by that.
    """
    del change
    one = _worst(1 / event.scale, pure.truncated_delta(event.scale, event.bound, 1), grid)
    mean, failing = event.keys * one.mean, event.keys * one.failing
    _require_room(mean + 12 * math.sqrt(2 * mean), grid)
    if failing > _CERTAIN:
        _require_room(math.inf, grid)
    slack = Slack(lost=event.keys * _NOISE_PER_EVENT)
    return Priced(
        distribution=_repeated(one.distribution, event.keys), mean=mean, slack=slack, failing=failing
    )


@_priced.register(PoissonSampled)
def _(event: PoissonSampled, change: Change, grid: float) -> Priced:
    """Exact for one noise on the sample; anything else by its amplified (epsilon, delta)."""
    pure.require_add_or_remove(event, change)
    inner = leaves(event.event)
    if all(isinstance(leaf, Gaussian) or _is_smooth(leaf) for leaf in inner):
        return _sampled_gaussian(event, inner, grid)
    noise, count = next(iter(inner.items()))
    if len(inner) > 1 or count > 1:
        return _priced.dispatch(Event)(event, change, grid)
    q = float_up(event.q)
    if isinstance(noise, Laplace | DiscreteLaplace):
        amplified = pure.leaf_cost(event, change).epsilon
        if isinstance(noise, Laplace):
            distribution = _laplace(pure.leaf_cost(noise, change).epsilon, grid, q)
        else:
            distribution = _discrete_laplace(noise, grid, q)
        return Priced(distribution=distribution, mean=_mean(amplified, grid))
    if isinstance(noise, DiscreteGaussian) and noise.coordinates == 1:
        mean = _sampled_mean(event.q, (noise.sensitivity / noise.sigma) ** 2, grid)
        slack = Slack(lost=_CUT_OFF)
        return Priced(distribution=_discrete_gaussian(noise, grid, q), mean=mean, slack=slack)
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
    from dp_accounting import NeighboringRelation
    from dp_accounting.pld import privacy_loss_distribution as library

    pure.require_add_or_remove(event, change)
    inner = leaves(event.event)
    if not all(isinstance(leaf, Gaussian) for leaf in inner):
        raise UnsupportedEvent("the inner event of a truncated sample must be Gaussian noise.")
    squares = 2 * concentrated.zcdp_cost(event.event).rho
    plain = _gaussian(squares, grid, float_up(event.q))
    full = _chance_of_full(event)
    mean = _sampled_mean(event.q, 16 * squares, grid) if full > 0 else _sampled_mean(event.q, squares, grid)
    if full <= 0:
        return Priced(distribution=plain, mean=mean)
    _require_room(8 * float_up(squares) + 80 * math.sqrt(float_up(squares)), grid)
    replaced = library.from_gaussian_mechanism(
        _sigma(4 * squares),
        value_discretization_interval=grid,
        sampling_prob=float_up(event.q),
        neighboring_relation=NeighboringRelation.REPLACE_ONE,
    )
    return Priced(distribution=replaced.compute_mixture(plain, full), mean=mean)


def _chance_of_full(event: TruncatedPoissonSampled) -> float:
    """The chance that the other units alone fill the batch, rounded up."""
    from scipy import stats

    if event.batch >= event.size:
        return 0.0
    if event.size > _COUNTABLE:
        return 1.0
    return min(1.0, float(stats.binom.sf(event.batch - 1, event.size - 1, float_up(event.q))) * (1 + 1e-9))


def _is_smooth(event: Event) -> bool:
    return isinstance(event, DiscreteGaussian) and event.sigma > _LARGEST_SIGMA


def _sampled_gaussian(event: PoissonSampled, inner: dict[Event, int], grid: float) -> Priced:
    """Several Gaussian noises on one sample are one Gaussian noise: the squares add."""
    squares, slack = Fraction(0), Slack()
    for leaf, count in inner.items():
        squares += 2 * count * concentrated.leaf_cost(leaf, Change.ADD_OR_REMOVE).rho
        if isinstance(leaf, DiscreteGaussian):
            slack = slack + gaussian_slack(leaf).times(count)
    if event.q == 1:
        return Priced(squares=squares, slack=slack)
    distribution = _gaussian(squares, grid, float_up(event.q))
    return Priced(distribution=distribution, mean=_sampled_mean(event.q, squares, grid), slack=slack)


# --- distributions of the library --------------------------------------------------------------


def _gaussian(squares: Fraction, grid: float, q: float = 1.0) -> Any:
    from dp_accounting.pld import privacy_loss_distribution as library

    _require_room(float_up(squares) / 2 + 10 * math.sqrt(float_up(squares)), grid)
    return library.from_gaussian_mechanism(
        _sigma(squares), value_discretization_interval=grid, sampling_prob=q
    )


def _sigma(squares: Fraction) -> float:
    """The noise of sensitivity 1 whose square of sensitivity / sigma is this, rounded down."""
    return math.sqrt(float_down(1 / squares)) * (1 - pure.ROUNDING)


def _laplace(epsilon: Fraction, grid: float, q: float = 1.0) -> Any:
    from dp_accounting.pld import privacy_loss_distribution as library

    _require_room(2 * float_up(epsilon), grid)
    return library.from_laplace_mechanism(
        float_down(1 / epsilon), value_discretization_interval=grid, sampling_prob=q
    )


def _discrete_laplace(event: DiscreteLaplace, grid: float, q: float = 1.0) -> Any:
    from dp_accounting.pld import privacy_loss_distribution as library

    if event.sensitivity > _MOST_STEPS:
        return _laplace(laplace_sensitivity(event) / event.scale, grid, q)
    _require_room(2 * float_up(event.sensitivity / event.scale), grid)
    return library.from_discrete_laplace_mechanism(
        float_up(1 / event.scale),
        event.sensitivity,
        value_discretization_interval=grid,
        sampling_prob=q,
        use_connect_dots=True,
    )


def _discrete_gaussian(event: DiscreteGaussian, grid: float, q: float = 1.0) -> Any:
    """One coordinate, cut off at 9 sigma beyond the shift so that the cut does not show up as an infinite loss.

    The part cut off has probability t <= 2 exp(-81/2), and delta <= t + delta of the pair that is left.
    """
    from dp_accounting.pld import privacy_loss_distribution as library

    ratio = event.sensitivity / event.sigma
    _require_room(float_up(3 * ratio * (ratio + 6)), grid)
    return library.from_discrete_gaussian_mechanism(
        float_down(event.sigma),
        event.sensitivity,
        truncation_bound=math.ceil(9 * event.sigma) + event.sensitivity,
        value_discretization_interval=grid,
        sampling_prob=q,
        use_connect_dots=True,
    )


def _worst(epsilon: Fraction, delta: Fraction, grid: float) -> Priced:
    """The worst (epsilon, delta)-private mechanism, with the four grid points around ±epsilon connected.

    Its divergence at e is delta + (1 - delta) (e^epsilon - e^e) / (e^epsilon + 1) between -epsilon and epsilon.
    """
    from dp_accounting.pld import pld_pmf
    from dp_accounting.pld import privacy_loss_distribution as library

    top, failing = float_up(epsilon), float_up(delta)
    _require_room(2 * top if failing < 1 else math.inf, grid)
    steps = math.ceil(top / grid)
    points = sorted({-steps, 1 - steps, steps - 1, steps} if steps else {0})
    divergences = [failing + (1 - failing) * _response_divergence(top, point * grid) for point in points]
    pmf = pld_pmf.create_pmf_pessimistic_connect_dots(grid, points, divergences)
    return Priced(
        distribution=library.PrivacyLossDistribution(pmf), mean=_mean(epsilon, grid), failing=failing
    )


def _response_divergence(epsilon: float, at: float) -> float:
    if at >= epsilon:
        return 0.0
    if at <= -epsilon:
        return -math.expm1(at)
    return math.exp(at - epsilon) * math.expm1(epsilon - at) / (1 + math.exp(-epsilon))


def _mean(epsilon: Fraction, grid: float) -> float:
    """A bound on the expected loss of any epsilon-private mechanism, once it is on the grid."""
    return float_up(epsilon) * (math.tanh(float_up(epsilon) / 2) + grid)


def _sampled_mean(q: Fraction, squares: Fraction, grid: float) -> float:
    """A bound on the expected loss of sampled Gaussian noise: by convexity, and by its chi-square divergence.

    The second term is what the grid adds where the losses are smaller than its steps.
    """
    mean = float_up(q * squares) / 2
    if squares < 500:
        mean = min(mean, float(q) ** 2 * math.expm1(float(squares)))
    return mean + float(q) * math.sqrt(float_up(squares)) * grid
