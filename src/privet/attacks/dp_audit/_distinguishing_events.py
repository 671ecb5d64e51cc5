"""The event that tells two inputs apart best: which outputs are called "here", which "there", and which nothing.

Chosen on draws that are used for nothing else, by the epsilon that the test would show with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from privet.attacks.dp_audit._output_scores import OutputView, Rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SHARES = np.concatenate(
    [[0.0005, 0.001, 0.002, 0.005, 0.01], np.linspace(0.02, 0.98, 49), [0.99, 0.995, 0.998, 0.999, 0.9995]]
)
_MOST_CUTS = 120
_CAUTION = 1.5  # standard errors taken off for having chosen
_BEHIND = 0.5  # an event that promises so much less than the best is not worth its part of the alarm rate


@dataclass(frozen=True)
class DistinguishingEvent:
    """Which guess is made on each output: 1 for "here", -1 for "there", 0 for none."""

    view: OutputView
    name: str
    worth: float  # the epsilon that the test is expected to show with it
    guess: Callable[[Rows], NDArray[np.int64]]


def chosen(
    views: Iterable[OutputView], a: Rows, b: Rows, *, delta: float, alarm: float, draws: int, most: int
) -> list[DistinguishingEvent]:
    """The most promising event of each family of views, the best `most` of them; `draws` will be tested."""
    sure = -NormalDist().inv_cdf(min(alarm, 0.4)) * (min(len(a), len(b)) / draws) ** 0.5 + _CAUTION
    best: dict[str, DistinguishingEvent] = {}
    for view in views:
        found = _best(view, a, b, delta, sure)
        if found is not None and (view.family not in best or found.worth > best[view.family].worth):
            best[view.family] = found
    ordered = sorted(best.values(), key=lambda event: -event.worth)[:most]
    return [event for event in ordered if event.worth >= ordered[0].worth - _BEHIND]


def _best(view: OutputView, a: Rows, b: Rows, delta: float, sure: float) -> DistinguishingEvent | None:
    """The best pair of thresholds: "here" from the one on, "there" up to the other, or the other way round."""
    here, there = view.score(a), view.score(b)
    cuts = _cuts(np.concatenate([here, there]))
    # How many lie at or above each cut, and how many below; missing ones lie nowhere.
    above, other_above = (_at_least(side, cuts) for side in (here, there))
    below, other_below = (int((~np.isnan(side)).sum()) - _at_least(side, cuts) for side in (here, there))
    found: tuple[float, int, int, bool] | None = None
    for swapped in (False, True):
        up, up_wrong = (other_above, above) if swapped else (above, other_above)
        down, down_wrong = (below, other_below) if swapped else (other_below, below)
        right = up[:, None] + down[None, :]
        wrong = up_wrong[:, None] + down_wrong[None, :]
        worth = _worth(right, wrong, delta * (len(a) + len(b)) / 2, sure)
        worth[
            np.arange(len(cuts))[:, None] < np.arange(len(cuts))[None, :]
        ] = -np.inf  # no output is called both
        upper, lower = np.unravel_index(int(worth.argmax()), worth.shape)
        if found is None or worth[upper, lower] > found[0]:
            found = (float(worth[upper, lower]), int(upper), int(lower), swapped)
    if found is None or not np.isfinite(found[0]):
        return None
    worth_, upper_, lower_, swapped = found
    return _event(view, worth_, float(cuts[upper_]), float(cuts[lower_]), swapped=swapped)


def _event(
    view: OutputView, worth: float, upper: float, lower: float, *, swapped: bool
) -> DistinguishingEvent:
    high, low = (-1, 1) if swapped else (1, -1)

    def guess(rows: Rows) -> NDArray[np.int64]:
        score = view.score(rows)
        return np.where(score >= upper, high, np.where(score < lower, low, 0)).astype(np.int64)

    sides = [f"at least {upper:.6g}"] * (upper < np.inf) + [f"below {lower:.6g}"] * (lower > -np.inf)
    return DistinguishingEvent(view, f"{view.name} {' or '.join(sides)}", worth, guess)


def _cuts(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Thresholds between values that occur, so that a last bit decides nothing; the first and last let nobody pass."""
    known = scores[np.isfinite(scores)]
    values = np.unique(known)
    if len(values) > _MOST_CUTS:
        values = np.unique(np.quantile(known, _SHARES, method="nearest"))
    between = values[:-1] + np.diff(values) / 2 if len(values) else values
    return np.concatenate([[-np.inf], between, [np.inf]])


def _at_least(scores: NDArray[np.float64], cuts: NDArray[np.float64]) -> NDArray[np.float64]:
    known = np.sort(scores[~np.isnan(scores)])
    return (len(known) - np.searchsorted(known, cuts, "left")).astype(float)


def _worth(
    right: NDArray[np.float64], wrong: NDArray[np.float64], excess: float, sure: float
) -> NDArray[np.float64]:
    """The log odds of a right guess, less what the test and the choice take off: by Wilson's lower limit of the share (1927).

    Where no guess was wrong, that is what so many right ones are worth; an error on the scale of log odds would be worth
    less than a guess that is right half of the time.
    """
    counted = np.maximum(right - excess, 0.0) + 0.5
    guesses = counted + wrong + 0.5
    share, square = counted / guesses, sure * sure
    half = sure * np.sqrt(share * (1 - share) / guesses + square / (4 * guesses**2))
    low = np.clip((share + square / (2 * guesses) - half) / (1 + square / guesses), 1e-12, 1 - 1e-12)
    return np.asarray(np.log(low / (1 - low)))
