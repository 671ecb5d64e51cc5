"""Which techniques fit a table and a target, told from names and roles alone."""

from __future__ import annotations

from typing import NamedTuple

from privet.guarantee import Person
from privet.source import Role, Table
from privet.verbs import listed


def quasi_of(table: Table) -> list[str]:
    """The quasi-identifiers, without the column that says whose rows they are."""
    unit = table.unit.column if isinstance(table.unit, Person) else None
    return [name for name in table.with_role(Role.QUASI) if name != unit]


class Unfit(NamedTuple):
    """Why a technique does not fit, and what somebody who knows the columns would say."""

    fact: str
    hint: str

    def __str__(self) -> str:
        return f"{self.fact} {self.hint}"


def unfit(table: Table, target: str, technique: str) -> Unfit | None:
    """Why a technique does not fit a table and target; None if it does. Reads no row."""
    unspoken = table.roles.get(target) is None
    said = (
        f"If outsiders must not learn it, add --sensitive {listed([target])} (in Python roles={{{target!r}: 'sensitive'}}, in "
        "a policy its role under columns)."
    )
    if technique == "synthesize" and unspoken:
        return Unfit(_unpublished(technique, target), said)
    if technique != "anonymize":
        return None
    quasi = quasi_of(table)
    if not quasi:
        return Unfit(
            "anonymize: no column is called a quasi-identifier, so that there is nothing to make alike.",
            f"Name those that outsiders may know of a person: add --quasi {listed(_candidates(table, target))} "
            "or some of these (in Python roles={'age': 'quasi'}, in a policy their role under columns).",
        )
    if unspoken:
        return Unfit(_unpublished(technique, target), said)
    if target in quasi:
        return Unfit(
            f"anonymize: the target {target!r} is a quasi-identifier and would be made coarse itself, so that no model can "
            "learn to tell it.",
            said,
        )
    return None


def _unpublished(technique: str, target: str) -> str:
    return f"{technique}: nothing says what the target {target!r} can do to a person, so that it would not be published."


def _candidates(table: Table, target: str) -> list[str]:
    """Columns that could be quasi-identifiers, for somebody to choose from."""
    unit = table.unit.column if isinstance(table.unit, Person) else None
    hidden = (Role.DIRECT, Role.FREE_TEXT)
    free = [
        name for name in table.columns if name not in (target, unit) and table.roles.get(name) not in hidden
    ]
    return free or ["COLUMN"]
