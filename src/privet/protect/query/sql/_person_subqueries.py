"""Sub-queries that put each person's rows together: SELECT person, SUM(x) … GROUP BY person.

Afterwards a person has one row, computed from that person's rows alone, so what one person changes is that row.
Grouped by further columns as well, a person has as many rows as before at most, and the table's caps stay.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from privet.engine import ColumnKind, PersonSummary
from privet.engine import expressions as tree
from privet.errors import PrivetError
from privet.protect.query.sql._grouped_expressions import OverGroups
from privet.protect.query.sql._name_scope import NameScope
from privet.protect.query.sql._source_positions import refusal
from privet.protect.query.sql._sql_parser import refuse_extras
from privet.sealed import FixedPoint
from privet.source import Bounds, persons_of

if TYPE_CHECKING:
    from sqlglot import exp

_KINDS = {"Count": "valid", "Sum": "sum", "Avg": "mean", "Min": "min", "Max": "max"}
_STEP_OF_ONE = 2**30


def per_person(text: str, select: exp.Select, scope: NameScope) -> NameScope:
    """The rows of a sub-query with GROUP BY; refused unless the person column is among its keys."""
    return _PerPerson(text, select, scope).rows()


class _PerPerson:
    def __init__(self, text: str, select: exp.Select, scope: NameScope) -> None:
        self.text, self.select, self.scope = text, select, scope
        self.values = scope.values(text)
        self.made: dict[tree.Expression, str] = {}  # what the rows are put together from
        self.told: dict[str, tuple[str, tree.Expression | None, Bounds | None]] = {}
        self.kinds: dict[str, ColumnKind] = {}

    def rows(self) -> NameScope:
        keys = self._keys()
        person = self.scope.person
        assert person is not None
        names = {person: person.name} | {key: self._column(key) for key in keys if key != person}
        self.kinds |= {name: self.values.kind(key) for key, name in names.items()}
        reader = OverGroups(self.values, keys=names, kinds=self.kinds, aggregate=self._told, aliases={})
        columns = self._columns(reader)
        having = self.select.args.get("having")
        condition = None if having is None else reader.read(having.this)
        view = self._view(list(names.values()))
        found = NameScope(view, columns, {})
        return found if condition is None else found.where(condition)

    def _columns(self, reader: OverGroups) -> dict[str, tree.Expression]:
        from sqlglot import exp

        columns: dict[str, tree.Expression] = {}
        for item in self.select.expressions:
            inner, name = (item.this, item.alias) if isinstance(item, exp.Alias) else (item, "")
            if isinstance(inner, exp.Column) and not name:
                name = self.values.name_of(inner)
            if not name:
                raise refusal(
                    self.text, item, "a computed column of a sub-query needs a name.", "Write … AS name."
                )
            if name.lower() in {one.lower() for one in columns}:
                raise refusal(self.text, item, f"two columns of the sub-query are called {name!r}.")
            columns[name] = reader.read(inner)
        return columns

    def _keys(self) -> list[tree.Expression]:
        from sqlglot import exp

        group = self.select.args.get("group")
        refuse_extras(self.text, group, {"expressions"}, "GROUP BY in a sub-query takes columns only.")
        keys = []
        for node in group.expressions if group else []:
            if isinstance(node, exp.Literal):
                raise refusal(self.text, node, "name the columns of GROUP BY in a sub-query.")
            keys.append(self.values.read(node))
        person = self.scope.person
        if person is None or person not in keys:
            raise refusal(
                self.text,
                group or self.select.expressions,
                "a sub-query that adds up rows of several persons gives exact numbers about them.",
                "Group it by the person column, or ask for the aggregate in the outer question."
                if person is not None
                else "The table's unit is one row: only rows computed one by one can be asked about.",
                word="GROUP BY" if group else None,
            )
        return keys

    def _column(self, expression: tree.Expression) -> str:
        """The name of a column that holds an expression, before rows are put together."""
        if expression not in self.made:
            plain = isinstance(expression, tree.Column)
            self.made[expression] = expression.name if plain else f"part_{len(self.made) + 1}"  # type: ignore[union-attr]
        return self.made[expression]

    def _told(self, node: Any) -> str:
        """Register a call about a person's rows, and name it."""
        from sqlglot import exp

        kind = _KINDS.get(type(node).__name__)
        if kind is None or isinstance(node.this, exp.Distinct):
            raise refusal(
                self.text,
                node,
                "a person's rows are put together by COUNT, SUM, AVG, MIN and MAX.",
                "Use CASE inside them instead of FILTER and DISTINCT.",
            )
        if isinstance(node.this, exp.Star):
            found: tuple[str, tree.Expression | None, Bounds | None] = ("rows", None, None)
        else:
            value = self.values.read(node.this)
            bounds = self.scope.bounds_of(value)
            if kind in ("sum", "mean") and bounds is None:
                raise refusal(
                    self.text,
                    node.this,
                    "a sum needs public bounds of what is added up.",
                    "State the column's bounds, or write SUM(CLAMP(x, 0, 60)).",
                )
            found = (kind, value, bounds)
        for name, known in self.told.items():
            if known == found:
                return name
        name = f"told_{len(self.told) + 1}"
        self.told[name] = found
        self.kinds[name] = self._kind(found)
        return name

    def _kind(self, told: tuple[str, tree.Expression | None, Bounds | None]) -> ColumnKind:
        kind, value, _ = told
        if kind in ("rows", "valid") or value is None:
            return ColumnKind.INTEGER
        return ColumnKind.REAL if kind in ("sum", "mean") else self.values.kind(value)

    def _view(self, keys: list[str]) -> Any:
        person = self.scope.person
        for _, value, _ in self.told.values():
            if value is not None and value != person:
                self._column(value)
        columns = {name: value for value, name in self.made.items()}
        base = NameScope(self.scope.table, columns, {}, self.scope.condition)
        table, names = base.as_table()
        told = {
            name: PersonSummary(kind, self._place(value, names), self._fixed(kind, value, bounds))
            for name, (kind, value, bounds) in self.told.items()
        }
        ranges = {
            name: bounds
            for name, (kind, _, bounds) in self.told.items()
            if bounds is not None and kind in ("mean", "min", "max")
        }
        places = [keys[0], *(names[key] for key in keys[1:])]
        try:
            return persons_of(table, places, told, None, ranges)
        except PrivetError as fault:
            raise refusal(self.text, self.select.expressions, fault.fact, fault.hint) from None

    def _place(self, value: tree.Expression | None, names: dict[str, str]) -> str | None:
        if value is None:
            return None
        return self.scope.person.name if value == self.scope.person else names[self.made[value]]

    def _fixed(self, kind: str, value: tree.Expression | None, bounds: Bounds | None) -> FixedPoint | None:
        if kind not in ("sum", "mean") or bounds is None or value is None:
            return None
        low, high = bounds.lower, bounds.upper
        whole = low.denominator == high.denominator == 1 and high - low <= _STEP_OF_ONE
        if whole and self.values.kind(value) is ColumnKind.INTEGER:
            return FixedPoint(low, high, 1)
        return FixedPoint(low, high)
