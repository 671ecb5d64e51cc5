"""The guarantee, computed once more from the written file.

Nothing of the search is used: the file is read back with another reader, its rows are grouped as an outsider would
group them, and every part of the promise is measured on these classes with the audit's own measures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.disclosure import Codes, ContingencyCells, Groups, cells_of, class_sizes, gaps_at, population
from privet.disclosure import diversity_measures as diversity
from privet.errors import PromiseBroken
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
from privet.protect._file_counts import codes_of
from privet.protect._residual_risk import RiskView
from privet.protect.anonymize._anonymize_request import of_people
from privet.protect.anonymize._population import Crowd
from privet.protect.anonymize._promise_rules import rows_for_k_map

if TYPE_CHECKING:
    import pyarrow as pa

# Shares are quotients of whole numbers: what is equal on paper may differ in the last digits.
SLACK = 1e-9


@dataclass(frozen=True, eq=False)
class OriginalShares:
    """How a sensitive column is spread over the whole original table, against which some promises compare.

    `levels[v, h]` is the node above value v at height h + 1, where distances follow a hierarchy.
    """

    values: pa.Array = field(repr=False)
    shares: NDArray[np.float64] = field(repr=False)
    levels: NDArray[np.int64] | None = field(default=None, repr=False)


@dataclass(frozen=True, eq=False)
class Written:
    """A file as an outsider sees it: classes by the quasi-identifiers, and the sensitive values in them.

    `people` counts the population by what its people would look like in the file, where a promise speaks of it.
    """

    codes: Codes
    groups: Groups
    view: RiskView
    labels: Mapping[str, pa.Array]
    references: Mapping[str, OriginalShares]
    people: Crowd | None = None

    @property
    def fewest(self) -> int:
        """The rows (or people) that look like the row that fewest look like."""
        return int(self.view.look_alikes(self.codes).min())

    def gaps(self) -> bool:
        """Whether a row misses a quasi-identifier."""
        return bool(gaps_at(self.codes, self.codes.positions(self.view.quasi)).any())

    def cells(self, column: str) -> ContingencyCells:
        """The sensitive values of each class, against the original table's."""
        import pyarrow.compute as pc

        reference = self.references[column]
        known = pc.index_in(self.labels[column], value_set=reference.values, skip_nulls=False)
        if known.null_count:
            raise PromiseBroken(f"the written column {column!r} holds values that the table never had.")
        (at,) = self.codes.positions([column])
        values = np.asarray(known.to_numpy(zero_copy_only=False), np.int64)[self.codes.codes[:, at]]
        return cells_of(self.groups.labels, values, self.codes.counts, reference.shares)

    def in_population(self) -> NDArray[np.int64]:
        """How many people of the population look like each class."""
        if self.people is None:
            raise PromiseBroken("the promise speaks of a population, and none was given.")
        first = np.zeros(len(self.groups), np.int64)
        first[self.groups.labels] = np.arange(len(self.codes))
        shown = [
            self.labels[name].take(self.codes.codes[first, at]).to_pylist()
            for name, at in zip(self.view.quasi, self.codes.positions(self.view.quasi), strict=True)
        ]
        return np.array([self.people.fitting.get(values, 0) for values in zip(*shown, strict=True)], np.int64)


def written(
    table: pa.Table,
    view: RiskView,
    references: Mapping[str, OriginalShares],
    people: Crowd | None = None,
) -> Written:
    """What `counted` read back from a finished file, as classes."""
    whose = [view.persons] if view.persons is not None else []
    codes, labels = codes_of(table, [*view.quasi, *references, *whose])
    return Written(codes, codes.groups(view.quasi), view, labels, references, people)


def check(found: Written, promise: Promise) -> None:
    """Raise unless every part of the promise holds on the written file."""
    if found.view.missing == "ignored" and len(found.codes) and found.gaps():
        raise PromiseBroken("the written file has a row that belongs to no class; nothing was published.")
    for part in parts(promise):
        measure = _MEASURES.get(type(part))
        if measure is None:
            raise PromiseBroken(f"{type(part).__name__} cannot be measured on a written file.")
        if found.view.persons is not None and not of_people(part):
            raise PromiseBroken(f"{type(part).__name__} speaks of shares of rows, and people have several.")
        fault = measure(found, part) if len(found.codes) else None
        if fault:
            raise PromiseBroken(
                f"the written file {fault}; nothing was published.",
                "Check that nothing changes the source, and run again.",
            )


# --- one measure for each promise: None where it holds, else what is wrong ----------------------


def _k_anonymity(found: Written, promise: KAnonymity) -> str | None:
    smallest = found.fewest
    who = "people" if found.view.persons is not None else "rows"
    return (
        None if smallest >= promise.k else f"has a class of {smallest} {who}, and {promise.k} were promised"
    )


def _l_diversity(found: Written, promise: LDiversity) -> str | None:
    cells = found.cells(promise.column)
    if promise.variant == "distinct":
        holds = bool((diversity.distinct_l(cells) >= promise.l).all())
    elif promise.variant == "entropy":
        holds = bool((diversity.entropy_l(cells) >= promise.l * (1 - SLACK)).all())
    else:
        assert promise.c is not None  # the promise checks this itself
        holds = bool((diversity.recursive_ratio(cells, promise.l) < float(promise.c)).all())
    return None if holds else f"has a class that is not {promise.l}-diverse in {promise.column!r}"


def _t_closeness(found: Written, promise: TCloseness) -> str | None:
    cells = found.cells(promise.column)
    if promise.distance == "equal":
        far = diversity.t_equal(cells)
    elif promise.distance == "ordered":
        far = diversity.t_ordered(cells)
    else:
        levels = found.references[promise.column].levels
        if levels is None:
            return f"has no hierarchy of {promise.column!r} to measure distances by"
        far = diversity.t_hierarchical(cells, levels)
    worst = float(far.max(initial=0))
    holds = worst <= float(promise.t) + SLACK
    return None if holds else f"has a class whose {promise.column!r} lies {worst:.4f} from the table's"


def _k_map(found: Written, promise: KMap) -> str | None:
    if promise.estimate == "exact":
        fewest = int(found.in_population().min())
        said = f"has a class that only {fewest} people of the population fit"
        return None if fewest >= promise.k else f"{said}, and {promise.k} were promised"
    smallest, needed = found.fewest, rows_for_k_map(promise)
    return (
        None if smallest >= needed else f"has a class of {smallest} rows, and the estimate asks for {needed}"
    )


def _delta_presence(found: Written, promise: DeltaPresence) -> str | None:
    fitting = found.in_population()
    if not fitting.all():
        return "has a class that nobody of the population fits"
    assert found.people is not None  # or there is nobody to fit
    if promise.minimum > 0 and int(fitting.sum()) < found.people.people:
        return "leaves out people of the population, who are then known not to be in it"
    shares = found.groups.sizes / fitting
    inside = (shares >= float(promise.minimum) - SLACK) & (shares <= float(promise.maximum) + SLACK)
    return None if inside.all() else "has a class whose people are in the table too surely, or too rarely"


def _beta_likeness(found: Written, promise: BetaLikeness) -> str | None:
    measure = diversity.beta_basic if promise.variant == "basic" else diversity.beta_enhanced
    worst = float(measure(found.cells(promise.column)).max(initial=0))
    holds = worst <= float(promise.beta) * (1 + SLACK)
    return None if holds else f"has a class where a value of {promise.column!r} gains {worst:.4f}"


def _delta_disclosure(found: Written, promise: DeltaDisclosure) -> str | None:
    absent: Any = promise.absent
    worst = float(diversity.delta_disclosure(found.cells(promise.column), absent=absent).max(initial=0))
    holds = worst < float(promise.delta)
    return None if holds else f"has a class where a value of {promise.column!r} differs by {worst:.4f}"


def _alpha_k(found: Written, promise: AlphaK) -> str | None:
    worst = float(diversity.alpha(found.cells(promise.column)).max(initial=0))
    if worst > float(promise.alpha) + SLACK:
        return f"has a class where one value of {promise.column!r} has a share of {worst:.4f}"
    return _k_anonymity(found, KAnonymity(promise.k))


def _risk(found: Written, promise: RiskThreshold) -> str | None:
    sizes = found.groups.sizes
    if promise.highest is not None and found.fewest * promise.highest < 1:
        return "has a row whose risk is above the highest that was promised"
    if promise.average is not None and len(sizes) > promise.average * int(sizes.sum()):
        return "has a mean risk above the one that was promised"
    return None


def _population_uniqueness(found: Written, promise: PopulationUniqueness) -> str | None:
    sizes = class_sizes(found.groups.sizes)
    if not sizes.uniques:
        return None
    share = getattr(population(sizes, float(promise.sampling_fraction)), promise.model).share
    holds = share is not None and share <= float(promise.share) + SLACK
    return None if holds else "has more rows that are unique in the population than were promised"


_MEASURES: dict[type[Promise], Callable[[Written, Any], str | None]] = {
    KAnonymity: _k_anonymity,
    KMap: _k_map,
    LDiversity: _l_diversity,
    TCloseness: _t_closeness,
    DeltaPresence: _delta_presence,
    BetaLikeness: _beta_likeness,
    DeltaDisclosure: _delta_disclosure,
    AlphaK: _alpha_k,
    RiskThreshold: _risk,
    PopulationUniqueness: _population_uniqueness,
}
