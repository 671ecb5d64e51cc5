"""How exposed people are who have several rows: counted in people, against attackers who know one row or all of them.

Rows that look alike may be one person's, so a class of rows says little. Who knows *any one row* of somebody finds the
people who have such a row; who knows *all rows* finds the people who have just these, as often. The first is what a
k-anonymous table promises when its classes are counted in people; the second is never larger, and much smaller where
histories differ.

Values that people have are counted in people too: a person with several values supports each of them, and for closeness
every person has weight one, split over the rows. A class is told apart from a diverse one if some value is *certain*: all
of its people have it, among others perhaps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privet.disclosure._contingency_cells import ContingencyCells, cells_of
from privet.disclosure._tuple_groups import labels_of, mixed_radix
from privet.disclosure.diversity_measures import distinct_l, t_equal, t_ordered
from privet.errors import BadCodes

Integers = NDArray[np.int64]

# Weights of people are whole multiples of this part, so that their sums are exact.
_WEIGHT = 2**32


@dataclass(frozen=True, eq=False)
class PeopleClasses:
    """Classes of people. `of_row[i]` is the class that row i puts its owner in; `people[c]` how many class c has."""

    of_row: Integers
    people: Integers
    alone: int  # people who are in a class by themselves

    @property
    def k(self) -> int:
        """The people of the smallest class."""
        return int(self.people.min()) if len(self.people) else 0


@dataclass(frozen=True)
class PeopleDiversity:
    """What classes of people say about a value, at the worst class by each measure.

    `distinct_l` is 1 where some value is certain. `certain_people` are in classes that have a certain value.
    """

    distinct_l: int
    certain_people: int
    t_equal: float
    t_ordered: float


def any_row(owners: Integers, rows: Integers) -> PeopleClasses:
    """The attacker knows one row: a class for each kind of row, with the people who have such a row.

    Args:
        owners: whose each row is, from 0.
        rows: the class of each row by what the attacker knows, from 0 without gaps.
    """
    _checked(owners, rows)
    pairs = _distinct(owners, rows)
    people = np.bincount(rows[pairs], minlength=int(rows.max(initial=-1)) + 1).astype(np.int64)
    lone = np.unique(owners[people[rows] == 1])
    return PeopleClasses(rows, people, len(lone))


def all_rows(owners: Integers, rows: Integers, counts: Integers) -> PeopleClasses:
    """The attacker knows all rows: a class for each multiset of rows, with the people who have just those."""
    _checked(owners, rows)
    _, owner = np.unique(owners, return_inverse=True)
    keys, space = mixed_radix([owner, rows], [int(owner.max(initial=-1)) + 1, int(rows.max(initial=-1)) + 1])
    labels = labels_of(keys, space)
    times = np.bincount(labels, weights=counts).astype(np.int64)
    first = np.zeros(len(times), np.int64)
    first[labels] = np.arange(len(labels))
    signatures = _signatures(owner[first], rows[first], times)
    people = np.bincount(signatures).astype(np.int64)
    return PeopleClasses(signatures[owner], people, int((people == 1).sum()))


def _signatures(owners: Integers, rows: Integers, times: Integers) -> Integers:
    """The number of each owner's multiset of rows. Pairs of owner and row come in order, each once."""
    starts = np.flatnonzero(np.diff(owners, prepend=-1))
    lengths = np.diff(starts, append=len(owners))
    found = np.zeros(len(starts), np.int64)
    seen = 0
    for length in np.unique(lengths):
        which = np.flatnonzero(lengths == length)
        at = starts[which][:, None] + np.arange(length)
        lines = np.concatenate([rows[at], times[at]], axis=1)
        _, numbers = np.unique(lines, axis=0, return_inverse=True)
        found[which] = seen + numbers.reshape(-1)
        seen += int(numbers.max()) + 1
    return found


def people_diversity(
    classes: PeopleClasses, owners: Integers, values: Integers, counts: Integers
) -> PeopleDiversity:
    """What the classes say about a value that people have, counted in people.

    Args:
        classes: by `any_row` or `all_rows`.
        owners: whose each row is.
        values: the value of each row, from 0.
        counts: how often each row occurs.
    """
    if not len(owners):
        raise BadCodes("a table without rows has no classes to measure.")
    width = int(values.max()) + 1
    combined, space = mixed_radix(
        [classes.of_row, owners, values], [len(classes.people), int(owners.max()) + 1, width]
    )
    labels = labels_of(combined, space)
    first = np.zeros(int(labels.max()) + 1, np.int64)
    first[labels] = np.arange(len(labels))
    support = cells_of(classes.of_row[first], values[first], np.ones(len(first), np.int64))
    certain = np.zeros(len(classes.people), bool)
    certain[support.classes[support.counts == classes.people[support.classes]]] = True
    weighed = _weighed(classes, owners, values, counts)
    return PeopleDiversity(
        distinct_l=int(np.where(certain, 1, distinct_l(support)).min()),
        certain_people=len(np.unique(owners[certain[classes.of_row]])),
        t_equal=float(t_equal(weighed).max()),
        t_ordered=float(t_ordered(weighed).max()),
    )


def _weighed(
    classes: PeopleClasses, owners: Integers, values: Integers, counts: Integers
) -> ContingencyCells:
    """The shares of values in each class, every person of weight one in it; held against all people."""
    mine, space = mixed_radix([classes.of_row, owners], [len(classes.people), int(owners.max()) + 1])
    person = labels_of(mine, space)
    rows = np.bincount(person, weights=counts)
    weights = np.round(counts / rows[person] * _WEIGHT).astype(np.int64)
    everywhere = np.bincount(owners, weights=counts)
    overall = np.bincount(values, weights=counts / everywhere[owners])
    return cells_of(classes.of_row, values, weights, overall / overall.sum())


def _distinct(owners: Integers, rows: Integers) -> Integers:
    """The place of one row of each pair of owner and class."""
    keys, space = mixed_radix(
        [owners, rows], [int(owners.max(initial=-1)) + 1, int(rows.max(initial=-1)) + 1]
    )
    labels = labels_of(keys, space)
    first = np.zeros(int(labels.max(initial=-1)) + 1, np.int64)
    first[labels] = np.arange(len(labels))
    return first


def _checked(owners: Integers, rows: Integers) -> None:
    if owners.shape != rows.shape or (len(owners) and min(owners.min(), rows.min()) < 0):
        raise BadCodes("every row has an owner and a class, and both start at 0.")
