"""Everything that an audit has measured, as facts: what is said about them and made of them is elsewhere."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from privet.audits._disclosure_measures import LookAlikes, MissingEffect
from privet.disclosure import AttackerFacts, ColumnSets, Diversity, Keys, Population, SinglingOut, Suda

if TYPE_CHECKING:
    from privet.audits._attacker_knowledge import SeveralRows
    from privet.audits._column_finding import ColumnFinding
    from privet.audits._contribution_spread import Contributions
    from privet.audits._person_key import PersonKeys
    from privet.audits._person_records import PersonRecords
    from privet.audits._population_table import InPopulation
    from privet.audits._privacy_unit import WhoseRows
    from privet.audits.linkage_risk import Linkage
    from privet.disclosure import Risk


@dataclass(frozen=True)
class Advice:
    """One step of advice. `command` is None where this version has no command for it."""

    step: str
    why: str
    command: str | None = None

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {"step": self.step, "why": self.why, "command": self.command}


@dataclass(frozen=True, eq=False, repr=False)
class Findings:
    """What was measured, for the owner of the table.

    Figures are about units: `people` is how many there are, whether they are persons, households or rows. See `unit`.
    """

    table: str
    rows: int
    people: int
    unit: WhoseRows
    person_keys: PersonKeys
    several: SeveralRows | None
    varying: tuple[str, ...]
    columns: dict[str, ColumnFinding]
    quasi: tuple[str, ...]
    quasi_origin: str
    sensitive: tuple[str, ...]
    left_out: tuple[str, ...]
    missing: str
    missing_effects: tuple[MissingEffect, ...]
    alike: LookAlikes
    diversity: dict[str, Diversity]
    population: tuple[Population, ...]
    in_population: InPopulation | None
    survey: Risk | None
    suda: Suda
    fraction: float
    column_sets: ColumnSets
    keys: Keys
    singling_out: tuple[SinglingOut, ...]
    unicity: tuple[AttackerFacts, ...]
    uniques_without: dict[str, int]
    linkage: Linkage | None
    contributions: Contributions | None
    records: PersonRecords = field(repr=False)
    advice: tuple[Advice, ...] = ()

    @property
    def unique_share(self) -> float:
        """The share of people who are alone in their class."""
        return self.alike.sizes.uniques / self.people if self.people else 0.0

    @property
    def unknown(self) -> tuple[str, ...]:
        """Columns of which nobody knows what they are: to be looked at first."""
        return tuple(name for name, finding in self.columns.items() if finding.unknown)

    @property
    def secret(self) -> set[str]:
        """The columns that an outsider must not learn, whether measured here or only classified so."""
        found = {name for name, finding in self.columns.items() if finding.role == "sensitive"}
        return found | set(self.sensitive)

    @property
    def marketer(self) -> float:
        """The share of people that an attacker gets right who matches everybody."""
        return self.in_population.risk.mean if self.in_population else self.alike.prosecutor.mean
