"""The measures of one table: classes, risk, diversity, uniqueness, exposure and the sets of columns behind them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.audits._person_records import PersonRecords
from privet.disclosure import (
    SEMANTICS,
    ClassSizes,
    Codes,
    Diversity,
    Missing,
    Risk,
    Walk,
    cells,
    class_sizes,
    diversity,
    prosecutor,
    risk_of,
    sizes_of_each,
    walk,
    weighted_risk,
)
from privet.errors import BadAudit, DisclosureTooLarge

# Tuples grouped in the search for minimal uniques; the one over all columns stops at sets of three.
SUDA_LIMIT = 300_000_000
SET_LIMIT = 600_000_000
LARGEST_SET = 3
MOST_SETS = 20_000  # of quasi-identifiers: all of them up to 14 columns, those of four of 20


def codes_of(people: PersonRecords, columns: Sequence[str]) -> Codes:
    """The records as codes of these columns, equal ones together."""
    at = people.places(columns)
    every = Codes(
        tuple(columns),
        people.codes[:, at],
        people.counts,
        tuple(max(1, len(people.labels[j])) for j in at),
        tuple(people.missing_code(name) for name in columns),
    )
    return every.only(columns)


@dataclass(frozen=True)
class MissingEffect:
    """What one meaning of missing values makes of the table; None where it could not be computed."""

    semantics: Missing
    k: int | None
    uniques: int | None
    mean_risk: float | None
    left_out: int = 0

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "k": self.k,
            "sample_uniques": self.uniques,
            "mean_risk": self.mean_risk,
            "left_out": self.left_out,
        }


def missing_effects(codes: Codes) -> tuple[MissingEffect, ...]:
    """The three meanings side by side; only the first if nothing is missing, since all agree then."""
    if all(code is None for code in codes.missing):
        return (_effect(codes, "own value"),)
    return tuple(_effect(codes, semantics) for semantics in SEMANTICS)


def _effect(codes: Codes, semantics: Missing) -> MissingEffect:
    try:
        sizes = sizes_of_each(codes, None, semantics)
    except DisclosureTooLarge:
        return MissingEffect(semantics, None, None, None)
    kept = sizes > 0
    return MissingEffect(
        semantics,
        int(sizes[kept].min()) if kept.any() else 0,
        int(codes.counts[sizes == 1].sum()),
        prosecutor(sizes, codes.counts).mean,
        int(codes.counts[~kept].sum()),
    )


@dataclass(frozen=True, eq=False)
class LookAlikes:
    """How many people look alike, under one meaning of missing values."""

    codes: Codes = field(repr=False)
    of_each: NDArray[np.int64] = field(repr=False)
    sizes: ClassSizes
    overlapping: bool  # wildcards: classes overlap, and their number is only nominal

    @property
    def prosecutor(self) -> Risk:
        """The risk of an attacker who knows that the person is in the table."""
        return prosecutor(self.of_each, self.codes.counts)


def alike(codes: Codes, missing: Missing) -> LookAlikes:
    """Class sizes of the quasi-identifiers."""
    of_each = sizes_of_each(codes, None, missing)
    kept = of_each > 0
    sizes, rows = np.unique(of_each[kept], return_inverse=True)
    people = np.bincount(rows, weights=codes.counts[kept], minlength=len(sizes)).astype(np.int64)
    overlapping = missing == "wildcard" and any(code is not None for code in codes.missing)
    if not overlapping:
        return LookAlikes(
            codes, of_each, ClassSizes(sizes, people // np.maximum(sizes, 1)), overlapping=False
        )
    return LookAlikes(codes, of_each, ClassSizes(sizes, np.maximum(1, people // sizes)), overlapping=True)


def diversities(
    people: PersonRecords, quasi: Sequence[str], sensitive: Sequence[str]
) -> dict[str, Diversity]:
    """How diverse each sensitive column is inside the classes."""
    found = {}
    for name in sensitive:
        codes = codes_of(people, [*quasi, name])
        found[name] = diversity(cells(codes, quasi, name))
    return found


def walks(people: PersonRecords, quasi: Sequence[str], compared: Sequence[str]) -> tuple[Walk, Walk]:
    """The sets of all compared columns up to three, and those of the quasi-identifiers as far as it goes."""
    known = walk(codes_of(people, quasi), largest=_largest(len(quasi)), limit=SUDA_LIMIT)
    if set(quasi) == set(compared):
        return known, known
    return walk(codes_of(people, compared), largest=LARGEST_SET, limit=SET_LIMIT), known


def _largest(width: int) -> int:
    """The size up to which there are not too many sets of so many columns."""
    largest, sets = 0, 0
    while largest < width and (sets := sets + comb(width, largest + 1)) <= MOST_SETS:
        largest += 1
    return max(1, largest)


def draws(walked: Walk, sizes: int) -> int:
    """How many sets of one size to draw for the unicity curve, so that it stays quick on long tables."""
    return int(np.clip(150_000_000 // max(1, len(walked.table) * max(1, sizes)), 16, 200))


def survey_risk(people: PersonRecords, codes: Codes, weights: str) -> Risk:
    """The risk of each class in a sample survey, from the weights of its rows."""
    at = people.columns.index(weights)
    values = np.asarray(people.labels[at].to_numpy(zero_copy_only=False), np.float64)
    if not len(values) or np.isnan(values).any() or values.min() < 1:
        raise BadAudit(
            f"column {weights!r} does not hold survey weights: each must be a number, 1 or more.",
            "A weight says how many people of the population a row stands for.",
        )
    with_weights = codes_of(people, [*codes.columns, weights])
    groups = with_weights.groups(codes.columns)
    heavy = values[with_weights.codes[:, -1]] * with_weights.counts
    estimated = np.bincount(groups.labels, weights=heavy, minlength=len(groups))
    return risk_of(weighted_risk(groups.sizes, estimated), groups.sizes)


def sizes_without(codes: Codes) -> dict[str, int]:
    """How many people would be unique if one quasi-identifier were not there."""
    found = {}
    for name in codes.columns:
        rest = [other for other in codes.columns if other != name]
        found[name] = class_sizes(codes.sizes(rest)).uniques if rest else 0
    return found
