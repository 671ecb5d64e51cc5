"""Which points of a trade-off are worth having, and which one to take first: pure functions of measured figures.

A point is worth having if no other is at least as useful, no easier to attack, and better in one of the two. Attacks
show what they reached and no more, so that luck against them must not decide: a weaker promise never drives out a
stronger one of the same family, and across families, whose promises cannot be compared, a point is only driven out by one
that is safer beyond doubt, with its whole interval of risk below.

The knee is the point that lies farthest above the chord between the two ends of a curve, both axes scaled to run from 0 to
1: beyond it more risk buys less use (Satopää, Albrecht, Irwin and Raghavan, "Finding a kneedle in a haystack", 2011; Das, "On
characterizing the knee of the Pareto curve", 1999). Every curve begins where nothing is published: no risk, and guessing. To
look for it, a point counts with what can be relied on: the lower end of its utility and the upper end of its risk.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from privet.artifact import IntervalEstimate


@dataclass(frozen=True, slots=True)
class Spot:
    """A point: more utility is better, less risk is better.

    `allowed` is the most that its promise allows, comparable inside a family of promises only; None where it promises
    nothing of the kind. A point that may not be proposed is left out of everything; one that may be no better than
    guessing is proposed only where there is no other.
    """

    utility: IntervalEstimate
    risk: IntervalEstimate
    family: str = ""
    allowed: float | None = None
    proposable: bool = True
    useful: bool = True

    def promises_more(self, other: Spot) -> bool:
        """Whether it has the stronger promise of one family."""
        comparable = self.family == other.family and self.allowed is not None and other.allowed is not None
        return comparable and self.allowed < other.allowed  # type: ignore[operator]


@dataclass(frozen=True, slots=True)
class Knee:
    """The point to take, how it was found, and the others that its intervals cannot be told from.

    `by_promise` says that attacks found no difference among points of its family, so that what the promises allow
    stands in for the risk. `chosen_from` are the points of the curve that the knee was looked for on.
    """

    index: int
    by_promise: bool
    chosen_from: tuple[int, ...]
    alike: tuple[int, ...]


def beats(one: Spot, other: Spot) -> bool:
    """Whether nobody would take the other."""
    no_worse = one.utility.value >= other.utility.value and one.risk.value <= other.risk.value
    better = one.utility.value > other.utility.value or one.risk.value < other.risk.value
    if one.family != other.family and one.risk.high > other.risk.low:
        return False
    return no_worse and not other.promises_more(one) and (better or one.promises_more(other))


def frontier(spots: Sequence[Spot]) -> tuple[int, ...]:
    """The places of the points that no other beats, in their order."""
    return tuple(
        at
        for at, spot in enumerate(spots)
        if spot.proposable and not any(other.proposable and beats(other, spot) for other in spots)
    )


def overlap(one: IntervalEstimate, other: IntervalEstimate) -> bool:
    """Whether two intervals share a value."""
    return one.low <= other.high and other.low <= one.high


def alike(spots: Sequence[Spot], at: int) -> tuple[int, ...]:
    """The other points whose intervals overlap with this one's in both utility and risk."""
    return tuple(
        other
        for other, spot in enumerate(spots)
        if other != at
        and spot.proposable
        and overlap(spot.utility, spots[at].utility)
        and overlap(spot.risk, spots[at].risk)
    )


def knee(spots: Sequence[Spot], guess: float) -> Knee | None:
    """The point to take first; None where there is none that may be proposed. `guess` is the utility of guessing.

    First on the curve of utility over measured risk. Then, where attacks found no difference in risk among points of
    that family, on their curve of utility over what their promises allow. Of equals the safer one is taken.
    """
    whole = frontier(spots)
    if not whole:
        return None
    found = tuple(at for at in whole if spots[at].useful) or whole
    curve = _rising(found, spots, _at_most)
    first = _farthest(curve, spots, _at_most, guess)
    same = tuple(
        at
        for at in found
        if spots[at].family == spots[first].family
        and spots[at].allowed is not None
        and overlap(spots[at].risk, spots[first].risk)
    )
    if spots[first].allowed is None or len({spots[at].allowed for at in same}) < 2:
        return Knee(first, by_promise=False, chosen_from=curve, alike=alike(spots, first))
    curve = _rising(same, spots, _allowed)
    at = _farthest(curve, spots, _allowed, guess)
    return Knee(at, by_promise=True, chosen_from=curve, alike=alike(spots, at))


def _at_most(spot: Spot) -> float:
    return spot.risk.high


def _allowed(spot: Spot) -> float:
    return 1.0 if spot.allowed is None else spot.allowed


def _rising(places: Sequence[int], spots: Sequence[Spot], risk: Callable[[Spot], float]) -> tuple[int, ...]:
    """Those of the places that are more useful than every safer one, the safest first."""

    def rank(at: int) -> tuple[float, ...]:
        spot = spots[at]
        return risk(spot), -spot.utility.low, _allowed(spot), -spot.utility.value, spot.risk.value, at

    kept: list[int] = []
    for at in sorted(places, key=rank):
        if not kept or spots[at].utility.low > spots[kept[-1]].utility.low:
            kept.append(at)
    return tuple(kept)


def _farthest(
    curve: Sequence[int], spots: Sequence[Spot], risk: Callable[[Spot], float], guess: float
) -> int:
    """The point of a rising curve that lies farthest above the chord from nothing to its end; the safest of equals."""
    end = spots[curve[-1]]
    wide, tall = risk(end), end.utility.low - guess

    def above(at: int) -> float:
        if wide <= 0 or tall <= 0:
            return 0.0
        return (spots[at].utility.low - guess) / tall - risk(spots[at]) / wide

    # Rounding must not make a later, riskier point win over one that lies as far.
    best = max(above(at) for at in curve)
    return next(at for at in curve if above(at) >= best - 1e-12)
