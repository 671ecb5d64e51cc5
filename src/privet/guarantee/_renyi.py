"""Rényi accounting (Mironov 2017): at each order of a fixed list the Rényi divergences add.

`leaf_curve` asks each mechanism for its divergences; `_composed` is the only place where
they are multiplied by counts and added. What is only approximately private contributes its epsilon as a pure
event and its delta to a sum that is taken off the delta asked for (Bun and Steinke 2016, Lemmas 8.2 and 8.8).
"""

from __future__ import annotations

from fractions import Fraction
from functools import singledispatch
from typing import TYPE_CHECKING

from privet.errors import UnsupportedEvent
from privet.guarantee import _basic_composition as basic_composition
from privet.guarantee import _zero_concentrated as concentrated
from privet.guarantee._costs import ROUNDING
from privet.guarantee._events import Event, PoissonSampled, Selected, leaves
from privet.guarantee._privacy_units import Change
from privet.guarantee._renyi_curves import (
    concentrated_curve,
    orders,
    pure_curve,
    sampled_gaussian_curve,
    selected_curve,
)
from privet.guarantee.exact_amounts import float_down, float_up
from privet.guarantee.mechanisms import Mechanism

if TYPE_CHECKING:
    from privet.guarantee._renyi_curves import Curve


def renyi_epsilon(event: Event, delta: Fraction, *, change: Change = Change.ADD_OR_REMOVE) -> float:
    """The least epsilon over the orders at this delta, rounded up; infinite where delta is used up already."""
    from dp_accounting.rdp import rdp_privacy_accountant as library

    curve, spent = _composed(event, change)
    # Not even an infinite epsilon comes with a smaller delta than the events have by themselves.
    if delta <= spent:
        return float("inf")
    epsilon, _ = library.compute_epsilon(orders(), curve, float_down(delta - spent))
    return float(epsilon) * (1 + ROUNDING) + ROUNDING


def renyi_delta(event: Event, epsilon: Fraction, *, change: Change = Change.ADD_OR_REMOVE) -> float:
    """The least delta over the orders at this epsilon, rounded up."""
    import numpy
    from dp_accounting.rdp import rdp_privacy_accountant as library

    curve, spent = _composed(event, change)
    # The library takes the logarithm of 1 - exp(-divergence), which must not round to zero.
    curve = numpy.where(curve > 0, numpy.maximum(curve, 1e-15), 0.0)
    delta, _ = library.compute_delta(orders(), curve, float_down(epsilon))
    return min(1.0, float_up(spent) + float(delta) * (1 + 1e-9))


def _composed(event: Event, change: Change) -> tuple[Curve, Fraction]:
    import numpy

    total, spent = numpy.zeros(len(orders())), Fraction(0)
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
        basic = basic_composition.leaf_cost(event, change)
    except UnsupportedEvent:
        cost = concentrated.leaf_cost(event, change)
        return concentrated_curve(cost.rho), cost.delta
    return pure_curve(basic.epsilon), basic.delta


@leaf_curve.register(Mechanism)
def _(event: Mechanism, change: Change) -> tuple[Curve, Fraction]:
    """Its own, where it knows a better one."""
    curve = event.renyi_curve()
    return leaf_curve.dispatch(Event)(event, change) if curve is None else curve


@leaf_curve.register(PoissonSampled)
def _(event: PoissonSampled, change: Change) -> tuple[Curve, Fraction]:
    """Sampled Gaussian noise (Mironov, Talwar, Zhang 2019); anything else by the amplified (epsilon, delta)."""
    basic_composition.require_add_or_remove(event, change)
    if event.q == 1:
        return _composed(event.event, change)
    if not concentrated.only_gaussian(event.event):
        basic = basic_composition.leaf_cost(event, change)
        return pure_curve(basic.epsilon), basic.delta
    return sampled_gaussian_curve(event.q, concentrated.zcdp_cost(event.event).rho), Fraction(0)


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
    return selected_curve(numpy.max(curves, axis=0), float_up(event.mean), event.law), Fraction(0)
