"""The other way round: the noise, the threshold or the number of repeats that a target allows.

Whatever is returned has been checked with the accountant, exactly as it will be charged: a result may waste a
little of the target and never exceeds it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

from privet.errors import BadInput, UnsoundAlgebra, UnsupportedEvent
from privet.guarantee._basic_composition import pure_cost
from privet.guarantee._composition import epsilon_for
from privet.guarantee._events import Event
from privet.guarantee._loss_grid import TooLargeForGrid
from privet.guarantee._parameter_search import TIGHT, edge, grows, log_ratio, whole_edge
from privet.guarantee._privacy_units import Change
from privet.guarantee._promise_registry import ApproxDP, PureDP, ZeroConcentratedDP
from privet.guarantee._zero_concentrated import zcdp_cost
from privet.guarantee.exact_amounts import Number, positive
from privet.guarantee.mechanisms import (
    bound_for,
    epsilon_for_error,
    gaussian_sigma,
    laplace_scale,
    rho_for_error,
    threshold_for,
)

__all__ = [
    "bound_for",
    "calibrate",
    "epsilon_for_error",
    "gaussian_sigma",
    "laplace_scale",
    "rho_for_error",
    "solve",
    "threshold_for",
]

Family: TypeAlias = Callable[[Fraction], Event]
Target: TypeAlias = PureDP | ApproxDP | ZeroConcentratedDP

_LOOSE = 1e-6  # relative width at which a search stops where each step composes a whole plan


def calibrate(
    family: Family,
    target: Target,
    *,
    accountant: str | None = None,
    larger_is_safer: bool = True,
    change: Change = Change.ADD_OR_REMOVE,
) -> Fraction:
    """The parameter with the least noise for which `family(parameter)` meets the target.

    The parameter is exactly representable as a float. `family` must cost less the larger the parameter is, or
    less the smaller it is with `larger_is_safer=False`; values it refuses count as not meeting the target.
    """
    if not isinstance(target, PureDP | ApproxDP | ZeroConcentratedDP):
        raise UnsoundAlgebra(
            f"{type(target).__name__} is not a target to calibrate to.",
            "Use PureDP, ApproxDP or ZeroConcentratedDP.",
        )

    def excess(value: Fraction) -> float | None:
        return _guarded(lambda: _excess(family(value), target, accountant, change))

    cheap = not isinstance(target, ApproxDP) or accountant in ("pure", "zcdp")
    return edge(excess, upwards=not larger_is_safer, precision=TIGHT if cheap else _LOOSE)


def _excess(event: Event, target: Target, accountant: str | None, change: Change) -> float:
    """The logarithm of the loss over the target: the event meets the target where this is not positive."""
    if isinstance(target, PureDP):
        basic = pure_cost(event, change=change)
        # Any delta at all breaks a pure target, however small epsilon is.
        return log_ratio(basic.epsilon, target.epsilon) if basic.delta == 0 else math.inf
    if isinstance(target, ZeroConcentratedDP):
        concentrated = zcdp_cost(event, change=change)
        return log_ratio(concentrated.rho, target.rho) if concentrated.delta == 0 else math.inf
    loss = epsilon_for(event, target.delta, accountant=accountant, change=change)
    return log_ratio(loss.epsilon, target.epsilon)


def _guarded(measure: Callable[[], float]) -> float | None:
    """The measure; infinite where the loss is too large to compute; None where the family refuses the value."""
    try:
        return measure()
    # More noise makes it fit: to the search this is a loss far above the target, and no refusal.
    except TooLargeForGrid:
        return math.inf
    # No value of the parameter would make such an event priceable: searching on would end in a misleading
    # answer.
    except UnsupportedEvent:
        raise
    except BadInput:
        return None


def solve(
    family: Family,
    delta: Number,
    epsilon: Number,
    *,
    increasing: bool | None = None,
    integer: bool = False,
    accountant: str | None = None,
    change: Change = Change.ADD_OR_REMOVE,
) -> Fraction:
    """The value of one free parameter at which the loss comes closest to (epsilon, delta) from below.

    The parameter may be a scale, a sigma, a probability, an epsilon, a rho or, with `integer`, a count (the
    family is then handed whole numbers). Whether the loss grows with it is found out by trying, unless
    `increasing` says so; the answer is the largest value that fits if it does, the smallest if it does not, to a
    relative precision of 1e-6. Values that the family refuses, such as a probability above 1, lie outside.
    """
    target = positive(epsilon, "epsilon")

    def excess(value: Fraction) -> float | None:
        return _guarded(
            lambda: log_ratio(
                epsilon_for(family(value), delta, accountant=accountant, change=change).epsilon, target
            )
        )

    if increasing is None:
        increasing = grows(excess, integer=integer)
    if integer:
        return Fraction(whole_edge(excess, upwards=increasing))
    return edge(excess, upwards=increasing, precision=_LOOSE)
