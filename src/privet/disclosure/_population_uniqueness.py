"""How many rows of a sample are unique in the population it was drawn from, estimated from the sample alone.

Three super-population models, and the rule of Dankar et al. (BMC Medical Informatics 12:66, 2012) that chooses
among them. Each estimate says whether it holds: a model that does not fit the sample gives no number.

ARX (`ModelSNB`) computes the slide negative binomial differently in two places: it multiplies by
(1 - d)^(a + 2) where the second equation divides, and in Shlosser's estimator subtracts 1 once instead of inside
the bracket (1 + f)^i - 1. Its solver then finds no root where there is one, and Dankar's rule falls back to
Zayatz. `Population.dankar_without_snb` is what the rule says in that case, for comparison with ARX.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from privet.disclosure._equivalence_classes import ClassSizes
from privet.errors import BadCodes

# An equation counts as solved when its two sides agree to this, relative to its scale.
_SOLVED = 1e-9
# Up to this sampling fraction Dankar's rule trusts Pitman's model.
_SMALL_FRACTION = 0.1


@dataclass(frozen=True)
class UniquenessEstimate:
    """The share of all rows that are unique in the population; None with the reason where a model fails."""

    share: float | None
    reason: str = ""
    parameters: tuple[tuple[str, float], ...] = ()

    @property
    def valid(self) -> bool:
        """Whether there is a number."""
        return self.share is not None


@dataclass(frozen=True)
class Population:
    """Estimates for one sampling fraction; `chosen` names the model that Dankar's rule takes."""

    fraction: float
    zayatz: UniquenessEstimate
    pitman: UniquenessEstimate
    snb: UniquenessEstimate
    dankar: UniquenessEstimate
    chosen: str
    dankar_without_snb: UniquenessEstimate


def population(sizes: ClassSizes, fraction: float) -> Population:
    """All estimates for a sample that holds this fraction of its population."""
    if not 0 < fraction <= 1:
        raise BadCodes(
            "the sampling fraction must be above 0, and at most 1.", "Write fraction=0.01 for 1 %."
        )
    if fraction == 1:
        same = UniquenessEstimate(sizes.uniques / max(1, sizes.rows), "the sample is the population")
        return Population(fraction, same, same, same, same, "sample", same)
    models = {
        "pitman": pitman(sizes, fraction),
        "zayatz": zayatz(sizes, fraction),
        "snb": snb(sizes, fraction),
    }
    chosen = _dankar(models, fraction)
    without = _dankar({**models, "snb": UniquenessEstimate(None)}, fraction)
    return Population(
        fraction,
        models["zayatz"],
        models["pitman"],
        models["snb"],
        models[chosen],
        chosen,
        models[without],
    )


def _dankar(models: dict[str, UniquenessEstimate], fraction: float) -> str:
    """Small fractions: Pitman. Others: the smaller of SNB and Zayatz. Zayatz where the first choice fails."""
    first, rest = ("pitman", ()) if fraction <= _SMALL_FRACTION else ("snb", ("zayatz",))
    share = models[first].share
    if share is None:
        return "zayatz"
    others = [name for name in rest if (other := models[name].share) is not None and other < share]
    return others[0] if others else first


# --- Zayatz ------------------------------------------------------------------------------------


def zayatz(sizes: ClassSizes, fraction: float) -> UniquenessEstimate:
    """Zayatz (1991): the population is assumed to have its classes in the sample's proportions.

    P[unique in the population | unique in the sample] by Bayes, with hypergeometric sampling.
    """
    if sizes.uniques == 0:
        return UniquenessEstimate(0.0 if sizes.rows else None, "" if sizes.rows else "there are no rows")
    rows = sizes.rows
    everyone = round(rows / fraction)
    odds = _once(sizes.sizes, everyone, rows)
    share = sizes.uniques * odds[0] / float((sizes.numbers * odds).sum())
    return UniquenessEstimate(
        share * sizes.uniques / rows, "", (("population unique if sample unique", float(share)),)
    )


def _once(sizes: np.ndarray, everyone: int, drawn: int) -> np.ndarray:
    """P[exactly one of s marked people is drawn], hypergeometric, for each s, as a product of ratios.

    s · (n / N) · prod over j < s - 1 of (N - n - j) / (N - 1 - j); logarithms of factorials would lose the digits.
    """
    longest = int(min(sizes.max(), everyone - drawn + 1))
    j = np.arange(longest - 1, dtype=np.float64)
    with np.errstate(divide="ignore"):
        steps = np.log1p(-(drawn - 1) / (everyone - 1 - j))
    logs = np.concatenate([[0.0], np.cumsum(steps)])
    at = np.minimum(sizes, longest) - 1
    return np.where(sizes <= longest, sizes * (drawn / everyone) * np.exp(logs[at]), 0.0)


# --- Pitman ------------------------------------------------------------------------------------


def pitman(sizes: ClassSizes, fraction: float) -> UniquenessEstimate:
    """Pitman's sampling formula, fitted by maximum likelihood (Hoshino 2001).

    Expected uniques in a population of N: Gamma(theta + 1) / Gamma(theta + alpha) · N^alpha. The two likelihood
    equations are solved one inside the other, with the sums over classes in closed form by digamma.
    """
    from scipy.optimize import brentq
    from scipy.special import gammaln

    if not 1 < sizes.classes < sizes.rows:
        return UniquenessEstimate(
            None, "every row is unique, or all are alike: the likelihood has no inner maximum"
        )
    score = _PitmanScore(sizes)
    grid = np.concatenate([np.geomspace(1e-5, 0.1, 30), np.linspace(0.12, 0.99, 30), [0.999, 0.9999]])
    values = [score.of_alpha(float(alpha)) for alpha in grid]
    turns = [
        at
        for at in range(len(grid) - 1)
        if np.isfinite(values[at : at + 2]).all() and values[at] > 0 >= values[at + 1]
    ]
    if not turns:
        return UniquenessEstimate(None, "the likelihood has no maximum with alpha between 0 and 1")
    alpha = float(brentq(score.of_alpha, grid[turns[-1]], grid[turns[-1] + 1], xtol=1e-14, rtol=1e-14))
    theta = score.theta(alpha)
    everyone = sizes.rows / fraction
    uniques = math.exp(gammaln(theta + 1) - gammaln(theta + alpha) + alpha * math.log(everyone))
    parameters = (("theta", theta), ("alpha", alpha))
    if not 0 <= uniques <= everyone:
        return UniquenessEstimate(None, "the model has more unique people than people", parameters)
    return UniquenessEstimate(uniques / everyone, "", parameters)


class _PitmanScore:
    """The likelihood equations of Pitman's formula."""

    def __init__(self, sizes: ClassSizes) -> None:
        self.rows, self.classes = sizes.rows, sizes.classes
        self.sizes, self.numbers = sizes.sizes.astype(np.float64), sizes.numbers

    def _inverse_sum(self, theta: float, alpha: float) -> float:
        """The sum of 1 / (theta + i alpha) for i = 1 … classes - 1."""
        from scipy.special import digamma

        ratio = theta / alpha
        return float((digamma(ratio + self.classes) - digamma(ratio + 1)) / alpha)

    def _of_theta(self, log_shift: float, alpha: float) -> float:
        from scipy.special import digamma

        theta = math.exp(log_shift) - alpha
        return self._inverse_sum(theta, alpha) - float(digamma(self.rows + theta) - digamma(theta + 1))

    def theta(self, alpha: float) -> float:
        """The theta above -alpha that solves the first equation for this alpha; not a number if none does."""
        from scipy.optimize import brentq

        grid = np.linspace(math.log(1e-9), math.log(1e4 * self.rows), 80)
        values = np.array([self._of_theta(float(point), alpha) for point in grid])
        turns = np.flatnonzero((values[:-1] > 0) & (values[1:] <= 0))
        if not len(turns):
            return math.nan
        low, high = grid[turns[0]], grid[turns[0] + 1]
        return math.exp(brentq(self._of_theta, low, high, args=(alpha,), xtol=1e-14, rtol=1e-14)) - alpha

    def of_alpha(self, alpha: float) -> float:
        """The second equation, at the theta that solves the first: positive where alpha is too small."""
        from scipy.special import digamma

        theta = self.theta(alpha)
        if math.isnan(theta):
            return math.nan
        rising = (self.classes - 1 - theta * self._inverse_sum(theta, alpha)) / alpha
        falling = float((self.numbers * (digamma(self.sizes - alpha) - digamma(1 - alpha))).sum())
        return (rising - falling) / self.classes


# --- slide negative binomial -------------------------------------------------------------------


def snb(sizes: ClassSizes, fraction: float) -> UniquenessEstimate:
    """Slide negative binomial (Chen and Keller-McNulty 1998): class sizes less one are negative binomial.

    The number of classes K comes from Shlosser's modified estimator (Haas and Stokes 1998), a and b from the
    expected numbers of sample classes of size 1 and 2; population uniques are K b^a.
    """
    from scipy.optimize import least_squares

    once, twice = sizes.of_size(1), sizes.of_size(2)
    if once == 0 or twice == 0:
        return UniquenessEstimate(None, "the sample has no classes of size 1, or none of size 2")
    classes = _shlosser(sizes, fraction)
    if not math.isfinite(classes) or classes <= 0:
        return UniquenessEstimate(None, "the number of classes in the population cannot be estimated")

    def faults(point: np.ndarray) -> list[float]:
        shape, log_odds = math.exp(point[0]), point[1]
        return _snb_faults(shape, 1 / (1 + math.exp(-log_odds)), classes, fraction, (once, twice))

    best = min(
        (
            least_squares(
                faults,
                (log_shape, log_odds),
                bounds=((-30, -30), (10, 30)),
                xtol=1e-15,
                ftol=1e-15,
                gtol=1e-15,
            )
            for log_shape in (-4.0, -1.0, 1.0)
            for log_odds in (-4.0, 0.0, 4.0)
        ),
        key=lambda found: float(found.cost),
    )
    a, b = math.exp(best.x[0]), 1 / (1 + math.exp(-best.x[1]))
    parameters = (("classes", classes), ("a", a), ("b", b))
    if max(abs(fault) for fault in faults(best.x)) > _SOLVED:
        return UniquenessEstimate(None, "its two equations have no solution", parameters)
    share = classes * b**a * fraction / sizes.rows
    if share > 1:
        return UniquenessEstimate(None, "the model has more unique people than people", parameters)
    return UniquenessEstimate(share, "", parameters)


def _snb_faults(a: float, b: float, classes: float, fraction: float, seen: tuple[int, int]) -> list[float]:
    """How far the expected numbers of classes of size 1 and 2 are from those seen, as differences of logarithms."""
    d = (1 - fraction) * (1 - b)
    rest = math.log1p(-d)
    first = math.log(classes * fraction) + a * (math.log(b) - rest) + math.log1p(a * d / (1 - d))
    second = (
        math.log(classes * a * fraction**2 / 2)
        + a * math.log(b)
        + math.log1p(-b)
        - (a + 2) * rest
        + math.log(2 - (1 - a) * d)
    )
    return [first - math.log(seen[0]), second - math.log(seen[1])]


def _shlosser(sizes: ClassSizes, fraction: float) -> float:
    """The number of classes in the population: Haas and Stokes (1998), equation for D_Sh3."""
    i, numbers, f = sizes.sizes.astype(np.float64), sizes.numbers, fraction
    left = np.exp(i * math.log1p(-f))
    square = float((i * f**2 * np.exp((i - 1) * math.log1p(-(f**2))) * numbers).sum())
    # (1 - f)^i ((1 + f)^i - 1) as a difference: the second factor alone overflows for large classes.
    spread = float(((np.exp(i * math.log1p(-(f**2))) - left) * numbers).sum())
    ratio = float((left * numbers).sum()) / float((i * f * np.exp((i - 1) * math.log1p(-f)) * numbers).sum())
    return sizes.classes + sizes.uniques * square / spread * ratio**2
