"""All the ways a few things can be dealt out to a few groups, with their weights: what an attacker enumerates."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from privet.errors import NoPower

MOST = 200_000


def compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Every way to write a number as so many parts that may be nought."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in compositions(total - first, parts - 1):
            yield (first, *rest)


def number_of_compositions(total: int, parts: int) -> int:
    """How many `compositions` there are."""
    return math.comb(total + parts - 1, parts - 1)


def ways(counts: Sequence[int]) -> float:
    """In how many orders things of these kinds can stand: the multinomial coefficient."""
    return math.exp(math.lgamma(sum(counts) + 1) - sum(math.lgamma(count + 1) for count in counts))


def dealt(sizes: Sequence[int], values: Sequence[int]) -> Iterator[tuple[tuple[tuple[int, ...], ...], float]]:
    """Every way to deal values (so many of each) to groups of these sizes, with the number of orders it stands for."""
    if len(sizes) == 1:
        yield (tuple(values),), ways(values)
        return
    for first in _taken(sizes[0], values):
        left = [have - take for have, take in zip(values, first, strict=True)]
        weight = ways(first)
        for rest, more in dealt(sizes[1:], left):
            yield (first, *rest), weight * more


def _taken(size: int, values: Sequence[int]) -> Iterator[tuple[int, ...]]:
    if len(values) == 1:
        if size <= values[0]:
            yield (size,)
        return
    for first in range(max(0, size - sum(values[1:])), min(size, values[0]) + 1):
        for rest in _taken(size - first, values[1:]):
            yield (first, *rest)


def refuse_many(number: int) -> None:
    """Enumeration is for small classes."""
    if number > MOST:
        raise NoPower(
            f"a class allows more than {MOST:,} finer tables: too many to look at one by one.",
            "This attack is for small classes; take a part of the table.",
        )
