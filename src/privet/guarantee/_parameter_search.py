"""Searches for the edge of what meets a target: over floats, over whole numbers, whatever is measured.

What is searched is given as its *excess*: the logarithm of the loss (or the error) over the target, so that a value
meets the target where the excess is not positive; None where there is no such value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

from privet.errors import NoSolution

Excess: TypeAlias = Callable[[Fraction], float | None]
_Known: TypeAlias = Callable[[float], float | None]

TIGHT = 1e-9  # relative width at which a search over closed formulas stops
_FURTHEST = 62  # powers of two, up and down, that a search looks through


def log_ratio(found: Fraction | float, target: Fraction) -> float:
    """The logarithm of found / target, with the sign of the exact comparison."""
    if found == math.inf:
        return math.inf
    ratio = float(Fraction(found) / target)
    size = math.log(ratio) if ratio > 0 else -math.inf
    # The quotient may round to one where the exact numbers differ; a value must not pass by that.
    return min(size, 0.0) if found <= target else max(size, math.ulp(0.0))


def grows(excess: Excess, *, integer: bool) -> bool:
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
        # Losses that stay equal over so many powers of two do not depend on it.
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


def edge(excess: Excess, *, upwards: bool, precision: float) -> Fraction:
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
            # A guess beyond the bracket says that the curve is not straight there: the middle is still sure
            # to help.
            if not min(inside, outside) < middle < max(inside, outside):
                continue
            inside, outside = (middle, outside) if _fits(known(middle)) else (inside, middle)
            if abs(outside - inside) <= precision * inside:
                break
    return Fraction(inside)


def _guesses(known: _Known, inside: float, outside: float, precision: float) -> tuple[float, ...]:
    """Two values closely around where a straight line, in logarithms, says that the target is met."""
    low, high = known(inside), known(outside)
    if low is None or high is None or not math.isfinite(low) or not math.isfinite(high) or low == high:
        return ()
    line = math.exp(math.log(inside) + low / (low - high) * (math.log(outside) - math.log(inside)))
    margin = math.copysign(0.4 * precision, inside - outside)
    return (line * (1 + margin), line * (1 - margin))


def _walk_out(known: _Known, start: float, factor: float) -> tuple[float, float]:
    """From a value that fits, away from safety, to the first that does not."""
    inside = start
    for _ in range(_FURTHEST):
        outside = inside * factor
        if not _fits(known(outside)):
            return inside, outside
        inside = outside
    raise NoSolution("every value meets the target.", "Nothing limits the parameter: tighten the target.")


def _walk_in(known: _Known, start: float, factor: float) -> tuple[float, float]:
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


def whole_edge(excess: Excess, *, upwards: bool) -> int:
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


def smallest_whole(cost: Callable[[int], Fraction], allowed: Fraction, *, above: int) -> int:
    """The smallest whole number above `above` whose delta, which falls with it, is at most the one allowed."""
    low, high = above, above + 1
    while cost(high) > allowed:
        low, high = high, 2 * high
        if high > 2**_FURTHEST:
            raise NoSolution("no threshold reaches this delta.", "Raise delta or lower the scale.")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if cost(middle) <= allowed else (middle, high)
    return high
