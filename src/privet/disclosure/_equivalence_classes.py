"""How many rows look alike, and what that means for someone who looks for one of them.

Figures are shares of rows, so that a class of ten people weighs ten times as much as a single person. An empty
table discloses nothing: its risks are 0 and its k is 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privet.disclosure._code_tuples import Codes
from privet.disclosure._tuple_groups import labels_of, mixed_radix, totals_of
from privet.errors import BadCodes

THRESHOLDS = (0.05, 0.1, 0.2, 0.33, 0.5)


@dataclass(frozen=True, eq=False)
class ClassSizes:
    """How many classes there are of each size; `sizes` ascends."""

    sizes: NDArray[np.int64] = field(repr=False)
    numbers: NDArray[np.int64] = field(repr=False)

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return int(self.numbers.sum())

    @property
    def rows(self) -> int:
        """How many rows there are in all classes."""
        return int((self.sizes * self.numbers).sum())

    @property
    def k(self) -> int:
        """The smallest class: the k for which the table is k-anonymous as it stands."""
        return int(self.sizes[0]) if len(self.sizes) else 0

    @property
    def uniques(self) -> int:
        """Rows that are alone in their class."""
        return self.of_size(1)

    def of_size(self, size: int) -> int:
        """How many classes have exactly this size."""
        at = np.searchsorted(self.sizes, size)
        return int(self.numbers[at]) if at < len(self.sizes) and self.sizes[at] == size else 0

    def rows_below(self, k: int) -> int:
        """How many rows lie in classes smaller than k."""
        small = self.sizes < k
        return int((self.sizes[small] * self.numbers[small]).sum())

    def histogram(self, edges: Sequence[int] = (1, 2, 3, 5, 10, 20, 50, 100, 1000)) -> list[SizeBin]:
        """Classes and rows by size, for a picture: each bin begins at an edge, the last has no end."""
        bins = []
        for low, high in zip(edges, [*edges[1:], None], strict=True):
            inside = (self.sizes >= low) & (self.sizes < high if high is not None else True)
            numbers, sizes = self.numbers[inside], self.sizes[inside]
            last = high - 1 if high is not None else None
            bins.append(SizeBin(low, last, int(numbers.sum()), int((numbers * sizes).sum())))
        return bins


@dataclass(frozen=True)
class SizeBin:
    """Classes of `smallest` to `largest` rows (no end when None)."""

    smallest: int
    largest: int | None
    classes: int
    rows: int


def class_sizes(sizes: ArrayLike) -> ClassSizes:
    """The distribution of a list of class sizes, as `Codes.sizes` gives it."""
    found, numbers = np.unique(np.asarray(sizes, np.int64), return_counts=True)
    return ClassSizes(found, numbers.astype(np.int64))


# --- risk --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Risk:
    """The chance that a row is matched to the right person: the worst row, the mean row, and how many exceed.

    `above[threshold]` is the share of rows whose risk is greater than the threshold.
    """

    highest: float
    mean: float
    above: dict[float, float]


def risk_of(
    risks: NDArray[np.float64], counts: NDArray[np.int64], thresholds: Sequence[float] = THRESHOLDS
) -> Risk:
    """The summary of one risk for each tuple; tuples of count 0 do not matter."""
    total = int(counts.sum())
    if total == 0:
        return Risk(0.0, 0.0, dict.fromkeys(thresholds, 0.0))
    above = {threshold: float(counts[risks > threshold].sum() / total) for threshold in thresholds}
    return Risk(float(risks[counts > 0].max()), float((risks * counts).sum() / total), above)


def prosecutor(
    sizes: NDArray[np.int64], counts: NDArray[np.int64], thresholds: Sequence[float] = THRESHOLDS
) -> Risk:
    """The attacker knows that the person is in the table: 1 / size of the class.

    Args:
        sizes: the class size of each tuple (see `privet.disclosure._missing_values.sizes_of_each`); 0 leaves it out.
        counts: the rows of each tuple.
        thresholds: where to count the rows that are above.
    """
    return risk_of(1 / np.maximum(sizes, 1), np.where(sizes > 0, counts, 0), thresholds)


def journalist(
    population_sizes: NDArray[np.int64],
    sizes: NDArray[np.int64],
    counts: NDArray[np.int64],
    thresholds: Sequence[float] = THRESHOLDS,
) -> Risk:
    """The attacker does not know who is in the table: 1 / size of the class in the population.

    A population table holds everyone in the sample; where it does not, the sample's own class counts.
    `mean` is the marketer's risk: the share of rows that an attacker gets right who matches all of them.
    """
    return prosecutor(np.maximum(population_sizes, sizes), counts, thresholds)


@dataclass(frozen=True, eq=False)
class PopulationMap:
    """Class sizes in a population table, for each tuple of the sample.

    `k` is that of k-map: the smallest population class of any row in the sample; rows of values that the
    population does not have are counted in `unmatched`, and make k zero.
    """

    sizes: NDArray[np.int64] = field(repr=False)
    k: int
    unmatched: int


def population_map(sample: Codes, population: Codes, columns: Sequence[str]) -> PopulationMap:
    """Counts in the population of what each tuple of the sample looks like in the named columns."""
    here, there = sample.positions(columns), population.positions(columns)
    widths = [sample.cardinalities[j] for j in here]
    if widths != [population.cardinalities[j] for j in there]:
        raise BadCodes(
            "the sample and the population were coded apart.",
            "Code both tables by the same lists of values, then compare.",
        )
    both = [
        np.concatenate([sample.codes[:, i], population.codes[:, j]]) for i, j in zip(here, there, strict=True)
    ]
    labels = labels_of(*mixed_radix(both, widths))
    known = totals_of(labels[len(sample) :], population.counts, int(labels.max(initial=-1)) + 1)
    sizes = known[labels[: len(sample)]]
    unmatched = int(sample.counts[sizes == 0].sum())
    return PopulationMap(sizes, int(sizes.min()) if len(sizes) else 0, unmatched)


# --- survey weights ----------------------------------------------------------------------------


def weighted_risk(frequencies: ArrayLike, estimated: ArrayLike, *, exact: bool = True) -> NDArray[np.float64]:
    """Individual risk in a sample survey (Benedetti and Franconi 1998): the mean of 1 / population count.

    The population count of a class given its sample count f is taken as negative binomial with p = f / F,
    where F is the sum of the sampling weights of the class.

    Args:
        frequencies: rows of the class in the sample, one or more.
        estimated: sum of the weights of those rows; not below the frequency.
        exact: with the hypergeometric function; otherwise p / (f - (1 - p)) where f > 2, as sdcMicro does.
    """
    f = np.asarray(frequencies, np.float64)
    weights = np.asarray(estimated, np.float64)
    if (f < 1).any() or not (weights >= f).all():
        raise BadCodes("a weighted class has at least one row, and weights that are 1 or more.")
    p = f / weights
    open_ = p < 1
    q = np.where(open_, p, 0.5)  # any inner point: closed classes are filled in below
    odds, log = q / (1 - q), np.log(1 / q)
    risk = np.where(f == 1, odds * log, odds - odds**2 * log)
    risk = np.where(f > 2, _many(f, q, exact=exact), risk)
    return np.where(open_, risk, 1 / f)


def _many(f: NDArray[np.float64], p: NDArray[np.float64], *, exact: bool) -> NDArray[np.float64]:
    """Risk for f > 2: p^f / f · 2F1(f, f; f + 1; 1 - p), by Euler's formula p / f · 2F1(1, 1; f + 1; 1 - p)."""
    if not exact:
        return p / (f - (1 - p))
    from scipy.special import hyp2f1

    result: NDArray[np.float64] = p / f * hyp2f1(1, 1, f + 1, 1 - p)
    return result
