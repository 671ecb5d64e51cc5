"""Composing privacy-loss distributions with exponential tilting: small deltas after very many steps, to the digit.

The distribution of a sum of losses is a product of Fourier transforms, whose rounding errors are a fixed share of the
*largest* mass. After 100,000 steps they are 1e-10, and drown the tail that a delta of 1e-10 is about. So the masses are
tilted first: multiplied by exp(t · loss) and normalised, with the t for which the composed mean lies at the epsilon that is
asked for (Esscher 1932; for privacy losses Alghamdi, Gomez, Asoodeh, Calmon, Kosut and Sankar 2023, "The Saddle-Point
Method in Differential Privacy"). Tilting commutes with composing, and is taken back afterwards; the tail is then where
the mass is, and errors are a small share of *delta*. All that is rounded off or cut off is bounded below and added to delta:

- losses beyond the window of the transform: by Chernoff's bound; what wraps around only ever adds mass;
- Fourier transforms: each value of one is off by at most gamma = 4 u log2(length) of the total mass (Higham 2002,
  section 24.1), a product of n of them by n gamma times the others;
- masses, their tilts and their logarithms: a relative error per step, with the number of steps as an exponent.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from privet.guarantee._loss_grid import require_room

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Floats = NDArray[numpy.float64]

__all__ = ["TiltedComposition"]

_UNIT = 2.0**-53
# Logarithms of what may lie beyond the window, as a share of the delta that is asked for, and of the tilted masses.
_BEYOND = math.log(1e-7)
_WRAPPED = math.log(1e-12)
# Rounding errors of the transform above this share of delta are worth doing it in extended precision, where there is one.
_BLUR = 1e-3
_SUMMED = 1e-13
_HALVINGS = 5
_ROUNDS, _WORTH_ANOTHER = 4, 0.9
# A tilt, for one step of the grid at the most: beyond, the neighbour of the highest point weighs nothing beside it.
_LEAST_TILT, _MOST_TILT = 1e-9, 30.0
_LONGEST = 2**25
# Tilts are looked for with neighbours put together, for this share of the loss; what is then claimed of a tilt is computed on
# all points. Those near no loss, where most of a step's mass lies, stay alone.
_TOGETHER = 1 / 256


@dataclass(frozen=True)
class _Part:
    """One distribution on the grid, and how often it is composed."""

    first: int  # the grid point of the first mass
    masses: Floats
    infinite: float
    count: int

    @cached_property
    def points(self) -> Floats:
        import numpy

        return self.first + numpy.arange(len(self.masses), dtype=numpy.float64)

    @cached_property
    def logarithms(self) -> Floats:
        import numpy

        with numpy.errstate(divide="ignore"):
            return numpy.log(self.masses)

    @cached_property
    def rough(self) -> tuple[Floats, Floats]:
        """Points and logarithms of masses, neighbours put together: near enough to look for a good tilt."""
        import numpy

        last = self.first + len(self.masses) - 1
        most = math.ceil(math.log1p(max(abs(self.first), abs(last)) * _TOGETHER) / _TOGETHER)
        far = numpy.unique(numpy.floor(numpy.expm1(numpy.arange(most + 1) * _TOGETHER) / _TOGETHER))
        inside = numpy.concatenate([-far[::-1], far, [self.first]])
        begins = (
            numpy.unique(inside[(inside >= self.first) & (inside <= last)]).astype(numpy.int64) - self.first
        )
        masses = numpy.add.reduceat(self.masses, begins)
        there = masses > 0
        centres = numpy.add.reduceat(self.masses * self.points, begins)[there] / masses[there]
        return centres, numpy.log(masses[there])

    def rough_moment(self, tilt: float) -> float:
        """About the logarithm of the sum of masses times exp(tilt · point)."""
        import numpy

        centres, logarithms = self.rough
        exponents = logarithms + tilt * centres
        highest = float(exponents.max())
        return highest + math.log(float(numpy.exp(exponents - highest).sum()))

    def tilted(self, tilt: float) -> tuple[float, Floats]:
        """The logarithm of the sum of masses times exp(tilt · point), and the shares of that sum."""
        import numpy

        exponents = self.logarithms + tilt * self.points
        highest = float(exponents.max())
        weights = numpy.exp(exponents - highest)
        total = float(weights.sum())
        return highest + math.log(total), weights / total


class _Direction:
    """The composed loss of one direction: somebody is added, or removed. Losses are counted in steps of the grid."""

    def __init__(self, parts: Sequence[_Part], grid: float, log_finite: float) -> None:
        self.parts, self.grid = parts, grid
        self.count = sum(part.count for part in parts)
        self.log_apart = log_finite
        finite = log_finite + sum(_log_finite(part.infinite, part.count) for part in parts)
        self.infinite = -math.expm1(finite)
        self.lowest = sum(part.count * part.first for part in parts)
        self.highest = sum(part.count * (part.first + len(part.masses) - 1) for part in parts)

    def _log_moment(self, tilt: float) -> float:
        return sum(part.count * part.tilted(tilt)[0] for part in self.parts)

    def _rough_moment(self, tilt: float) -> float:
        return sum(part.count * part.rough_moment(tilt) for part in self.parts)

    def _best(self, measure: Callable[[float], float], precision: float = 1e-4) -> float:
        """About the tilt at which a measure is least. Each of them gives a bound that holds: this one a tight one."""
        from scipy import optimize

        found = optimize.minimize_scalar(
            lambda at: measure(math.exp(at)),
            bounds=(math.log(_LEAST_TILT * self.grid), math.log(_MOST_TILT)),
            method="bounded",
            options={"xatol": precision},
        )
        return math.exp(float(found.x))

    def _chernoff(self, log_chance: float, tilted: float = 0.0) -> float:
        """A point that the loss, under this tilt, exceeds with at most this chance, by Chernoff's bound."""
        about = self._rough_moment(tilted) if tilted else 0.0
        more = self._best(lambda tilt: (self._rough_moment(tilted + tilt) - about - log_chance) / tilt)
        before = self._log_moment(tilted) if tilted else 0.0
        return min((self._log_moment(tilted + more) - before - log_chance) / more, float(self.highest))

    def _tilt_for(self, log_delta: float) -> float:
        """The tilt whose bound on epsilon at this delta is least.

        With t the tilt for a loss of one, delta is at most exp(log moment - t epsilon) times the largest value of
        (1 - exp(-u)) exp(-t u), which is t^t / (t + 1)^(t + 1) (Canonne, Kamath and Steinke 2020, Proposition 12).
        """

        def epsilon(tilt: float) -> float:
            t = tilt / self.grid
            most = -t * math.log1p(1 / t) - math.log1p(t)
            return (self._rough_moment(tilt) + most - log_delta) / tilt

        return self._best(epsilon)

    def _lower_end(self, tilt: float) -> float:
        """A point below which next to nothing of the tilted mass lies."""
        about = self._rough_moment(tilt)
        less = self._best(lambda down: (self._rough_moment(tilt - down) - about - _WRAPPED) / down, 1e-3)
        bound = (self._log_moment(tilt - less) - self._log_moment(tilt) - _WRAPPED) / less
        return max(-bound, float(self.lowest))

    def _tilt_at(self, point: float) -> float:
        """The tilt whose bound on the chance of a loss beyond this point is least."""
        return self._best(lambda tilt: self._rough_moment(tilt) - tilt * point)

    def epsilon(self, delta: float) -> float:
        """The least epsilon at which delta is at most this; infinite where none can be told."""
        if not self.infinite < delta:
            return math.inf
        left, found = delta - self.infinite, math.inf
        for tilt, precise in _attempts(self._tilt_for(math.log(delta))):
            tail = self._tail(-1, tilt, math.log(delta) + _BEYOND, precise=precise)
            found = min(found, tail.epsilon(left))
            if math.isfinite(found) and tail.blur(found) <= _BLUR * left:
                break
        return found

    def delta(self, epsilon: float) -> float:
        """An upper bound on delta at this epsilon."""
        point = epsilon / self.grid
        if point >= self.highest:
            return self.infinite
        found, tilt = 1.0, self._tilt_at(point)
        chance = min(self._log_moment(tilt) - tilt * point, 0.0)
        # Where large losses are rare, Chernoff's bound is far off: the tilt for the delta found is a better one.
        for _ in range(_ROUNDS):
            before, found = found, min(found, self._delta_tilted(epsilon, tilt, chance))
            if not 0 < found < before * _WORTH_ANOTHER:
                break
            chance = math.log(found)
            tilt = self._tilt_for(chance)
        return min(1.0, self.infinite + found)

    def _delta_tilted(self, epsilon: float, tilt: float, chance: float) -> float:
        """A bound on delta at this epsilon, without infinite losses, with the precision it needs."""
        found, start = 1.0, min(0, math.floor(epsilon / self.grid)) - 1
        for lean, precise in _attempts(tilt):
            tail = self._tail(start, lean, chance + _BEYOND, precise=precise)
            found = min(found, tail.delta(epsilon))
            if tail.blur(epsilon) <= _BLUR * found:
                break
        return found

    def _tail(self, start: int, tilt: float, log_beyond: float, *, precise: bool) -> _Tail:
        """The composed masses at the grid points from `start` on, to where those past the end weigh next to nothing.

        Neither as they are, since they are not seen, nor tilted, since they wrap around to where they would count for more;
        and from a lower point on where too much of the tilted mass lies below.
        """
        import numpy
        from scipy import fft

        ends = self._chernoff(log_beyond), self._chernoff(_WRAPPED, tilt)
        start = min(start, math.floor(self._lower_end(tilt)) - 1)
        end = max(start, math.ceil(max(ends))) + 2
        require_room((end - start) * self.grid, self.grid, most=_LONGEST)
        length = fft.next_fast_len(max(end - start + 1, 64), real=True)
        kind = numpy.longdouble if precise else numpy.float64
        gamma = 2 * float(numpy.finfo(kind).eps) * math.log2(length)
        log_moment, product, log_product = self.log_apart, 1.0 + 0.0j, 0.0
        sizes = []
        for part in self.parts:
            moment, shares = part.tilted(tilt)
            log_moment += part.count * moment
            transform = fft.rfft(_folded(shares.astype(kind), part.first, length))
            product = product * transform**part.count
            sizes.append(numpy.log(numpy.abs(transform).astype(numpy.float64) + gamma))
            log_product = log_product + part.count * sizes[-1]
        composed = numpy.roll(fft.irfft(product, length), -(start % length)).astype(numpy.float64)
        off = sum(
            part.count * numpy.exp(log_product - size) for part, size in zip(self.parts, sizes, strict=True)
        )
        # Half of the spectrum is kept: the other half is its mirror image.
        error = 2 * gamma * float(numpy.sum(off + numpy.exp(log_product))) / length
        # exp and log are right to a few units in the last place of their arguments, of each step's mass.
        reach = max(tilt * max(abs(part.first), abs(part.first + len(part.masses))) for part in self.parts)
        swell = (
            self.count
            * 16
            * _UNIT
            * (2 + reach + max(abs(part.tilted(tilt)[0]) for part in self.parts) + tilt / self.grid)
        )
        if self.count * gamma > 0.1:
            swell = math.inf
        return _Tail(self.grid, start, composed, error, tilt, log_moment, swell, math.exp(log_beyond))


@dataclass(frozen=True)
class _Tail:
    """Composed and tilted masses from a grid point on, with what they may be off by."""

    grid: float
    start: int
    composed: Floats
    error: float  # of each mass
    tilt: float
    log_moment: float
    swell: float
    beyond: float

    @cached_property
    def sums(self) -> tuple[Floats, Floats]:
        """From each point on: the mass under the one data set, and under the other (both times exp(swell)).

        They are counted from the point itself, in units of exp(log_moment - tilt · point), which keeps them in range.
        """
        import numpy

        masses = numpy.maximum(self.composed, 0) + self.error
        upper, lower = _discounted(masses, self.tilt), _discounted(masses, self.tilt + self.grid)
        return upper * (1 + _SUMMED), lower * (1 - _SUMMED)

    @cached_property
    def logarithms(self) -> Floats:
        """Of the units of `sums`."""
        import numpy

        points = self.start + numpy.arange(len(self.composed), dtype=numpy.float64)
        return self.log_moment + self.swell - self.tilt * points

    def delta(self, epsilon: float) -> float:
        """Delta at an epsilon inside the window, without that of infinite losses."""
        at = math.floor(epsilon / self.grid) + 1 - self.start
        upper, lower = self.sums
        behind = math.exp(epsilon - (self.start + at) * self.grid)
        share = float(upper[at]) - behind * float(lower[at])
        return _exp(float(self.logarithms[at]) + math.log(share)) + self.beyond if share > 0 else self.beyond

    def blur(self, epsilon: float) -> float:
        """How much of delta at this epsilon is due to rounding errors of the transform."""
        at = max(0, min(math.floor(epsilon / self.grid) + 1 - self.start, len(self.composed) - 1))
        return _exp(float(self.logarithms[at])) * self.error / -math.expm1(-self.tilt)

    def epsilon(self, delta: float) -> float:
        """The least epsilon of at least 0 inside the window at which `delta` is not exceeded."""
        import numpy

        left = delta - self.beyond
        upper, lower = self.sums
        with numpy.errstate(over="ignore"):
            deltas = numpy.exp(self.logarithms) * (upper - lower)
        above = numpy.flatnonzero(~(deltas <= left))
        at = int(above[-1]) + 1 if len(above) else 0
        if at >= len(deltas):
            return math.inf
        unit = float(numpy.exp(self.logarithms[at]))
        mass, other = unit * float(upper[at]), unit * float(lower[at])
        if mass <= left or other <= 0:
            return max(0.0, (self.start + at - 1) * self.grid)
        return max(0.0, (self.start + at) * self.grid + math.log((mass - left) / other))


def _attempts(tilt: float) -> Iterator[tuple[float, bool]]:
    """This tilt in ordinary and in extended precision, then lesser ones: each gives a bound that holds."""
    yield tilt, False
    yield tilt, True
    for halvings in range(1, _HALVINGS + 1):
        yield tilt / 2**halvings, True


def _exp(exponent: float) -> float:
    return math.exp(min(exponent, 700.0))


def _folded(shares: Any, first: int, length: int) -> Any:
    """Shares at the points from `first` on, around a circle of so many points."""
    import numpy

    circle = numpy.zeros(length, dtype=shares.dtype)
    for begin in range(0, len(shares), length):
        piece = shares[begin : begin + length]
        circle[: len(piece)] += piece
    return numpy.roll(circle, first % length)


def _log_finite(infinite: float, count: int) -> float:
    """The logarithm of the chance that none of `count` losses is infinite."""
    return count * math.log1p(-infinite) if infinite < 1 else -math.inf


def _discounted(masses: Floats, rate: float) -> Floats:
    """At each place, the sum over all later places k of masses[k] · exp(-rate · (k - place))."""
    from scipy import signal

    sums: Floats = signal.lfilter([1.0], [1.0, -math.exp(-rate)], masses[::-1])[::-1]
    return sums


class TiltedComposition:
    """What several distributions of dp_accounting compose to, each with its count.

    All must be on the same grid and overstate ("pessimistic"). `apart` are chances of infinite losses beside them.
    """

    def __init__(
        self,
        distributions: Sequence[tuple[Any, int]],
        grid: float,
        *,
        apart: Sequence[tuple[float, int]] = (),
    ) -> None:
        # Of the library's objects the masses themselves are needed, which have no public name (dp_accounting 0.6).
        sides = [[_part(one._pmf_remove, count) for one, count in distributions]]  # noqa: SLF001
        if not all(one._symmetric for one, _ in distributions):  # noqa: SLF001
            sides.append([_part(one._pmf_add, count) for one, count in distributions])  # noqa: SLF001
        finite = sum(_log_finite(chance, count) for chance, count in apart)
        self._directions = [_Direction(parts, grid, finite) for parts in sides]

    def epsilon(self, delta: float) -> float:
        """The least epsilon at which delta is at most this; infinite where none can be told."""
        return max(direction.epsilon(delta) for direction in self._directions)

    def delta(self, epsilon: float) -> float:
        """An upper bound on delta at this epsilon."""
        return max(direction.delta(epsilon) for direction in self._directions)


def _part(pmf: Any, count: int) -> _Part:
    import numpy

    dense = pmf.to_dense_pmf()
    masses = numpy.maximum(numpy.asarray(dense._probs, dtype=numpy.float64), 0)  # noqa: SLF001
    (inside,) = numpy.nonzero(masses)
    if not len(inside):
        return _Part(0, numpy.ones(1), 1.0, count)
    kept = masses[inside[0] : inside[-1] + 1]
    first = int(dense._lower_loss + inside[0])  # noqa: SLF001
    return _Part(first, kept, float(dense._infinity_mass), count)  # noqa: SLF001
