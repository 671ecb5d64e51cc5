"""A table of the whole population beside the audited one: who else looks like the people in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from privet.audits._person_records import PersonRecords, people
from privet.disclosure import Codes, Risk, journalist, population_map
from privet.disclosure.linkage import MISSING, aligned
from privet.errors import BadAudit

if TYPE_CHECKING:
    from privet.source import Table


@dataclass(frozen=True)
class InPopulation:
    """Classes counted in a population: k-map, and the risk for an attacker who does not know who is in the sample."""

    name: str
    people: int
    columns: tuple[str, ...]
    k: int
    unmatched: int
    risk: Risk

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "population": self.name,
            "people": self.people,
            "columns": list(self.columns),
            "k_map": self.k,
            "unmatched": self.unmatched,
        }


def in_population(ours: PersonRecords, quasi: Sequence[str], population: Table) -> InPopulation:
    """Count in the population what the sample's people look like, by the quasi-identifiers that both have."""
    shared = [name for name in quasi if name in population.columns]
    if not shared:
        raise BadAudit(
            "the population table has none of the quasi-identifiers.",
            f"It needs at least one of: {', '.join(quasi)}.",
        )
    everyone = people(population.relation, shared, ())
    sample, whole = _common(ours, everyone, shared)
    found = population_map(sample, whole, shared)
    risk = journalist(found.sizes, sample.groups().of_each, sample.counts)
    return InPopulation(population.name, len(everyone), tuple(shared), found.k, found.unmatched, risk)


def _common(ours: PersonRecords, everyone: PersonRecords, columns: Sequence[str]) -> tuple[Codes, Codes]:
    import numpy as np

    mine, theirs, sizes = [], [], []
    for name in columns:
        at, there = ours.columns.index(name), everyone.columns.index(name)
        a, b, both = aligned(ours.labels[at], everyone.labels[there])
        gap = len(both)
        mine.append(np.where(a == MISSING, gap, a)[ours.codes[:, at]])
        theirs.append(np.where(b == MISSING, gap, b)[everyone.codes[:, there]])
        sizes.append(gap + 1)
    gaps = tuple(size - 1 for size in sizes)
    sample, whole = (
        Codes(tuple(columns), np.stack(parts, axis=1), side.counts, tuple(sizes), gaps)
        for parts, side in ((mine, ours), (theirs, everyone))
    )
    return sample.only(columns), whole.only(columns)
