"""Whether rows that share a value are one person's, told from the data alone.

A column that says whose a row is has marks whatever it is called. What does not change about a person (birth date,
sex, name) is the same in all rows of one value: *static* columns. Repeated rows differ in a column that says when or
what (visit, year, item), so that no value has it twice: a *crossing* column. A design has the same number of rows for
most persons: *balanced* sizes. And what does change is still more alike within a person than between persons:
*likeness*, an intraclass correlation.

Each mark is held against chance: against rows put together at random, and against values that are neighbours in order.
The last keeps measurements out: income decides its logarithm too, but so, nearly, do its neighbours. Nothing depends on
the order of rows. All functions take integer codes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from privet.disclosure._tuple_groups import labels_of, mixed_radix

Integers = NDArray[np.int64]

CONSTANT = 0.97  # of the values with several rows, for a column to count as static
BY_CHANCE = 0.70  # at most so many of them would be constant if rows were put together at random
LOCAL = 0.5  # neighbouring values differ at least so much, relative to any two values
UNIQUE = 0.995  # of the rows, for a column to count as crossing
EXPECTED = 6.0  # collisions that chance would bring at least, where a crossing column has none
ALIKE = 0.25  # likeness within, for a varying column to count
SMOOTH = 0.25  # von Neumann's ratio, halved, below which means follow the order: 1 if they have nothing to do with it
COMMON = 0.1  # likeness below which rows of one value have nothing in common
SURE = 1e-6  # chance of a difference between values where there is none
BALANCED = 0.6  # of the values have the same number of rows
FEWEST = 4  # values with several rows below which no mark means anything
_MOST_SHARES = 64  # of the frequencies of a column, the largest, in sums of their powers


@dataclass(frozen=True, eq=False)
class RepeatedWitness:
    """A column that can speak for or against a key: its codes (below 0: missing), their shares and their ranks."""

    codes: Integers = field(repr=False)
    there: NDArray[np.bool_] = field(repr=False)
    shares: NDArray[np.float64] = field(repr=False)  # the largest first
    squares: float  # sum of all shares squared: the chance that two rows agree
    ranks: NDArray[np.float64] = field(repr=False)  # of each row, ties in the middle
    distinct: int

    @classmethod
    def of(cls, codes: Integers) -> RepeatedWitness:
        """What is needed of a column, computed once for all keys."""
        there = codes >= 0
        _, values, counts = np.unique(codes[there], return_inverse=True, return_counts=True)
        shares = np.sort(counts / max(1, counts.sum()))[::-1]
        ranks = np.zeros(len(codes))
        ranks[there] = (np.cumsum(counts) - counts / 2)[values]
        return cls(codes, there, shares[:_MOST_SHARES], float((shares**2).sum()), ranks, distinct=len(counts))


@dataclass(frozen=True)
class Measures:
    """The marks of one possible key over a table, or over all rows of a sample of its values."""

    rows: int
    values: int
    several: int  # values with more than one row
    largest: int  # rows of the value that has most
    usual: int  # rows that most values have
    usual_share: float  # of the values, those that have just so many
    static: dict[str, tuple[int, int]]  # constant within so many, of so many values with several rows
    crossing: dict[
        str, float
    ]  # columns that hardly any value has twice, and the share of rows that is unique
    blocks: tuple[str, ...]  # columns that are constant, but so that neighbouring values have the same
    alike: dict[str, float]  # likeness of varying columns, where it is more than nothing
    constant: dict[str, float]  # the share of values within which each column is constant

    @property
    def balanced(self) -> bool:
        """Whether most values have the same number of rows, and more than one."""
        return self.usual >= 2 and self.usual_share >= BALANCED and self.several >= FEWEST

    @property
    def varying(self) -> list[str]:
        """Columns that are neither constant nor crossing."""
        fixed = {*self.static, *self.crossing, *self.blocks}
        return [name for name in self.constant if name not in fixed]

    @property
    def clustered(self) -> list[str]:
        """Varying columns that are clearly more alike within values than around them."""
        return [name for name, share in self.alike.items() if share >= ALIKE]

    @property
    def unrelated(self) -> bool:
        """Whether rows of one value have nothing in common, though there is much to compare."""
        plenty = self.several >= 30 and len(self.varying) >= 3
        alike = any(share >= COMMON for share in self.alike.values())
        return plenty and not self.static and not self.blocks and not alike


def measures(key: Integers, witnesses: Mapping[str, RepeatedWitness]) -> Measures:
    """The marks of a key: one code for each row, and the other columns of the same rows."""
    order = np.argsort(key, kind="stable")
    starts = _starts(key[order])
    sizes = np.diff(starts, append=len(key))
    often, times = np.unique(sizes, return_counts=True)
    usual = int(np.argmax(times))
    static: dict[str, tuple[int, int]] = {}
    blocks: list[str] = []
    crossing, alike, constant = {}, {}, {}
    for name, witness in witnesses.items():
        within = _within(witness, order, starts)
        if within is None:
            continue
        number, several, locality = within
        constant[name] = number / several
        rare = several >= FEWEST and _chance(witness, sizes) <= BY_CHANCE
        if number >= CONSTANT * several and rare:
            if locality >= LOCAL:
                static[name] = (number, several)
            else:
                blocks.append(name)
        elif (share := _crossing(key, witness, sizes)) > 0:
            crossing[name] = share
        elif (like := likeness(witness, order, starts)) > 0:
            alike[name] = like
    return Measures(
        rows=len(key),
        values=len(sizes),
        several=int((sizes > 1).sum()),
        largest=int(sizes.max(initial=0)),
        usual=int(often[usual]),
        usual_share=float(times[usual] / len(sizes)),
        static=static,
        crossing=crossing,
        blocks=tuple(blocks),
        alike=alike,
        constant=constant,
    )


def _within(witness: RepeatedWitness, order: Integers, starts: Integers) -> tuple[int, int, float] | None:
    """In how many values a column is constant, of how many that have it twice, and how local that is."""
    codes, there = witness.codes[order], witness.there[order]
    present = np.add.reduceat(there.astype(np.int64), starts)
    several = present > 1
    number = int(several.sum())
    if number == 0:
        return None
    low = np.minimum.reduceat(np.where(there, codes, np.iinfo(np.int64).max), starts)
    high = np.maximum.reduceat(codes, starts)
    constant = several & (low == high)
    _, ranks = np.unique(high[constant], return_inverse=True)
    return int(constant.sum()), number, locality(ranks)


def _chance(witness: RepeatedWitness, sizes: Integers) -> float:
    """The share of groups of several rows that would be constant if rows were put together at random."""
    often, times = np.unique(sizes[sizes > 1], return_counts=True)
    alike = (witness.shares[None, :] ** often[:, None]).sum(axis=1)
    return float((alike * times).sum() / times.sum())


def locality(ranks: Sequence[int] | Integers) -> float:
    """How far neighbours are apart, relative to any two: near 0 for a function of the order, near 1 for none."""
    found = np.asarray(ranks, np.int64)
    many = len(found)
    if many < 3:
        return 1.0
    weights = 2 * np.arange(many) - many + 1
    any_two = 2 * float((np.sort(found) * weights).sum()) / (many * (many - 1))
    return float(np.abs(np.diff(found)).mean() / any_two) if any_two > 0 else 0.0


def likeness(witness: RepeatedWitness, order: Integers, starts: Integers) -> float:
    """How much more alike rows of one value are than rows of neighbouring ones, from 0 to 1, by ranks.

    One less the ratio of mean squared differences: an intraclass correlation whose reference are neighbours, so that
    what merely changes with the order counts as nothing. 0 also where an analysis of variance sees no difference, and
    where means of neighbours hardly differ (by von Neumann's ratio): a function of the order is no likeness.
    """
    from scipy.special import fdtrc

    kept = witness.there[order]
    ranks = witness.ranks[order][kept]
    group = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(order)))[kept]
    sizes = np.bincount(group, minlength=len(starts)).astype(float)
    used = sizes > 0
    many, groups = len(ranks), int(used.sum())
    if groups < FEWEST or many <= groups:
        return 0.0
    means = (np.bincount(group, weights=ranks, minlength=len(starts)) / np.maximum(sizes, 1))[used]
    inside = float(((ranks - np.repeat(means, sizes[used].astype(int))) ** 2).sum()) / (many - groups)
    between = float((sizes[used] * (means - ranks.mean()) ** 2).sum()) / (groups - 1)
    if between <= 0 or (inside > 0 and fdtrc(groups - 1, many - groups, between / inside) > SURE):
        return 0.0
    if float((np.diff(means) ** 2).mean()) < 2 * SMOOTH * float(means.var()):
        return 0.0
    # Means of few rows differ by chance too: what their own variance explains is taken off.
    own = inside / sizes[used]
    around = 2 * inside + float((np.diff(means) ** 2 - own[1:] - own[:-1]).mean())
    return max(0.0, 1 - 2 * inside / around) if around > 0 else 0.0


def _crossing(key: Integers, witness: RepeatedWitness, sizes: Integers) -> float:
    """The share of rows that are unique by key and column; 0 unless nearly all are where chance would not have it.

    The column's values must be shared by keys: no more of them than one and a half times the rows of the largest.
    """
    if not 2 <= witness.distinct <= 1.5 * float(sizes.max()) + 1 or not witness.there.mean() >= UNIQUE:
        return 0.0
    large = sizes.astype(float)
    if float((large * (large - 1)).sum()) / 2 * witness.squares < EXPECTED:
        return 0.0
    share = unique_share(joined([key[witness.there], witness.codes[witness.there]]))
    return share if share >= UNIQUE else 0.0


def distinct(codes: Integers) -> int:
    """How many different codes there are, missing ones (below 0) as one."""
    space = int(codes.max(initial=-1)) + 2
    if space <= 4 * len(codes) + 1024:
        return int((np.bincount(np.maximum(codes, -1) + 1, minlength=1) > 0).sum())
    return len(np.unique(codes))


def unique_share(key: Integers) -> float:
    """The number of values for each row: 1 if none repeats."""
    return distinct(key) / len(key) if len(key) else 1.0


def joined(parts: Sequence[Integers]) -> Integers:
    """One code for each combination of codes, in lexicographic order; missing ones (below 0) come first."""
    shifted = [np.maximum(part, -1) + 1 for part in parts]
    keys, space = mixed_radix(shifted, [int(part.max(initial=0)) + 1 for part in shifted])
    return labels_of(keys, space)


def restarts(inner: Integers, outer: Integers) -> float:
    """The share of a column's values that occur under several values of another: numbers that start anew in each."""
    if not len(inner):
        return 0.0
    pairs = joined([inner, outer])
    first = np.zeros(int(pairs.max()) + 1, np.int64)
    first[pairs] = np.maximum(inner, -1) + 1
    return float((np.bincount(first) > 1).sum() / distinct(inner))


def common_multiple(counts: Sequence[int], chance: float = 1e-6) -> int:
    """The largest number of rows that the frequencies of a column are all multiples of, or 1 if chance could do that.

    Where every person has m rows and a column does not change within a person, each of its values occurs in a multiple
    of m rows. Frequencies that have nothing to do with m are all multiples of it with probability m to the power of one
    less than their number, at most.
    """
    found = int(np.gcd.reduce(np.asarray(counts, np.int64))) if len(counts) else 1
    return found if found > 1 and (len(counts) - 1) * np.log(found) >= -np.log(chance) else 1


def _starts(ordered: Integers) -> Integers:
    return np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])).astype(np.int64)
