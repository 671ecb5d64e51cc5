"""The number in the place of `?`, as people write numbers: `calibration.solve` on a template of the language."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from privet.errors import BadAmount, BadUsage, NoSolution, UnsupportedEvent
from privet.guarantee import calibration
from privet.guarantee.amounts import Number, exact
from privet.guarantee.composing import epsilon_for
from privet.guarantee.events import Event
from privet.guarantee.notation import Template, Unknown
from privet.guarantee.units import Change
from privet.guarantee.vocabulary import LARGEST_COUNT

_DIGITS = 6
# Steps of the search in the logarithm of the value: to bracket the edge, and how near it counts as found.
_STRIDE, _CLOSE = 0.25, 5e-7
_TINY = 1e-300


@dataclass(frozen=True)
class _Question:
    """One search: the template, the target, and who judges."""

    template: Template
    unknown: Unknown
    epsilon: Fraction
    delta: Fraction
    change: Change
    each_step: Callable[[], None]

    def loss(self, value: Fraction, accountant: str | None) -> float:
        self.each_step()
        event = self.template.event(value)
        return epsilon_for(event, self.delta, accountant=accountant, change=self.change).epsilon

    def bisected(self, accountant: str | None) -> Fraction:
        """The edge by halving alone: for whole numbers, for accountants that answer at once, for hard cases."""
        # The search starts at 1, where some whole parameters are refused and some probabilities are special.
        shift = 1 if self.unknown.whole and not _accepts(self.template, 1) else 0
        scale = 1 if self.unknown.whole else self.unknown.trial

        def family(value: Fraction) -> Event:
            self.each_step()
            return self.template.event(scale * value + shift)

        return shift + scale * calibration.solve(
            family,
            self.delta,
            self.epsilon,
            increasing=not self.unknown.larger_is_safer,
            integer=self.unknown.whole,
            accountant=accountant,
            change=self.change,
        )


def solve(
    template: Template,
    *,
    epsilon: Number,
    delta: Number = 0,
    accountant: str | None = None,
    change: Change = Change.ADD_OR_REMOVE,
    each_step: Callable[[], None] = lambda: None,
) -> Fraction:
    """The least noise, or the most of what costs, that keeps `epsilon` at `delta`, to six digits.

    The value was itself checked against the target. `each_step` is called at each value tried. Raises
    `NoSolution` when no value keeps the target or nothing limits it.
    """
    unknown = template.unknown
    if unknown is None:
        raise BadUsage("there is no '?' to solve for.", "Write '?' for one parameter or count.")
    asked = _Question(template, unknown, exact(epsilon, "epsilon"), exact(delta, "delta"), change, each_step)
    if unknown.whole:
        return _limited(asked.bisected(accountant), unknown.parameter)
    found = None
    if accountant in (None, "pld") and asked.delta:
        found = _interpolated(asked, accountant)
    if found is None:
        found = asked.bisected(accountant)
    rounded = _written(found, up=unknown.larger_is_safer)
    keeps = _accepts(template, rounded) and asked.loss(rounded, accountant) <= asked.epsilon
    return rounded if keeps else found


def _interpolated(asked: _Question, accountant: str | None) -> Fraction | None:
    """The edge in a few steps, because each composes a whole loss distribution; None if it is not found so.

    A quick accountant gives a value that is safe and not far off; from there the root of log loss against log
    value is bracketed and found (Brent's method).
    """
    from scipy.optimize import brentq

    safe = _quick(asked)
    if safe is None:
        return None
    towards_risk = -_STRIDE if asked.unknown.larger_is_safer else _STRIDE

    def excess(logarithm: float) -> float:
        loss = asked.loss(Fraction(math.exp(logarithm)), accountant)
        return math.log(max(loss, _TINY)) - math.log(asked.epsilon)

    try:
        inside = math.log(safe)
        if excess(inside) > 0:
            return None
        while (beyond := excess(inside + towards_risk)) <= 0:
            inside, towards_risk = inside + towards_risk, 2 * towards_risk
        if beyond == math.inf:
            return None
        root = brentq(excess, inside, inside + towards_risk, xtol=_CLOSE / 4)
        value = Fraction(math.exp(root - math.copysign(_CLOSE, towards_risk)))
        return value if asked.loss(value, accountant) <= asked.epsilon else None
    except (BadAmount, UnsupportedEvent, OverflowError):
        # The end of what the mechanism or the accountant takes lies in between.
        return None


def _quick(asked: _Question) -> Fraction | None:
    """The edge by the best of the accountants that answer at once."""
    found: list[Fraction] = []
    for name in ("pure", "zcdp", "rdp"):
        try:
            found.append(asked.bisected(name))
        except (NoSolution, UnsupportedEvent):
            continue
    return (min if asked.unknown.larger_is_safer else max)(found, default=None)


def _accepts(template: Template, value: Fraction | int) -> bool:
    try:
        template.event(value)
    except BadAmount:
        return False
    return True


def _limited(found: Fraction, parameter: str) -> Fraction:
    """A whole number at the end of the search is no edge: nothing but the search limits it."""
    if found < LARGEST_COUNT:
        return found
    raise NoSolution(
        f"every {parameter} up to 1e9 keeps the target.",
        "There is nothing to solve for: choose it by other means.",
        parameter=parameter,
    )


def _written(value: Fraction, *, up: bool) -> Fraction:
    """The nearest number of six digits on the safe side. A value that has no more digits stays itself."""
    context = Context(prec=_DIGITS, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    return Fraction(context.divide(Decimal(value.numerator), Decimal(value.denominator)))
