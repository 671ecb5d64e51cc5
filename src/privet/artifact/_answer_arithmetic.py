"""Arithmetic with released answers: sums, differences, ratios, shares and trends, each with an error bar of its own.

    icu = answer.quantity("patients", ward="ICU")
    change = answer.quantity("patients", week=2) - answer.quantity("patients", week=1)
    share = icu / answer.total("patients")

Everything is computed from the release alone and costs nothing. A number knows which draws of noise it holds, so
that noise which two numbers share is counted once: a part over its whole, or a number minus itself, comes out
right. Only the noise is covered: how the people themselves would vary is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from privet.errors import BadArithmetic
from privet.guarantee import Event, Term, mixture_half_width, strays_beyond

# One draw of noise: the ledger entry that paid for it, which of its questions, the vector, and the row of it.
Draw = tuple[str, str, str, int]
Number = int | float | Fraction

# How far outwards the ends of a ratio are looked for, in widths of its first guess.
_OUTWARDS = 60


@dataclass(frozen=True)
class Quantity:
    """A noisy number: its value, and the weight of every draw of noise in it."""

    value: float
    noise: Mapping[Draw, tuple[Event, float]] = field(default_factory=dict, repr=False)
    confidence: float = 0.95

    def half_width(self, confidence: float | None = None) -> float:
        """How far the noise moves the value, at this confidence."""
        return mixture_half_width(self.terms(), self.confidence if confidence is None else confidence)

    def terms(self) -> list[Term]:
        """The independent noises in it."""
        return [Term(weight, event) for event, weight in self.noise.values()]

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return self.value - self.half_width()

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        return self.value + self.half_width()

    @property
    def differs_from_zero(self) -> bool:
        """Whether the noise alone does not explain the value."""
        return abs(self.value) > self.half_width()

    def __add__(self, other: Quantity | Number) -> Quantity:
        return self._plus(other, 1.0)

    def __radd__(self, other: Number) -> Quantity:
        return self._plus(other, 1.0)

    def __sub__(self, other: Quantity | Number) -> Quantity:
        return self._plus(other, -1.0)

    def __rsub__(self, other: Number) -> Quantity:
        return (self * -1.0)._plus(other, 1.0)

    def __neg__(self) -> Quantity:
        return self * -1.0

    def __mul__(self, factor: Number | Quantity) -> Quantity:
        """Times an exact number. The product of two noisy numbers has no error bar here."""
        if isinstance(factor, Quantity):
            raise BadArithmetic(
                "two noisy numbers are not multiplied: their product is biased and has no sound error bar.",
                "Ask for the product as a question of its own, or for a ratio.",
            )
        scale = float(factor)
        noise = {draw: (event, weight * scale) for draw, (event, weight) in self.noise.items()}
        return Quantity(self.value * scale, noise, self.confidence)

    __rmul__ = __mul__

    def __truediv__(self, other: Quantity | Number) -> Quantity | Ratio:
        """Over an exact number: a quantity. Over a noisy one: a ratio, with an interval that need not be symmetric."""
        return Ratio.of(self, other) if isinstance(other, Quantity) else self * (1 / float(other))

    def _plus(self, other: Quantity | Number, sign: float) -> Quantity:
        if not isinstance(other, Quantity):
            return Quantity(self.value + sign * float(other), self.noise, self.confidence)
        noise = dict(self.noise)
        for draw, (event, weight) in other.noise.items():
            noise[draw] = (event, noise.get(draw, (event, 0.0))[1] + sign * weight)
        confidence = min(self.confidence, other.confidence)
        return Quantity(self.value + sign * other.value, noise, confidence)

    def __str__(self) -> str:
        return f"{self.value:,.6g} ± {self.half_width():,.3g}"


@dataclass(frozen=True)
class Ratio:
    """A noisy number over another. None where the noise alone could have made what is divided by."""

    value: float | None
    low: float | None
    high: float | None
    confidence: float

    @classmethod
    def of(cls, above: Quantity, below: Quantity) -> Ratio:
        """All ratios r for which the noise explains the distance of above - r · below from zero (Fieller 1954).

        The set is an interval as long as the noise cannot bring `below` to zero; otherwise nothing can be said.
        """
        confidence = min(above.confidence, below.confidence)
        if not below.differs_from_zero:
            return cls(None, None, None, confidence)
        centre = above.value / below.value

        def outside(ratio: float) -> bool:
            rest = above - below * ratio
            return strays_beyond(rest.terms(), abs(rest.value), confidence)

        first = (above - below * centre).half_width(confidence) / abs(below.value)
        if not first:
            return cls(centre, centre, centre, confidence)
        low, high = _end(outside, centre, -first), _end(outside, centre, first)
        return (
            cls(None, None, None, confidence)
            if low is None or high is None
            else cls(centre, low, high, confidence)
        )

    def __sub__(self, number: Number) -> Ratio:
        """Less an exact number: a ratio minus one is a relative change."""
        return self._moved(lambda value: value - float(number))

    def __mul__(self, number: Number) -> Ratio:
        """Times an exact number: a hundredfold for per cent."""
        factor = float(number)
        moved = self._moved(lambda value: value * factor)
        return Ratio(moved.value, moved.high, moved.low, moved.confidence) if factor < 0 else moved

    def _moved(self, move: Callable[[float], float]) -> Ratio:
        value, low, high = (None if end is None else move(end) for end in (self.value, self.low, self.high))
        return Ratio(value, low, high, self.confidence)

    def __str__(self) -> str:
        if self.value is None or self.low is None or self.high is None:
            return "too noisy to tell"
        return f"{self.value:.4g} [{self.low:.4g}, {self.high:.4g}]"


@dataclass(frozen=True)
class Trend:
    """A straight line through released values: how much they rise for each step, and where they start."""

    slope: Quantity
    start: Quantity
    steps: int

    @property
    def says(self) -> str:
        """Whether there is a trend beyond the noise, in words."""
        if not self.slope.differs_from_zero:
            return "no trend that the noise alone does not explain"
        return "rising" if self.slope.value > 0 else "falling"


def trend(points: Sequence[tuple[float, Quantity]]) -> Trend:
    """The least-squares line through noisy values at exact places; both ends of it are sums, so their bars are exact."""
    if len({place for place, _ in points}) < 2:
        raise BadArithmetic("a trend needs values at two different places.", "Give more weeks, or years.")
    middle = sum(place for place, _ in points) / len(points)
    spread = sum((place - middle) ** 2 for place, _ in points)
    slope = added((quantity, (place - middle) / spread) for place, quantity in points)
    mean = added((quantity, 1 / len(points)) for _, quantity in points)
    return Trend(slope, mean - slope * (middle - min(place for place, _ in points)), len(points))


def added(parts: Iterable[tuple[Quantity, float]]) -> Quantity:
    """A weighted sum; linear in the number of parts."""
    value, noise, confidence = 0.0, dict[Draw, tuple[Event, float]](), 1.0
    for quantity, weight in parts:
        value += quantity.value * weight
        confidence = min(confidence, quantity.confidence)
        for draw, (event, held) in quantity.noise.items():
            noise[draw] = (event, noise.get(draw, (event, 0.0))[1] + held * weight)
    return Quantity(value, noise, confidence)


def _end(outside: Callable[[float], bool], centre: float, step: float) -> float | None:
    """Where the ratios that the noise explains end, in the direction of `step`; None if they do not."""
    inner, outer = centre, centre + step
    tried = 0
    while not outside(outer):
        inner, outer = outer, outer + step * 1.6**tried
        tried += 1
        if tried > _OUTWARDS:
            return None
    for _ in range(30):
        middle = (inner + outer) / 2
        inner, outer = (inner, middle) if outside(middle) else (middle, outer)
    return outer
