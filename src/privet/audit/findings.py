"""Everything that an audit has measured, as facts: what is said about them and made of them is elsewhere."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from privet.audit.measuring import Alike, MissingEffect
from privet.audit.steps import Advice
from privet.disclosure.diversity import Diversity
from privet.disclosure.population import Population
from privet.disclosure.quasi import ColumnSets, Keys, SinglingOut
from privet.disclosure.suda import Suda
from privet.disclosure.unicity import Known

if TYPE_CHECKING:
    from privet.audit.attackers import SeveralRows
    from privet.audit.column_finding import ColumnFinding
    from privet.audit.contributions import Contributions
    from privet.audit.linkage import Linkage
    from privet.audit.people import People
    from privet.audit.person_key import PersonKeys
    from privet.audit.population_table import InPopulation
    from privet.audit.privacy_unit import WhoseRows
    from privet.disclosure.classes import Risk


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
    alike: Alike
    diversity: dict[str, Diversity]
    population: tuple[Population, ...]
    in_population: InPopulation | None
    survey: Risk | None
    suda: Suda
    fraction: float
    column_sets: ColumnSets
    keys: Keys
    singling_out: tuple[SinglingOut, ...]
    unicity: tuple[Known, ...]
    uniques_without: dict[str, int]
    linkage: Linkage | None
    contributions: Contributions | None
    records: People = field(repr=False)
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
