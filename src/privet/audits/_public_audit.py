"""What others may be shown of an audit: its own type, made from the owner's by leaving out and rounding.

Shares are rounded to whole percents and numbers of people to one digit, figures that belong to single people
(the smallest class, the heaviest contributor, the highest score) are left out, and no value of the data was in
the audit to begin with. It is a courtesy to the people in the table, and no differential privacy: it is meant
for those who assess the risk, not for the public at large.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from privet.artifact import Displayed, Framed
from privet.audits._columns_table import published_columns_table

if TYPE_CHECKING:
    import pyarrow as pa

    from privet.audits._findings import Findings

SCHEMA = "privet-audit-public/1"


@dataclass(frozen=True)
class PublicAudit(Displayed, Framed):
    """An audit for others. Holds names of columns, roles, categories and rounded shares; nothing else."""

    table: str
    unit: str  # what the figures are about, in the plural: people, households, groups or rows
    people: int  # how many there are, to one digit
    columns: dict[str, dict[str, Any]]
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    unique_share: float
    below_five_share: float
    mean_risk: float
    given_away: dict[str, float]  # by sensitive column: people whose class has one value only
    population_unique_share: dict[str, float]
    unicity: tuple[tuple[int, float], ...]
    singling_out: tuple[tuple[float, tuple[str, ...]], ...]
    linked_share: float | None
    advice: tuple[str, ...]
    _drawn_as: ClassVar[str] = "public audit"

    def to_arrow(self) -> pa.Table:
        """One row for each column: its role and category."""
        return published_columns_table(self.columns)

    @classmethod
    def of(cls, audit: Findings) -> PublicAudit:
        """Leave out and round."""
        people = max(1, audit.people)
        return cls(
            table=audit.table,
            unit=audit.unit.many,
            people=one_digit(audit.people),
            columns={
                name: {"role": finding.role, "category": finding.category, "special": finding.special}
                for name, finding in audit.columns.items()
            },
            quasi=audit.quasi,
            sensitive=audit.sensitive,
            unique_share=whole_percent(audit.unique_share),
            below_five_share=whole_percent(audit.alike.sizes.rows_below(5) / people),
            mean_risk=whole_percent(audit.alike.prosecutor.mean),
            given_away={
                name: whole_percent(found.single_valued_rows / people)
                for name, found in audit.diversity.items()
            },
            population_unique_share={
                f"{found.fraction:.2g}": whole_percent(found.dankar.share)
                for found in audit.population
                if found.dankar.share is not None
            },
            unicity=tuple((point.attributes, whole_percent(point.share)) for point in audit.unicity),
            singling_out=tuple(
                (found.share, found.sets[0].columns) for found in audit.singling_out if found.sets
            ),
            linked_share=whole_percent(audit.linkage.share) if audit.linkage else None,
            advice=tuple(step.step for step in audit.advice),
        )

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "schema": SCHEMA,
            "audience": "others: rounded figures, no values; derived from the data without differential privacy",
            "table": self.table,
            "unit": self.unit,
            "people": self.people,
            "columns": self.columns,
            "quasi_identifiers": list(self.quasi),
            "sensitive": list(self.sensitive),
            "unique_share": self.unique_share,
            "below_five_share": self.below_five_share,
            "mean_risk": self.mean_risk,
            "given_away": self.given_away,
            "population_unique_share": self.population_unique_share,
            "unicity": [{"attributes": number, "share": share} for number, share in self.unicity],
            "singling_out": [{"share": share, "columns": list(names)} for share, names in self.singling_out],
            "linked_share": self.linked_share,
            "advice": list(self.advice),
        }


def whole_percent(share: float) -> float:
    """A share to the percent; neither 0 nor 1 unless it is."""
    rounded = round(float(share), 2)
    return min(max(rounded, 0.01 if share > 0 else 0.0), 0.99 if share < 1 else 1.0)


def one_digit(number: int) -> int:
    """A number to its first digit."""
    if number < 10:
        return 10 if number else 0
    power = int(10 ** (len(str(number)) - 1))
    return round(number / power) * power
