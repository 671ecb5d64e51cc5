"""How far an attack got, and how sure that is: rates, curves and areas with intervals, in one place."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privet.artifact import IntervalEstimate

if TYPE_CHECKING:
    from numpy.typing import NDArray


def upper_rate(hits: int, trials: int, error: float) -> float:
    """The Clopper-Pearson upper limit of a rate (1934), exceeded with a probability of at most `error`."""
    from scipy.stats import beta

    if trials == 0 or hits >= trials:
        return 1.0
    return float(beta.ppf(1 - error, hits + 1, trials - hits))


def lower_rate(hits: int, trials: int, error: float) -> float:
    """The Clopper-Pearson lower limit of a rate."""
    return 1 - upper_rate(trials - hits, trials, error)


def rate(hits: int, trials: int, confidence: float = 0.95) -> IntervalEstimate:
    """A share of trials with its exact two-sided interval (Clopper and Pearson 1934)."""
    error = (1 - confidence) / 2
    value = hits / trials if trials else 0.0
    return IntervalEstimate(
        value, lower_rate(hits, trials, error), upper_rate(hits, trials, error), confidence
    )


def wilson(hits: float, trials: float, confidence: float = 0.95) -> tuple[float, float]:
    """Centre and half-width of Wilson's interval for a share (1927): shorter than the exact one, nearly as sure."""
    from scipy.stats import norm

    z = float(norm.ppf((1 + confidence) / 2))
    if trials == 0:
        return 0.5, 0.5
    share, scale = hits / trials, 1 + z * z / trials
    half = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials**2)) / scale
    return (share + z * z / (2 * trials)) / scale, half


@dataclass(frozen=True)
class RocCurve:
    """True positives over false positives for every threshold, the strictest first; starts at (0, 0)."""

    false_positives: NDArray[np.float64]
    true_positives: NDArray[np.float64]
    members: int
    others: int

    def at(self, false_positives: float) -> float:
        """The largest true-positive rate with at most so many false positives. Ties are never split in our favour."""
        reached = np.flatnonzero(self.false_positives <= false_positives + 1e-12)
        return float(self.true_positives[reached[-1]])

    def thinned(self, points: int = 200) -> dict[str, list[float]]:
        """The curve in at most so many points, dense at the left where it matters."""
        keep = np.unique(
            np.concatenate(
                [
                    np.geomspace(1, len(self.false_positives), points // 2).astype(int) - 1,
                    np.linspace(0, len(self.false_positives) - 1, points // 2).astype(int),
                ]
            )
        )
        return {
            "false_positives": [round(float(x), 6) for x in self.false_positives[keep]],
            "true_positives": [round(float(x), 6) for x in self.true_positives[keep]],
        }


def curve(members: NDArray[np.float64], others: NDArray[np.float64]) -> RocCurve:
    """The curve of scores where larger means "member"; equal scores move together."""
    scores = np.concatenate([members, others])
    labels = np.concatenate([np.ones(len(members)), np.zeros(len(others))])
    order = np.argsort(-scores, kind="stable")
    ends = np.flatnonzero(np.diff(scores[order])) if len(scores) > 1 else np.empty(0, int)
    ends = np.concatenate([ends, [len(scores) - 1]]).astype(int)
    hits = np.cumsum(labels[order])[ends]
    false = (ends + 1) - hits
    return RocCurve(
        np.concatenate([[0.0], false / max(len(others), 1)]),
        np.concatenate([[0.0], hits / max(len(members), 1)]),
        len(members),
        len(others),
    )


def area(
    members: NDArray[np.float64], others: NDArray[np.float64], confidence: float = 0.95
) -> IntervalEstimate:
    """The area under the curve with DeLong's interval (DeLong, DeLong and Clarke-Pearson 1988), on the logit scale.

    Where all pairs are in order its variance is nought and says nothing; the rule of three takes its place: none of
    the smaller group's records was out of order.
    """
    from scipy.stats import norm, rankdata

    m, n = len(members), len(others)
    ranks = rankdata(np.concatenate([members, others]))
    # Ranks are whole or half: twice as many are whole numbers, and what is decided by them is exact.
    beaten = np.rint(2 * (ranks[:m] - rankdata(members))).astype(np.int64)  # others below each member, twice
    beating = np.rint(2 * (ranks[m:] - rankdata(others))).astype(np.int64)
    pairs, most = int(beaten.sum()), 2 * m * n
    value = pairs / most
    above, below = beaten / (2 * n), 1 - beating / (2 * m)
    variance = (above.var(ddof=1) / m if m > 1 else 0.25) + (below.var(ddof=1) / n if n > 1 else 0.25)
    z = float(norm.ppf((1 + confidence) / 2))
    edge = -math.log(1 - confidence) / min(m, n)
    alike = min(m, n) > 1 and not np.ptp(beaten) and not np.ptp(beating)  # the variance is nought
    if pairs in (0, most) or alike:
        low, high = (max(0.0, 1 - edge), 1.0) if 2 * pairs > most else (0.0, min(1.0, edge))
        if (
            2 * pairs == most
        ):  # all scores are equal: at most the rule of three's share of records has another
            low, high = max(0.0, 0.5 - edge), min(1.0, 0.5 + edge)
        return IntervalEstimate(value, low, high, confidence)
    half = z * math.sqrt(variance) / (value * (1 - value))
    logit = math.log(value / (1 - value))
    return IntervalEstimate(value, _expit(logit - half), _expit(logit + half), confidence)


def true_positives_at(
    members: NDArray[np.float64],
    others: NDArray[np.float64],
    false_positives: float,
    confidence: float = 0.95,
) -> IntervalEstimate:
    """The true-positive rate at a low false-positive rate, with an interval that knows the threshold was chosen.

    The threshold is the strictest that lets at most this share of `others` pass. Its own false-positive rate is
    uncertain, so the interval is the exact one of the true positives at thresholds which let clearly fewer, or
    clearly more, of the others pass (Clopper-Pearson on both, half of the error each).
    """
    error = (1 - confidence) / 4
    ordered = np.sort(others)[::-1]
    n = len(others)
    passing = int(np.floor(false_positives * n + 1e-9))
    value = curve(members, others).at(false_positives)
    fewer = passing
    while fewer > 0 and upper_rate(fewer, n, error) > false_positives:
        fewer -= 1
    more = passing
    while more < n and lower_rate(more, n, error) < false_positives:
        more += 1
    loose = ordered[more] if more < n else -np.inf
    # With too few others no threshold is known to be strict enough: nothing is known from below.
    strict = np.inf if upper_rate(fewer, n, error) > false_positives else ordered[fewer]
    low = lower_rate(int((members > strict).sum()), len(members), error)
    high = upper_rate(int((members > loose).sum()), len(members), error)
    return IntervalEstimate(value, min(low, value), max(high, value), confidence)


def _expit(value: float) -> float:
    return 1 / (1 + math.exp(-value))
