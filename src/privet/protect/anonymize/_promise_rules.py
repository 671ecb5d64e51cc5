"""Each promise about a table as rules: on its classes, and on all class sizes together."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from privet.disclosure import ContingencyCells
from privet.disclosure import diversity_measures as diversity
from privet.errors import ModelUnfit
from privet.guarantee import (
    AlphaK,
    BetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    KAnonymity,
    KMap,
    LDiversity,
    PopulationUniqueness,
    Promise,
    RiskThreshold,
    TCloseness,
    parts,
)
from privet.protect.anonymize._privacy_rules import (
    AtLeast,
    Counts,
    DistinctAtLeast,
    MeasuredRule,
    PeopleAtLeast,
    Presence,
    PrivacyRule,
    Recursive,
    Rules,
    TableRule,
)
from privet.protect.anonymize.hierarchies import Ladder


@dataclass(frozen=True, eq=False)
class TableShares:
    """What models compare classes with: shares of sensitive values in the whole table, and their hierarchies."""

    shares: dict[str, NDArray[np.float64]]
    ladders: dict[str, Ladder] = field(default_factory=dict)

    def of(self, column: str) -> NDArray[np.float64]:
        """Shares of the column's values."""
        if column not in self.shares:
            raise ModelUnfit(
                f"the model speaks of {column!r}, which is not a sensitive column of the table.",
                "Name the column as sensitive, and not as quasi-identifier.",
            )
        return self.shares[column]


def sensitive_columns(promise: Promise) -> tuple[str, ...]:
    """The sensitive columns that a promise speaks of, each once."""
    named = [part.column for part in parts(promise) if hasattr(part, "column")]
    return tuple(dict.fromkeys(named))


def rules_of(promise: Promise, reference: TableShares, persons: str | None = None) -> Rules:
    """The rules that make up a promise; refuses promises that are not about classes of rows.

    Where people have several rows, `persons` is the column that says whose they are: what asks for so many rows then
    asks for rows of so many people, as in (X, Y)-anonymity (Wang and Fung 2006).
    """
    classes: list[PrivacyRule] = []
    table: list[TableRule] = []
    for part in parts(promise):
        maker = _MAKERS.get(type(part))
        if maker is None:
            raise ModelUnfit(
                f"{type(part).__name__} is not kept by generalizing a table.",
                "Use k-anonymity and the models that go with it.",
            )
        for rule in maker(part, reference):
            (table if isinstance(rule, TableRule) else classes).append(rule)  # type: ignore[arg-type]
    smallest = max([rule.rows for rule in classes if isinstance(rule, AtLeast)], default=0)
    others = [rule for rule in classes if not isinstance(rule, AtLeast)]
    ordered = [*([AtLeast(smallest)] if smallest > 1 else []), *others]
    looked_at = sensitive_columns(promise)
    if persons is not None:
        ordered.append(DistinctAtLeast(persons, max(1, smallest)))
        looked_at = (*looked_at, persons)
    population = any(isinstance(rule, (PeopleAtLeast, Presence)) for rule in ordered)
    return Rules(promise, tuple(ordered), tuple(table), looked_at, population)


Made = Sequence[PrivacyRule | TableRule]


def _k_anonymity(promise: KAnonymity, _: TableShares) -> Made:
    return [AtLeast(promise.k)]


def _k_map(promise: KMap, _: TableShares) -> Made:
    return [PeopleAtLeast(promise.k) if promise.estimate == "exact" else AtLeast(rows_for_k_map(promise))]


def rows_for_k_map(promise: KMap) -> int:
    """Rows that fewer than k people of the population would hardly show: k', and never more than k.

    Were there at most k people, the number of them who were drawn would be Poisson with a mean of at most k times
    the sampling fraction (or the same on condition that it is not 0). k' is the smallest number that this reaches
    with a probability of at most the significance (El Emam and Dankar 2008, estimators D3 and D4). Classes of k rows
    are of k people anyway.
    """
    from scipy.stats import poisson

    assert promise.sampling_fraction is not None
    assert promise.significance is not None
    mean = promise.k * float(promise.sampling_fraction)
    reaching = poisson.sf(np.arange(promise.k) - 1.0, mean)  # of at least 0, 1, …, k - 1 people
    if promise.estimate == "zero-truncated-poisson":
        reaching = np.minimum(1.0, reaching / -math.expm1(-mean))
    enough = np.flatnonzero(reaching <= float(promise.significance))
    return int(enough[0]) if len(enough) else promise.k


def _l_diversity(promise: LDiversity, reference: TableShares) -> Made:
    values = len(reference.of(promise.column))
    enough = [AtLeast(promise.l), DistinctAtLeast(promise.column, promise.l)]
    if promise.variant == "distinct":
        return enough
    if promise.variant == "recursive":
        assert promise.c is not None
        return [*enough, Recursive(promise.column, float(promise.c), promise.l)]
    cap = np.full(values, _largest_share(promise.l, values))
    least = -float(promise.l)
    return [*enough, MeasuredRule(promise.column, lambda cells: -diversity.entropy_l(cells), least, caps=cap)]


def _largest_share(l: int, values: int) -> float:  # noqa: E741
    """The largest share that a value can have where the entropy is ln(l): the others are then equally frequent."""
    if l >= values:
        return 1 / values if l == values else 0.0
    low, high = 1 / values, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        rest = 1 - middle
        entropy = -middle * math.log(middle) - (rest * math.log(rest / (values - 1)) if rest > 0 else 0)
        low, high = (middle, high) if entropy >= math.log(l) else (low, middle)
    return high + 1e-9


def _t_closeness(promise: TCloseness, reference: TableShares) -> Made:
    shares = reference.of(promise.column)
    limit = float(promise.t)
    if promise.distance == "equal":
        return [MeasuredRule(promise.column, diversity.t_equal, limit, caps=shares, share=1 - limit)]
    if promise.distance == "ordered":
        return [MeasuredRule(promise.column, diversity.t_ordered, limit)]
    ladder = reference.ladders.get(promise.column)
    if ladder is None or not ladder.hierarchy.has_root or ladder.height < 1:
        raise ModelUnfit(
            f"hierarchical t-closeness needs a hierarchy of {promise.column!r} whose values meet at the top.",
            "Give the hierarchy, or use the distance equal or ordered.",
        )
    levels = ladder.nodes[: len(shares), 1:].astype(np.int64)
    # Rows that change the branch below the root cost their full share, so branches alone must be close already.
    branches = levels[:, -2] if ladder.height > 1 else np.arange(len(shares))
    by_branch = np.asarray(np.bincount(branches, weights=shares), np.float64)

    def figure(cells: ContingencyCells) -> NDArray[np.float64]:
        return diversity.t_hierarchical(cells, levels)

    return [MeasuredRule(promise.column, figure, limit, caps=by_branch, share=1 - limit, merged=branches)]


def _beta_likeness(promise: BetaLikeness, reference: TableShares) -> Made:
    shares, beta = reference.of(promise.column), float(promise.beta)
    if promise.variant == "basic":
        return [MeasuredRule(promise.column, diversity.beta_basic, beta, caps=shares * (1 + beta))]
    gain = np.minimum(beta, -np.log(np.where(shares > 0, shares, 1.0)))
    return [MeasuredRule(promise.column, diversity.beta_enhanced, beta, caps=shares * (1 + gain))]


def _delta_disclosure(promise: DeltaDisclosure, reference: TableShares) -> Made:
    shares, limit = reference.of(promise.column), float(promise.delta)
    whole = promise.absent == "refuse"

    def figure(cells: ContingencyCells) -> NDArray[np.float64]:
        return diversity.delta_disclosure(cells, absent="refuse" if whole else "skip")

    caps = shares * math.exp(limit)
    return [MeasuredRule(promise.column, figure, limit, strict=True, caps=caps, convex=whole)]


def _alpha_k(promise: AlphaK, reference: TableShares) -> Made:
    limit = float(promise.alpha)
    caps = np.full(len(reference.of(promise.column)), limit)
    return [AtLeast(promise.k), MeasuredRule(promise.column, diversity.alpha, limit, caps=caps)]


def _risk(promise: RiskThreshold, _: TableShares) -> Made:
    made: list[PrivacyRule | TableRule] = []
    if promise.highest is not None:
        made.append(AtLeast(math.ceil(1 / promise.highest)))
    if promise.average is not None:
        limit = promise.average
        enough = math.ceil(1 / limit)
        made.append(TableRule(lambda sizes: len(sizes) <= limit * int(sizes.sum()), enough))
    return made


def _population_uniqueness(promise: PopulationUniqueness, _: TableShares) -> Made:
    def holds(sizes: Counts) -> bool:
        from privet.disclosure import class_sizes, population

        if not (sizes == 1).any():
            return True
        found = population(class_sizes(sizes), float(promise.sampling_fraction))
        share = getattr(found, promise.model).share
        return share is not None and share <= float(promise.share)

    return [TableRule(holds, enough=2)]


def _presence(promise: DeltaPresence, _: TableShares) -> Made:
    return [Presence(float(promise.minimum), float(promise.maximum))]


_MAKERS: dict[type[Promise], Callable[..., Made]] = {
    KAnonymity: _k_anonymity,
    KMap: _k_map,
    LDiversity: _l_diversity,
    TCloseness: _t_closeness,
    BetaLikeness: _beta_likeness,
    DeltaDisclosure: _delta_disclosure,
    AlphaK: _alpha_k,
    RiskThreshold: _risk,
    PopulationUniqueness: _population_uniqueness,
    DeltaPresence: _presence,
}
