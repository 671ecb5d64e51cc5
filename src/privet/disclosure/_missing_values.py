"""What a missing value means for who looks alike. Peers differ silently; here it is said.

- own value: missing is one more value, so two rows with a gap in the same place look alike;
- wildcard: a gap matches anything, so classes overlap and are larger;
- ignored: a row with a gap in any of the columns belongs to no class and is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from privet.disclosure._code_tuples import Codes
from privet.disclosure._tuple_groups import labels_of, mixed_radix, totals_of
from privet.errors import BadCodes, DisclosureTooLarge

Missing = Literal["own value", "wildcard", "ignored"]
SEMANTICS: tuple[Missing, ...] = ("own value", "wildcard", "ignored")
# Wildcards compare every pattern of gaps with every other one: at most this many tuples in all comparisons.
LARGEST_COMPARISON = 500_000_000


def sizes_of_each(
    codes: Codes, columns: Sequence[str] | None = None, missing: Missing = "own value"
) -> NDArray[np.int64]:
    """For each distinct tuple, how many rows look like it in the named columns; 0 where it is left out."""
    if missing not in SEMANTICS:
        raise BadCodes("that is not a meaning of missing values.", f"Say one of: {', '.join(SEMANTICS)}.")
    at = codes.positions(columns)
    gaps = gaps_at(codes, at)
    if missing == "own value" or not gaps.any():
        return codes.groups(columns).of_each
    if missing == "wildcard":
        return _wildcard(codes, at, gaps)
    whole = np.logical_not(gaps.any(axis=1))
    sizes = np.zeros(len(codes), np.int64)
    if whole.any():
        sizes[whole] = codes.where(whole).groups(columns).of_each
    return sizes


def gaps_at(codes: Codes, at: Sequence[int]) -> NDArray[np.bool_]:
    """True where a tuple has no value, by tuple and column."""
    gaps = np.zeros((len(codes), len(at)), bool, order="F")
    for place, j in enumerate(at):
        if codes.missing[j] is not None:
            gaps[:, place] = codes.codes[:, j] == codes.missing[j]
    return gaps


def _wildcard(codes: Codes, at: Sequence[int], gaps: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Tuples are sorted by their pattern of gaps; two patterns are compared where both have values."""
    patterns, labels = np.unique(gaps, axis=0, return_inverse=True)
    labels = labels.reshape(-1)
    if len(patterns) * len(codes) > LARGEST_COMPARISON:
        raise DisclosureTooLarge(
            "there are too many patterns of missing values to match each with every other one.",
            "Name fewer quasi-identifiers, or count missing as its own value.",
            patterns=len(patterns),
        )
    members = [np.flatnonzero(labels == number) for number in range(len(patterns))]
    sizes = np.zeros(len(codes), np.int64)
    for here, mine in enumerate(members):
        for there in range(here + 1):
            theirs = members[there]
            shared = [j for place, j in enumerate(at) if not (patterns[here] | patterns[there])[place]]
            _match(codes, shared, mine, theirs, sizes)
    return sizes


def _match(
    codes: Codes,
    shared: Sequence[int],
    mine: NDArray[np.int64],
    theirs: NDArray[np.int64],
    sizes: NDArray[np.int64],
) -> None:
    """Adds to the sizes of both patterns' tuples the rows of the other's that agree in the shared columns."""
    same = mine is theirs
    both = mine if same else np.concatenate([mine, theirs])
    if shared:
        labels = labels_of(
            *mixed_radix([codes.codes[both, j] for j in shared], [codes.cardinalities[j] for j in shared])
        )
    else:
        labels = np.zeros(len(both), np.int64)
    groups = int(labels.max(initial=-1)) + 1
    first, second = labels[: len(mine)], labels[len(both) - len(theirs) :]
    sizes[mine] += totals_of(second, codes.counts[theirs], groups)[first]
    if not same:
        sizes[theirs] += totals_of(first, codes.counts[mine], groups)[second]
