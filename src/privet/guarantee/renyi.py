"""Rényi accounting (Mironov 2017): at each order of a fixed list the Rényi divergences add.

`leaf_curve` gives the divergences of one event, computed by dp_accounting; `_composed` is the only place where
they are multiplied by counts and added. What is only approximately private contributes its epsilon as a pure
event and its delta to a sum that is taken off the delta asked for (Bun and Steinke 2016, Lemmas 8.2 and 8.8).
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache, singledispatch
from typing import TYPE_CHECKING, Any

from privet.errors import UnsupportedEvent
from privet.guarantee import concentrated, pure
from privet.guarantee.amounts import float_down, float_up
from privet.guarantee.events import (
    DiscreteLaplace,
    Event,
    Exponential,
    Gaussian,
    Laplace,
    PoissonSampled,
    RandomizedResponse,
    Selected,
    TruncatedKeys,
    leaves,
)
from privet.guarantee.smoothing import laplace_sensitivity
from privet.guarantee.units import Change

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

    Curve = NDArray[float64]

# Below, order · epsilon² / 2 is as good and quicker, and loses no digits to cancellation; above, powers overflow.
_SMALLEST, _LARGEST = Fraction(1, 100), Fraction(300)


def renyi_epsilon(event: Event, delta: Fraction, *, change: Change = Change.ADD_OR_REMOVE) -> float:
    """The least epsilon over the orders at this delta, rounded up; infinite where delta is used up already."""
    from dp_accounting.rdp import rdp_privacy_accountant as library

    curve, spent = _composed(event, change)
    if delta <= spent:
        return float("inf")
    epsilon, _ = library.compute_epsilon(_orders(), curve, float_down(delta - spent))
    return float(epsilon) * (1 + pure.ROUNDING) + pure.ROUNDING


def renyi_delta(event: Event, epsilon: Fraction, *, change: Change = Change.ADD_OR_REMOVE) -> float:
    """The least delta over the orders at this epsilon, rounded up."""
    import numpy
    from dp_accounting.rdp import rdp_privacy_accountant as library

    curve, spent = _composed(event, change)
    # The library takes the logarithm of 1 - exp(-divergence), which must not round to zero.
    curve = numpy.where(curve > 0, numpy.maximum(curve, 1e-15), 0.0)
    delta, _ = library.compute_delta(_orders(), curve, float_down(epsilon))
    return min(1.0, float_up(spent) + float(delta) * (1 + 1e-9))


def _composed(event: Event, change: Change) -> tuple[Curve, Fraction]:
    import numpy

    total, spent = numpy.zeros(len(_orders())), Fraction(0)
    for leaf, count in leaves(event).items():
        curve, delta = leaf_curve(leaf, change)
        # Rounding can only have produced a tiny negative divergence where the true one is as good as none.
        total = total + count * numpy.maximum(curve, 0.0)
        spent += count * delta
    return total, spent


@singledispatch
def leaf_curve(event: Event, change: Change) -> tuple[Curve, Fraction]:
    """The divergences of one event and its delta. What is not pure is taken at its zCDP cost."""
    try:
        basic = pure.leaf_cost(event, change)
    except UnsupportedEvent:
        cost = concentrated.leaf_cost(event, change)
        return _concentrated_curve(cost.rho), cost.delta
    return _pure_curve(basic.epsilon), basic.delta


@leaf_curve.register(Gaussian)
def _(event: Gaussian, change: Change) -> tuple[Curve, Fraction]:
    return _concentrated_curve(concentrated.leaf_cost(event, change).rho), Fraction(0)


@leaf_curve.register(Laplace)
def _(event: Laplace, change: Change) -> tuple[Curve, Fraction]:
    epsilon = pure.leaf_cost(event, change).epsilon
    return _laplace_curve(epsilon), Fraction(0)


@leaf_curve.register(DiscreteLaplace)
def _(event: DiscreteLaplace, change: Change) -> tuple[Curve, Fraction]:
    """The lower, order by order, of any pure mechanism's curve and that of the Laplace noise that covers it."""
    import numpy

    covering = _laplace_curve(laplace_sensitivity(event) / event.scale)
    return numpy.minimum(_pure_curve(pure.leaf_cost(event, change).epsilon), covering), Fraction(0)


@leaf_curve.register(TruncatedKeys)
def _(event: TruncatedKeys, change: Change) -> tuple[Curve, Fraction]:
    """That of a pure mechanism of 1 / scale, as many times as there are keys; the delta is set aside."""
    return event.keys * _pure_curve(1 / event.scale), pure.leaf_cost(event, change).delta


@leaf_curve.register(Exponential)
def _(event: Exponential, change: Change) -> tuple[Curve, Fraction]:
    """The lower, order by order, of the bounded-range bound and any pure mechanism's curve."""
    import numpy

    bounded_range = _concentrated_curve(concentrated.leaf_cost(event, change).rho)
    return numpy.minimum(bounded_range, _pure_curve(event.epsilon)), Fraction(0)


@leaf_curve.register(RandomizedResponse)
def _(event: RandomizedResponse, change: Change) -> tuple[Curve, Fraction]:
    epsilon = pure.leaf_cost(event, change).epsilon
    if not _SMALLEST <= epsilon <= _LARGEST:
        return _pure_curve(epsilon), Fraction(0)
    return _response_curve(float_down(event.p), event.buckets), Fraction(0)


@leaf_curve.register(PoissonSampled)
def _(event: PoissonSampled, change: Change) -> tuple[Curve, Fraction]:
    """Sampled Gaussian noise (Mironov, Talwar, Zhang 2019); anything else by the amplified (epsilon, delta)."""
    pure.require_add_or_remove(event, change)
    inner = leaves(event.event)
    if not all(isinstance(leaf, Gaussian) for leaf in inner) or event.q == 1:
        basic = pure.leaf_cost(event, change)
        return _pure_curve(basic.epsilon), basic.delta
    from dp_accounting import dp_event

    multiplier = float_down(1 / (2 * concentrated.zcdp_cost(event.event).rho)) ** 0.5
    inner_event = dp_event.GaussianDpEvent(multiplier * (1 - pure.ROUNDING))
    return _by_library(dp_event.PoissonSampledDpEvent(float_up(event.q), inner_event)), Fraction(0)


@leaf_curve.register(Selected)
def _(event: Selected, change: Change) -> tuple[Curve, Fraction]:
    """Papernot and Steinke 2022, Theorems 2 and 6, on the worst candidate at each order.

    A candidate picked at random is no worse than the worst one: Rényi divergences are jointly quasi-convex.
    """
    import numpy

    curves, spent = zip(*(_composed(candidate, change) for candidate in event.events), strict=True)
    if any(spent):
        raise UnsupportedEvent(
            "a selection is not priced among candidates that are only approximately private: their delta would "
            "count once for every trial.",
            "Use candidates with a Rényi bound: Gaussian noise, sampled or not, or pure mechanisms.",
            kind=event.kind,
        )
    return _selected_curve(numpy.max(curves, axis=0), float_up(event.mean), event.law), Fraction(0)


# --- curves ------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _orders() -> Curve:
    import numpy
    from dp_accounting.rdp import rdp_privacy_accountant as library

    return numpy.array(library.DEFAULT_RDP_ORDERS, dtype=float)


def _concentrated_curve(rho: Fraction) -> Curve:
    from dp_accounting import dp_event

    return _by_library(dp_event.ZCDpEvent(float_up(rho)))


def _pure_curve(epsilon: Fraction) -> Curve:
    """That of two-sided randomised response, the worst epsilon-private mechanism (Kairouz, Oh, Viswanath 2015)."""
    import numpy

    if _SMALLEST <= epsilon <= _LARGEST:
        # Answering truthfully with odds e^epsilon means replacing with probability 2 / (1 + e^epsilon).
        replaced = 2 / (1 + numpy.exp(float_up(epsilon) * (1 + pure.ROUNDING)))
        return _response_curve(float(replaced), 2)
    return numpy.minimum(_concentrated_curve(epsilon**2 / 2), float_up(epsilon))


def _selected_curve(worst: Curve, mean: float, law: str) -> Curve:
    """The library prices repetitions of an event; this one is a table of divergences already."""
    from dp_accounting.rdp import rdp_privacy_accountant as library

    shape = {"logarithmic": 0.0, "geometric": 1.0, "poisson": float("inf")}[law]
    # Not public there, but the public event cannot say "one of several candidates".
    curve: Curve = library._compute_rdp_repeat_and_select(_orders(), worst, mean, shape)  # noqa: SLF001
    return curve * (1 + pure.ROUNDING)


def _laplace_curve(epsilon: Fraction) -> Curve:
    from dp_accounting import dp_event

    if not _SMALLEST <= epsilon <= _LARGEST:
        return _pure_curve(epsilon)
    return _by_library(dp_event.LaplaceDpEvent(float_down(1 / epsilon)))


def _response_curve(replaced: float, buckets: int) -> Curve:
    from dp_accounting import NeighboringRelation, dp_event

    event = dp_event.RandomizedResponseDpEvent(replaced, buckets)
    return _by_library(event, NeighboringRelation.REPLACE_ONE)


@lru_cache(maxsize=1024)
def _by_library(event: Any, relation: Any = None) -> Curve:
    """One event, composed once, in a fresh accountant: counts are never left to the library."""
    from dp_accounting import NeighboringRelation
    from dp_accounting.rdp import RdpAccountant

    accountant = RdpAccountant(_orders(), relation or NeighboringRelation.ADD_OR_REMOVE_ONE)
    accountant.compose(event)
    curve: Curve = accountant.rdp
    return curve
