"""The number in the place of `?`, as people write numbers: `calibration.solve` on a template of the language."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

from privet.errors import BadAmount, BadUsage, NoSolution, UnsupportedEvent
from privet.guarantee import _calibration as calibration
from privet.guarantee._calculator_notation import Template, Unknown
from privet.guarantee._calculator_vocabulary import LARGEST_COUNT
from privet.guarantee._composition import epsilon_for
from privet.guarantee._events import Event
from privet.guarantee._privacy_units import Change
from privet.guarantee.exact_amounts import Number, exact

_DIGITS = 6


@dataclass(frozen=True)
class _Question:
    """One search: the template, the target, and who judges."""

    template: Template
    unknown: Unknown
    epsilon: Fraction
    delta: Fraction
    change: Change
    each_step: Callable[[], None]

    def keeps(self, value: Fraction, accountant: str | None) -> bool:
        if not _accepts(self.template, value):
            return False
        self.each_step()
        event = self.template.event(value)
        return (
            epsilon_for(event, self.delta, accountant=accountant, change=self.change).epsilon <= self.epsilon
        )

    def edge(self, accountant: str | None, start: Fraction = Fraction(1)) -> Fraction:
        """The last value that keeps the target; the search begins at `start`."""
        # Some whole parameters begin at 2; `calibration.solve` always at 1.
        shift = 1 if self.unknown.whole and not _accepts(self.template, 1) else 0

        def family(value: Fraction) -> Event:
            self.each_step()
            return self.template.event(start * value + shift)

        return shift + start * calibration.solve(
            family,
            self.delta,
            self.epsilon,
            increasing=not self.unknown.larger_is_safer,
            integer=self.unknown.whole,
            accountant=accountant,
            change=self.change,
        )


def solve_notation(
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
        return _limited(asked.edge(accountant), unknown.parameter)
    found = asked.edge(accountant, _near(asked, accountant))
    for candidate in _written(found, up=unknown.larger_is_safer):
        if asked.keeps(candidate, accountant):
            return candidate
    return found


def _near(asked: _Question, accountant: str | None) -> Fraction:
    """Where to begin: at what the accountants that answer at once say, if each step composes distributions."""
    found: list[Fraction] = []
    for name in ("pure", "zcdp", "rdp") if asked.delta and accountant in (None, "pld") else ():
        try:
            found.append(asked.edge(name, asked.unknown.trial))
        except (NoSolution, UnsupportedEvent):
            continue
    return (min if asked.unknown.larger_is_safer else max)(found, default=asked.unknown.trial)


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


def _written(value: Fraction, *, up: bool) -> Iterator[Fraction]:
    """Numbers of six digits to say instead: the nearest, and the nearest on the safe side."""
    for rounding in (ROUND_HALF_EVEN, ROUND_CEILING if up else ROUND_FLOOR):
        context = Context(prec=_DIGITS, rounding=rounding)
        yield Fraction(context.divide(Decimal(value.numerator), Decimal(value.denominator)))
