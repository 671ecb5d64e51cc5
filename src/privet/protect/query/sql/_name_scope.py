"""The names that a question can use at one place, and the table that they are about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from privet.engine import ColumnKind
from privet.engine import expressions as tree
from privet.errors import BadUsage
from privet.guarantee import Person
from privet.protect.query.sql._public_facts import range_of
from privet.protect.query.sql._scalar_expressions import ScalarExpressions
from privet.source import Asked, Bounds, PublicTable, rows_of

ALONE = "t"  # what a table that was given alone may be called


@dataclass(frozen=True)
class NameScope:
    """Columns by their visible names, each as an expression over the table's own; rows that do not meet `condition`
    are not there. `qualified` finds the visible name of `alias.column`.
    """  # noqa: D205

    table: Asked
    columns: Mapping[str, tree.Expression]
    qualified: Mapping[tuple[str, str], str]
    condition: tree.Expression | None = None
    ambiguous: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, table: Asked, alias: str) -> NameScope:
        """A whole table under an alias."""
        usable = [name for name, kind in table.columns.items() if kind is not ColumnKind.OTHER]
        return cls(
            table, {name: tree.Column(name) for name in usable}, {(alias, name): name for name in usable}
        )

    def called(self, alias: str) -> NameScope:
        """The same under another alias."""
        return replace(self, qualified={(alias, name): name for name in self.columns})

    def values(self, text: str) -> ScalarExpressions:
        """What reads expressions here."""
        return ScalarExpressions(text, self.columns, self.table.columns, self.qualified, self.ambiguous)

    def where(self, condition: tree.Expression) -> NameScope:
        """Only rows that meet a condition as well."""
        both = condition if self.condition is None else tree.And(self.condition, condition)
        return replace(self, condition=both)

    @property
    def person(self) -> tree.Column | None:
        """The person column, if the unit is a person."""
        return tree.Column(self.table.unit.column) if isinstance(self.table.unit, Person) else None

    def bounds_of(self, expression: tree.Expression) -> Bounds | None:
        """The public range of an expression."""
        return range_of(expression, self.table.bounds)

    def as_table(self) -> tuple[Asked, dict[str, str]]:
        """A table that has these columns, and what each visible name is called in it."""
        plain = {name: value.name for name, value in self.columns.items() if isinstance(value, tree.Column)}
        if self.condition is None and len(plain) == len(self.columns):
            return self.table, plain
        names: dict[str, str] = {}
        made: dict[str, tree.Expression] = {}
        for name, value in self.columns.items():
            if self.person is not None and value == self.person:
                names[name] = self.person.name
                continue
            new = name
            while self.person is not None and new.lower() == self.person.name.lower():
                new = f"{new}_2"
            names[name], made[new] = new, value
        bounds = {name: found for name, value in made.items() if (found := self.bounds_of(value)) is not None}
        return rows_of(self.table, made, self.condition, bounds), names


@dataclass(frozen=True)
class Catalog:
    """The tables that a question may name. A table given alone answers to its name and to `t`, and to no other."""

    tables: Mapping[str, Asked | PublicTable]
    alone: Asked | None = None

    @classmethod
    def of(cls, table: Asked | None, tables: Mapping[str, Asked | PublicTable] | None) -> Catalog:
        """What the caller gave: one table, or several by name, or both."""
        if table is None and not tables:
            raise BadUsage(
                "SQL needs the table it speaks of.",
                "Write release(sql, promise, table=patients, …), or tables={…} for several.",
            )
        if table is None:
            return cls(tables or {})
        return cls({table.name: table, **(tables or {})}, table)

    def find(self, name: str, schema: str = "") -> Asked | PublicTable | None:
        """The table of this name; small and capital letters are one."""
        wanted = {name.lower(), f"{schema}.{name}".lower()} if schema else {name.lower()}
        for known in self.tables:
            if known.lower() in wanted:
                return self.tables[known]
        return self.alone if not schema and name.lower() == ALONE else None
