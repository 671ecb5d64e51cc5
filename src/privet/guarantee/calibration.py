"""The other way round: the noise, the threshold or the number of repeats that a target allows.

Whatever is returned has been checked with the accountant, exactly as it will be charged: a result may waste a
little of the target and never exceeds it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

from privet.errors import BadInput, NoSolution, UnsoundAlgebra, UnsupportedEvent
from privet.guarantee.amounts import LOSS_UNIT, Number, float_up, positive, units_up, whole
from privet.guarantee.composing import epsilon_for
from privet.guarantee.concentrated import zcdp_cost
from privet.guarantee.error import half_width as half_width_of
from privet.guarantee.events import DiscreteGaussian, DiscreteLaplace, Event
from privet.guarantee.loss_distribution import TooLargeForGrid
from privet.guarantee.promises import ApproxDP, PureDP, ZeroConcentratedDP
from privet.guarantee.pure import pure_cost, threshold_delta, truncated_delta
from privet.guarantee.units import Change

Family: TypeAlias = Callable[[Fraction], Event]
Target: TypeAlias = PureDP | ApproxDP | ZeroConcentratedDP
# How far a value is above the target, in logarithms; None where there is no such value.
Excess: TypeAlias = Callable[[Fraction], float | None]
Known: TypeAlias = Callable[[float], float | None]

_TIGHT = 1e-9  # relative width at which a search over closed formulas stops
_LOOSE = 1e-6  # the same where each step composes a whole plan
_LARGEST_SCALE = Fraction(2**62)  # of integer noise, as its events have it
_FURTHEST = 62  # powers of two, up and down, that a search looks through


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
    return _edge(excess, upwards=not larger_is_safer, precision=_TIGHT if cheap else _LOOSE)


def _excess(event: Event, target: Target, accountant: str | None, change: Change) -> float:
    """The logarithm of the loss over the target: the event meets the target where this is not positive."""
    if isinstance(target, PureDP):
        basic = pure_cost(event, change=change)
        return _log_ratio(basic.epsilon, target.epsilon) if basic.delta == 0 else math.inf
    if isinstance(target, ZeroConcentratedDP):
        concentrated = zcdp_cost(event, change=change)
        return _log_ratio(concentrated.rho, target.rho) if concentrated.delta == 0 else math.inf
    loss = epsilon_for(event, target.delta, accountant=accountant, change=change)
    return _log_ratio(loss.epsilon, target.epsilon)


def _log_ratio(found: Fraction | float, target: Fraction) -> float:
    """The logarithm of found / target, with the sign of the exact comparison."""
    if found == math.inf:
        return math.inf
    ratio = float(Fraction(found) / target)
    size = math.log(ratio) if ratio > 0 else -math.inf
    return min(size, 0.0) if found <= target else max(size, math.ulp(0.0))


def _guarded(measure: Callable[[], float]) -> float | None:
    """The measure; infinite where the loss is too large to compute; None where the family refuses the value."""
    try:
        return measure()
    except TooLargeForGrid:
        return math.inf
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
            lambda: _log_ratio(
                epsilon_for(family(value), delta, accountant=accountant, change=change).epsilon, target
            )
        )

    if increasing is None:
        increasing = _grows(excess, integer=integer)
    if integer:
        return Fraction(_whole_edge(excess, upwards=increasing))
    return _edge(excess, upwards=increasing, precision=_LOOSE)


def _grows(excess: Excess, *, integer: bool) -> bool:
    """Whether the loss rises with the parameter: judged by the first two values whose losses differ."""
    seen: list[tuple[Fraction, float]] = []
    for power in _powers():
        value = Fraction(2) ** power
        found = None if integer and power < 0 else excess(value)
        if found is None:
            continue
        for other, other_excess in seen:
            if other_excess != found:
                return (found > other_excess) == (value > other)
        seen.append((value, found))
        if len(seen) > 24:
            break
    raise NoSolution("the loss does not depend on the unknown.", "Put the unknown where it matters.")


def _powers() -> Iterator[int]:
    """0, -1, 1, -2, 2, …: values near 1 are the likely ones."""
    yield 0
    for power in range(1, _FURTHEST + 1):
        yield -power
        yield power


def _fits(excess: float | None) -> bool:
    return excess is not None and excess <= 0


def _edge(excess: Excess, *, upwards: bool, precision: float) -> Fraction:
    """The last float that fits on the way up, or on the way down, to a relative precision."""
    known = lru_cache(maxsize=None)(lambda value: excess(Fraction(value)))
    start = next((2.0**power for power in _powers() if known(2.0**power) is not None), None)
    if start is None:
        raise NoSolution("the family takes none of the values tried.", "Check its other parameters.")
    factor = 2.0 if upwards else 0.5
    if _fits(known(start)):
        inside, outside = _walk_out(known, start, factor)
    else:
        inside, outside = _walk_in(known, start, 1 / factor)
    while abs(outside - inside) > precision * inside:
        for value in (*_guesses(known, inside, outside, precision), None):
            middle = (inside + outside) / 2 if value is None else value
            if not min(inside, outside) < middle < max(inside, outside):
                continue
            inside, outside = (middle, outside) if _fits(known(middle)) else (inside, middle)
            if abs(outside - inside) <= precision * inside:
                break
    return Fraction(inside)


def _guesses(known: Known, inside: float, outside: float, precision: float) -> tuple[float, ...]:
    """Two values closely around where a straight line, in logarithms, says that the target is met."""
    low, high = known(inside), known(outside)
    if low is None or high is None or not math.isfinite(low) or not math.isfinite(high) or low == high:
        return ()
    line = math.exp(math.log(inside) + low / (low - high) * (math.log(outside) - math.log(inside)))
    margin = math.copysign(0.4 * precision, inside - outside)
    return (line * (1 + margin), line * (1 - margin))


def _walk_out(known: Known, start: float, factor: float) -> tuple[float, float]:
    """From a value that fits, away from safety, to the first that does not."""
    inside = start
    for _ in range(_FURTHEST):
        outside = inside * factor
        if not _fits(known(outside)):
            return inside, outside
        inside = outside
    raise NoSolution("every value meets the target.", "Nothing limits the parameter: tighten the target.")


def _walk_in(known: Known, start: float, factor: float) -> tuple[float, float]:
    """From a value that does not fit, towards safety, to the first that does; up to the end of the domain.

    A finite loss that turns infinite ends the domain too: a parameter may lower epsilon and raise delta.
    """
    outside, beyond = start, None
    for _ in range(_FURTHEST):
        candidate = outside * factor if beyond is None else (outside + beyond) / 2
        found = known(candidate)
        if _fits(found):
            return candidate, outside
        if found is None or (found == math.inf and known(outside) != math.inf):
            beyond = candidate
        else:
            outside = candidate
    raise NoSolution("no value of the parameter meets the target.", "Loosen the target.")


def _whole_edge(excess: Excess, *, upwards: bool) -> int:
    """The largest whole number that fits when going up, the smallest when going down."""

    def before(value: int) -> bool:
        return _fits(excess(Fraction(value))) is upwards

    low, high = 0, 1
    while before(high):
        low, high = high, 2 * high
        if high > 2**_FURTHEST:
            raise NoSolution("no whole number is the edge of what meets the target.", "Change the target.")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if before(middle) else (low, middle)
    if upwards and low == 0:
        raise NoSolution("not even one meets the target.", "Raise epsilon or delta, or use more noise.")
    return low if upwards else high


# --- closed forms ------------------------------------------------------------------------------


def laplace_scale(epsilon: Number, total: int) -> Fraction:
    """The least scale, as a float, of (discrete) Laplace noise on L1 sensitivity `total` at epsilon."""
    return Fraction(float_up(whole(total, "total") / positive(epsilon, "epsilon")))


def gaussian_sigma(rho: Number, largest: int, coordinates: int = 1) -> Fraction:
    """The least sigma, as a float, of (discrete) Gaussian noise at rho.

    One unit changes at most `coordinates` coordinates by at most `largest` each.
    """
    square = whole(coordinates, "coordinates") * whole(largest, "largest") ** 2 / (2 * positive(rho, "rho"))
    sigma = math.sqrt(float_up(square))
    while Fraction(sigma) ** 2 < square:
        sigma = math.nextafter(sigma, math.inf)
    while Fraction(math.nextafter(sigma, 0)) ** 2 >= square:
        sigma = math.nextafter(sigma, 0)
    return Fraction(sigma)


def threshold_for(scale: Number, keys: int, delta: Number, reach: int = 1, parts: int = 1) -> int:
    """The smallest threshold at which keys of one person alone stay hidden except with probability delta.

    `reach` and `parts` are those of `ThresholdedKeys`.
    """

    def cost(noise: Fraction, threshold: int, count: int) -> Fraction:
        return threshold_delta(noise, threshold, count, reach, parts)

    return _smallest(cost, scale, keys, delta, below=parts * reach)


def bound_for(scale: Number, keys: int, delta: Number) -> int:
    """The smallest bound of truncated noise that costs no more than delta over `keys` keys."""
    return _smallest(truncated_delta, scale, keys, delta, below=0)


def _smallest(
    cost: Callable[[Fraction, int, int], Fraction], scale: Number, keys: int, delta: Number, *, below: int
) -> int:
    """The smallest whole number above `below` whose delta, which falls with it, is at most the one given."""
    noise, allowed = positive(scale, "scale", at_most=_LARGEST_SCALE), positive(delta, "delta")
    count = whole(keys, "keys")

    def enough(value: int) -> bool:
        return cost(noise, value, count) <= allowed

    low, high = below, below + 1
    while not enough(high):
        low, high = high, 2 * high
        if high > 2**_FURTHEST:
            raise NoSolution("no threshold reaches this delta.", "Raise delta or lower the scale.")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def epsilon_for_error(half_width: Number, confidence: float, total: int = 1) -> Fraction:
    """The least epsilon at which discrete Laplace noise strays no further than `half_width`.

    That is with probability `confidence`, on L1 sensitivity `total`; `laplace_scale` turns it back into noise.
    """
    width = positive(half_width, "half_width")

    def excess(scale: Fraction) -> float:
        return _log_ratio(half_width_of(DiscreteLaplace(scale), confidence), width)

    scale = _edge(excess, upwards=True, precision=_TIGHT)
    return units_up(whole(total, "total") / scale, LOSS_UNIT) * LOSS_UNIT


def rho_for_error(half_width: Number, confidence: float, largest: int = 1, coordinates: int = 1) -> Fraction:
    """The least rho at which discrete Gaussian noise strays no further than `half_width`.

    That is on each coordinate with probability `confidence`; `gaussian_sigma` turns it back into noise.
    """
    width = positive(half_width, "half_width")

    def excess(sigma: Fraction) -> float:
        return _log_ratio(half_width_of(DiscreteGaussian(sigma), confidence), width)

    sigma = _edge(excess, upwards=True, precision=_TIGHT)
    square = whole(coordinates, "coordinates") * whole(largest, "largest") ** 2
    return units_up(square / (2 * sigma**2), LOSS_UNIT) * LOSS_UNIT
