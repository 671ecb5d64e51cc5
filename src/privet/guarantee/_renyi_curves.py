"""Rényi divergences at a fixed list of orders, computed by dp_accounting: the pieces that mechanisms' curves are made of."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from privet.guarantee._costs import ROUNDING
from privet.guarantee.exact_amounts import float_down, float_up

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

    Curve = NDArray[float64]

# Below, order · epsilon² / 2 is as good and quicker, and loses no digits to cancellation; above, powers overflow.
_SMALLEST, _LARGEST = Fraction(1, 100), Fraction(300)


@lru_cache(maxsize=1)
def orders() -> Curve:
    """The orders at which every curve is known."""
    import numpy
    from dp_accounting.rdp import rdp_privacy_accountant as library

    return numpy.array(library.DEFAULT_RDP_ORDERS, dtype=float)


def concentrated_curve(rho: Fraction) -> Curve:
    """That of rho-zCDP: order · rho."""
    from dp_accounting import dp_event

    return _by_library(dp_event.ZCDpEvent(float_up(rho)))


def pure_curve(epsilon: Fraction) -> Curve:
    """That of two-sided randomised response, the worst epsilon-private mechanism (Kairouz, Oh, Viswanath 2015)."""
    import numpy

    if in_range(epsilon):
        # Answering truthfully with odds e^epsilon means replacing with probability 2 / (1 + e^epsilon).
        replaced = 2 / (1 + numpy.exp(float_up(epsilon) * (1 + ROUNDING)))
        return response_curve(float(replaced), 2)
    return numpy.minimum(concentrated_curve(epsilon**2 / 2), float_up(epsilon))


def laplace_curve(epsilon: Fraction) -> Curve:
    """That of Laplace noise of scale 1 / epsilon on sensitivity 1."""
    from dp_accounting import dp_event

    if not in_range(epsilon):
        return pure_curve(epsilon)
    return _by_library(dp_event.LaplaceDpEvent(float_down(1 / epsilon)))


def response_curve(replaced: float, buckets: int) -> Curve:
    """That of an answer replaced with this probability by a random bucket."""
    from dp_accounting import NeighboringRelation, dp_event

    event = dp_event.RandomizedResponseDpEvent(replaced, buckets)
    return _by_library(event, NeighboringRelation.REPLACE_ONE)


def sampled_gaussian_curve(q: Fraction, rho: Fraction) -> Curve:
    """That of Gaussian noise of this rho on a Poisson sample (Mironov, Talwar, Zhang 2019)."""
    from dp_accounting import dp_event

    multiplier = float_down(1 / (2 * rho)) ** 0.5
    inner = dp_event.GaussianDpEvent(multiplier * (1 - ROUNDING))
    return _by_library(dp_event.PoissonSampledDpEvent(float_up(q), inner))


def selected_curve(worst: Curve, mean: float, law: str) -> Curve:
    """The library prices repetitions of an event; this one is a table of divergences already."""
    from dp_accounting.rdp import rdp_privacy_accountant as library

    shape = {"logarithmic": 0.0, "geometric": 1.0, "poisson": float("inf")}[law]
    # Not public there, but the public event cannot say "one of several candidates".
    curve: Curve = library._compute_rdp_repeat_and_select(orders(), worst, mean, shape)  # noqa: SLF001
    return curve * (1 + ROUNDING)


def in_range(epsilon: Fraction) -> bool:
    """Whether the library's closed forms keep their digits at this epsilon."""
    return _SMALLEST <= epsilon <= _LARGEST


@lru_cache(maxsize=1024)
def _by_library(event: Any, relation: Any = None) -> Curve:
    """One event, composed once, in a fresh accountant: counts are never left to the library."""
    from dp_accounting import NeighboringRelation
    from dp_accounting.rdp import RdpAccountant

    accountant = RdpAccountant(orders(), relation or NeighboringRelation.ADD_OR_REMOVE_ONE)
    accountant.compose(event)
    curve: Curve = accountant.rdp
    return curve
