"""Privacy-loss distributions on a grid, by dp_accounting: the pieces that mechanisms' distributions are made of.

Distributions are rounded to the grid such that they only ever overstate ("connect the dots", Doroshenko et al. 2022).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from privet.errors import UnsupportedEvent
from privet.guarantee._costs import ROUNDING
from privet.guarantee.exact_amounts import float_down, float_up

_MOST_POINTS = 5_000_000
# So many expected failures leave a chance below 1e-13 that the loss is finite: no distribution is left to keep.
_CERTAIN = 30


class TooLargeForGrid(UnsupportedEvent):
    """The losses are so large that a distribution on the grid would not fit into memory."""


@dataclass(frozen=True)
class Slack:
    """What separates a pair of distributions from the one that is computed with; adds up under composition.

    delta(epsilon) <= lost + exp(swell) · computed(epsilon - drift).
    """

    drift: float = 0.0
    swell: float = 0.0
    lost: float = 0.0

    def __add__(self, other: Slack) -> Slack:
        return Slack(self.drift + other.drift, self.swell + other.swell, self.lost + other.lost)

    def times(self, count: int) -> Slack:
        """The slack of `count` compositions."""
        return Slack(count * self.drift, count * self.swell, count * self.lost)


@dataclass(frozen=True)
class Priced:
    """What one event adds to a composition.

    `squares` is the part that is exactly Gaussian: (sensitivity / sigma)². The rest, on the grid or None, is
    `distribution` composed with itself `times` times, and, with the chance `apart`, an infinite loss beside it.
    `mean` bounds the expected loss of the rest: it decides whether the grid can hold the sum. `failing` is the chance
    of an infinite loss in all.
    """

    squares: Fraction = Fraction(0)
    distribution: Any = field(default=None, compare=False)
    mean: float = 0.0
    slack: Slack = field(default_factory=Slack)
    failing: float = 0.0
    times: int = 1
    apart: float = 0.0


def require_room(widest_loss: float, grid: float, *, most: int | None = None) -> None:
    """Refuse losses whose distribution would not fit into memory."""
    if widest_loss > (_MOST_POINTS if most is None else most) * grid:
        raise TooLargeForGrid(
            "the losses are too large for a distribution on this grid.",
            "Use more noise, a coarser grid, or zCDP accounting.",
            grid=grid,
        )


def require_room_for_sum(mean: float, failing: float, grid: float) -> None:
    """Refuse a composition with this expected loss and this expected number of infinite losses."""
    require_room(mean + 12 * math.sqrt(2 * mean), grid)
    if failing > _CERTAIN:
        require_room(math.inf, grid)


# --- distributions -----------------------------------------------------------------------------


def gaussian_distribution(squares: Fraction, grid: float, q: float = 1.0) -> Any:
    """Gaussian noise of which the square of sensitivity / sigma is this, on a Poisson sample where q is below one."""
    from dp_accounting.pld import privacy_loss_distribution as library
    from dp_accounting.pld.privacy_loss_mechanism import AdjacencyType

    require_room(sampled_largest_loss(q, float_up(squares)), grid)
    removed = _gaussian_masses(_sigma(squares), grid, q, AdjacencyType.REMOVE)
    if q == 1:
        return library.PrivacyLossDistribution(removed)
    return library.PrivacyLossDistribution(
        removed, _gaussian_masses(_sigma(squares), grid, q, AdjacencyType.ADD)
    )


def _gaussian_masses(sigma: float, grid: float, q: float, adjacency: Any) -> Any:
    """One direction, as `from_gaussian_mechanism` makes it; all points of the grid at once rather than one by one.

    The library asks for the output at which the loss is epsilon by a call for each point, which took most of the time
    of planning a run. Outputs, divergences and the dots are otherwise the library's.
    """
    import numpy
    from dp_accounting.pld import pld_pmf
    from dp_accounting.pld.privacy_loss_mechanism import AdjacencyType, GaussianPrivacyLoss

    mechanism = GaussianPrivacyLoss(sigma, sampling_prob=q, adjacency_type=adjacency)
    bounds = mechanism.connect_dots_bounds()
    lowest, highest = math.floor(bounds.epsilon_lower / grid), math.ceil(bounds.epsilon_upper / grid)
    epsilons = numpy.arange(lowest, highest + 1) * grid
    edge = -math.log1p(-q) if q < 1 else math.inf
    added = adjacency is AdjacencyType.ADD
    # Beyond the edge no output has such a loss: of one side everything counts, of the other nothing.
    inside = epsilons < edge if added else epsilons > -edge
    divergences = numpy.zeros(len(epsilons)) if added else -numpy.expm1(numpy.minimum(epsilons, 0.0))
    loss = epsilons[inside]
    plain = -_unsampled_loss(-loss, q) if added else _unsampled_loss(loss, q)
    outputs = (0.5 if added else -0.5) - plain * sigma**2
    found = mechanism.mu_upper_cdf(outputs) - numpy.exp(loss + mechanism.mu_lower_log_cdf(outputs))
    divergences[inside] = numpy.clip(found, 0, 1)
    return pld_pmf.create_pmf_pessimistic_connect_dots_fixed_gap(grid, lowest, highest, divergences)


def _unsampled_loss(losses: Any, q: float) -> Any:
    """The loss l without sampling where that with it is given: log(1 + (exp(loss) - 1) / q)."""
    import numpy

    if q == 1:
        return losses
    small = numpy.minimum(losses, 1.0)
    with numpy.errstate(divide="ignore"):  # at the edge the loss is infinite, and may be rounded beyond it
        near = numpy.log1p(numpy.maximum(numpy.expm1(small) / q, -1.0))
    far = losses - math.log(q) + numpy.log1p(-(1 - q) * numpy.exp(-numpy.maximum(losses, 1.0)))
    return numpy.where(losses <= 1.0, near, far)


def replaced_gaussian_distribution(squares: Fraction, grid: float, q: float) -> Any:
    """The same where a unit of the sample is replaced by another, which doubles the sensitivity."""
    from dp_accounting import NeighboringRelation
    from dp_accounting.pld import privacy_loss_distribution as library

    plain = 8 * float_up(squares) + 80 * math.sqrt(float_up(squares))
    odds = q / (1 - q) if q < 1 else math.inf
    require_room(math.log1p(odds * math.exp(plain)) if plain < 600 and q < 1 else plain, grid)
    return library.from_gaussian_mechanism(
        _sigma(4 * squares),
        value_discretization_interval=grid,
        sampling_prob=q,
        neighboring_relation=NeighboringRelation.REPLACE_ONE,
    )


def _sigma(squares: Fraction) -> float:
    """The noise of sensitivity 1 whose square of sensitivity / sigma is this, rounded down."""
    return math.sqrt(float_down(1 / squares)) * (1 - ROUNDING)


def laplace_distribution(epsilon: Fraction, grid: float, q: float = 1.0) -> Any:
    """Laplace noise of scale 1 / epsilon on sensitivity 1, on a Poisson sample where q is below one."""
    from dp_accounting.pld import privacy_loss_distribution as library

    require_room(2 * float_up(epsilon), grid)
    return library.from_laplace_mechanism(
        float_down(1 / epsilon), value_discretization_interval=grid, sampling_prob=q
    )


def worst_distribution(epsilon: Fraction, delta: Fraction, grid: float) -> Priced:
    """The worst (epsilon, delta)-private mechanism, with the four grid points around ±epsilon connected.

    Its divergence at e is delta + (1 - delta) (e^epsilon - e^e) / (e^epsilon + 1) between -epsilon and epsilon
    (Kairouz, Oh, Viswanath 2015).
    """
    from dp_accounting.pld import pld_pmf
    from dp_accounting.pld import privacy_loss_distribution as library

    top, failing = float_up(epsilon), float_up(delta)
    require_room(2 * top if failing < 1 else math.inf, grid)
    steps = math.ceil(top / grid)
    points = sorted({-steps, 1 - steps, steps - 1, steps} if steps else {0})
    divergences = [failing + (1 - failing) * _response_divergence(top, point * grid) for point in points]
    pmf = pld_pmf.create_pmf_pessimistic_connect_dots(grid, points, divergences)
    return Priced(
        distribution=library.PrivacyLossDistribution(pmf), mean=mean_loss(epsilon, grid), failing=failing
    )


def _response_divergence(epsilon: float, at: float) -> float:
    if at >= epsilon:
        return 0.0
    if at <= -epsilon:
        return -math.expm1(at)
    return math.exp(at - epsilon) * math.expm1(epsilon - at) / (1 + math.exp(-epsilon))


# --- sizes of losses ---------------------------------------------------------------------------


def sampled_largest_loss(q: float, squares: float) -> float:
    """The loss of sampled Gaussian noise at ten standard deviations, beyond which its distribution is cut off."""
    plain = squares / 2 + 10 * math.sqrt(squares)
    return math.log1p(q * math.expm1(plain)) if plain < 600 else plain


def mean_loss(epsilon: Fraction, grid: float) -> float:
    """A bound on the expected loss of any epsilon-private mechanism, once it is on the grid."""
    return float_up(epsilon) * (math.tanh(float_up(epsilon) / 2) + grid)


def sampled_mean_loss(q: Fraction, squares: Fraction, grid: float) -> float:
    """A bound on the expected loss of sampled Gaussian noise: by convexity, and by its chi-square divergence.

    The second term is what the grid adds where the losses are smaller than its steps.
    """
    mean = float_up(q * squares) / 2
    if squares < 500:
        mean = min(mean, float(q) ** 2 * math.expm1(float(squares)))
    return mean + float(q) * math.sqrt(float_up(squares)) * grid
