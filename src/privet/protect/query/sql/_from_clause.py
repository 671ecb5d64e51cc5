"""FROM, JOIN, WITH and sub-queries: which rows of whom a question is about.

Three kinds of sub-query have a known stability, and all others are refused: rows computed and chosen one by one;
rows put together person by person; and joins with public tables, or of private ones person by person.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from privet.engine import expressions as tree
from privet.errors import BadKeys, BadQuery, BadQuestion, BadUnit
from privet.protect.query.sql._grouped_expressions import has_aggregate
from privet.protect.query.sql._name_scope import Catalog, NameScope
from privet.protect.query.sql._person_subqueries import per_person
from privet.protect.query.sql._source_positions import refusal
from privet.protect.query.sql._sql_parser import refuse_extras
from privet.source import PublicTable, joined

if TYPE_CHECKING:
    from sqlglot import exp

_ROWS_ONLY = {
    "distinct": "which rows SELECT DISTINCT keeps depends on other people's rows",
    "order": "the order of rows says nothing in a sub-query",
    "limit": "which rows LIMIT keeps depends on other people's rows",
    "offset": "which rows OFFSET keeps depends on other people's rows",
    "windows": "window functions look at other people's rows",
    "qualify": "window functions look at other people's rows",
}
_FORMS = {"expressions", "from_", "where", "group", "having", "joins", "with_", "kind"}


class Sources:
    """Reads where the rows of a question come from."""

    def __init__(self, text: str, catalog: Catalog) -> None:
        self.text, self.catalog = text, catalog
        self.named: dict[str, NameScope] = {}

    def scope(self, select: exp.Select) -> NameScope:
        """The names that a SELECT can use: its tables joined, its WHERE applied."""
        self._with(select)
        source = select.args.get("from_")
        if source is None:
            raise BadQuestion(
                "a question reads FROM a table.",
                "Write SELECT COUNT(*) FROM t: a table given alone is called t as well.",
            )
        found: NameScope | PublicTable
        found, alias = self._item(source.this)
        for join in select.args.get("joins") or []:
            found, alias = self._join(found, alias, join), ""
        if isinstance(found, PublicTable):
            raise refusal(
                self.text, source.this, "a public table needs no private question.", "Read it as it is."
            )
        if where := select.args.get("where"):
            found = found.where(self._condition(found, where.this))
        return found

    def _condition(self, scope: NameScope, node: exp.Expression) -> tree.Expression:
        from privet.engine import ColumnKind

        values = scope.values(self.text)
        if has_aggregate(node):
            raise refusal(
                self.text,
                node,
                "WHERE looks at rows one by one, and an aggregate at many.",
                "Put a condition on noisy values into HAVING.",
            )
        condition = values.read(node)
        if values.kind(condition) is not ColumnKind.BOOLEAN:
            raise refusal(self.text, node, "a condition must be true or false.", "Write WHERE days > 3.")
        return condition

    def _with(self, select: exp.Select) -> None:
        clause = select.args.get("with_")
        if clause is None:
            return
        if clause.args.get("recursive"):
            raise refusal(self.text, clause, "WITH RECURSIVE has no known bound.", word="WITH")
        for one in clause.expressions:
            refuse_extras(self.text, one.args.get("alias"), {"this"}, "columns keep their own names.")
            self.named[one.alias.lower()] = self.sub_query(one.this, one.alias)

    def sub_query(self, select: Any, alias: str) -> NameScope:
        """The rows that a sub-query gives, under an alias."""
        from sqlglot import exp

        if not isinstance(select, exp.Select):
            raise refusal(
                self.text, select, "a sub-query is one SELECT.", "Ask for UNION and the like one by one."
            )
        for clause, reason in _ROWS_ONLY.items():
            if select.args.get(clause):
                word = clause.rstrip("s").upper() if clause != "order" else "ORDER"
                raise refusal(self.text, select.args[clause], f"{word} in a sub-query: {reason}.", word=word)
        for clause, value in select.args.items():
            if value and clause not in _FORMS:
                raise refusal(self.text, value, f"{clause.strip('_').upper()} cannot be part of a sub-query.")
        before = dict(self.named)
        scope = self.scope(select)
        self.named = before
        grouped = select.args.get("group") or any(has_aggregate(item) for item in select.expressions)
        found = per_person(self.text, select, scope) if grouped else self._rows(select, scope)
        return found.called(alias)

    def _rows(self, select: exp.Select, scope: NameScope) -> NameScope:
        """Rows computed one by one."""
        from sqlglot import exp

        if select.args.get("having"):
            raise refusal(self.text, select.args["having"], "HAVING needs GROUP BY.", word="HAVING")
        values, columns = scope.values(self.text), dict[str, tree.Expression]()
        for item in select.expressions:
            if isinstance(item, exp.Star):
                refuse_extras(self.text, item, set(), "* stands for all columns, without exceptions.")
                columns |= scope.columns
                continue
            inner, name = (item.this, item.alias) if isinstance(item, exp.Alias) else (item, "")
            if isinstance(inner, exp.Column) and not name:
                name = values.name_of(inner)
            if not name:
                raise refusal(
                    self.text, item, "a computed column of a sub-query needs a name.", "Write … AS name."
                )
            if name.lower() in {one.lower() for one in columns}:
                raise refusal(self.text, item, f"two columns of the sub-query are called {name!r}.")
            columns[name] = values.read(inner)
        return NameScope(scope.table, columns, {}, scope.condition)

    def _item(self, node: Any) -> tuple[NameScope | PublicTable, str]:
        """One table or sub-query of FROM or JOIN, and its alias."""
        from sqlglot import exp

        if isinstance(node, exp.Subquery):
            refuse_extras(self.text, node, {"this", "alias"}, "a sub-query in FROM stands for its rows.")
            refuse_extras(self.text, node.args.get("alias"), {"this"}, "columns keep their own names.")
            return self.sub_query(node.this, node.alias or "sub-query"), node.alias or "sub-query"
        if not isinstance(node, exp.Table) or not isinstance(node.this, exp.Identifier):
            raise refusal(
                self.text,
                node,
                "FROM takes tables and sub-queries.",
                "Functions and files cannot be read here.",
            )
        refuse_extras(self.text, node, {"this", "alias", "db", "catalog"}, "FROM takes one whole table.")
        refuse_extras(self.text, node.args.get("alias"), {"this"}, "columns keep their own names.")
        alias = node.alias or node.name
        if not node.db and node.name.lower() in self.named:
            return self.named[node.name.lower()].called(alias), alias
        table = self.catalog.find(node.name, node.db)
        if table is None:
            known = ", ".join(self.catalog.tables)
            raise refusal(self.text, node, f"there is no table {node.name!r}.", f"There are {known}.")
        return (table if isinstance(table, PublicTable) else NameScope.of(table, alias)), alias

    def _join(self, left: NameScope | PublicTable, alias: str, join: Any) -> NameScope:
        refuse_extras(
            self.text, join, {"this", "on", "using", "side", "kind"}, "this kind of join is not covered."
        )
        side, kind = str(join.side or "").upper(), str(join.kind or "").upper()
        right, name = self._item(join.this)
        if side not in ("", "LEFT") or kind not in ("", "INNER", "OUTER"):
            raise refusal(
                self.text,
                join.this,
                f"{side or kind} JOIN is not covered.",
                "Use JOIN or LEFT JOIN; swap the two tables for a RIGHT JOIN.",
            )
        if isinstance(left, PublicTable):
            if side or isinstance(right, PublicTable):
                raise refusal(
                    self.text, join.this, "the private table must stand first.", "Swap the two tables."
                )
            left, right, alias, name = right, left, name, alias
        return _Join(self.text, left, right, name, join).scope("left" if side else "inner")


class _Join:
    """One join: the columns that must agree, and what the columns are called afterwards."""

    def __init__(
        self, text: str, left: NameScope, right: NameScope | PublicTable, alias: str, node: Any
    ) -> None:
        self.text, self.left, self.right, self.alias, self.node = text, left, right, alias, node

    def scope(self, how: str) -> NameScope:
        table, ours = self.left.as_table()
        other, theirs = (
            (self.right, {name: name for name in self.right.columns})
            if isinstance(self.right, PublicTable)
            else self.right.as_table()
        )
        pairs, using = self._pairs()
        on = {ours[own]: theirs[name] for own, name in pairs}
        names = self._names(
            list(other.columns), on, set(table.columns), keep_keys=how == "left" and not using
        )
        try:
            view = joined(table, other, on, how=how, rename=names)
        except (BadQuery, BadUnit, BadKeys) as fault:
            raise refusal(self.text, self.node.this, fault.fact, fault.hint, word="JOIN") from None
        new = {column: names.get(column) or own for own, column in on.items()} | names
        return self._seen(view, ours, {name: new[column] for name, column in theirs.items()}, using)

    def _names(
        self, theirs: list[str], on: dict[str, str], taken: set[str], *, keep_keys: bool
    ) -> dict[str, str]:
        """What the right table's columns are called after the join: as they are, or with the alias before them."""
        found: dict[str, str] = {}
        used = {name.lower() for name in taken}
        keyed = set(on.values())
        for column in theirs:
            if column in keyed and not keep_keys:
                continue
            new = column if column.lower() not in used else f"{self.alias}_{column}"
            while new.lower() in used:
                new += "_2"
            used.add(new.lower())
            found[column] = new
        return found

    def _seen(self, view: Any, ours: dict[str, str], theirs: dict[str, str], using: list[str]) -> NameScope:
        """The names after the join; `ours` and `theirs` say what each visible name is called in the view."""
        columns: dict[str, tree.Expression] = {name: tree.Column(column) for name, column in ours.items()}
        qualified = dict(self.left.qualified)
        ambiguous = dict(self.left.ambiguous)
        for visible, new in theirs.items():
            twin = next((one for one in columns if one.lower() == visible.lower()), None)
            if twin is None:
                columns[visible] = tree.Column(new)
                qualified[self.alias, visible] = visible
                continue
            if twin.lower() in {one.lower() for one in using}:
                qualified[self.alias, visible] = twin
                continue
            hidden = f"{self.alias}.{visible}"
            columns[hidden] = tree.Column(new)
            qualified[self.alias, visible] = hidden
            if columns[hidden] != columns[twin]:
                first = next((a for (a, n), seen in self.left.qualified.items() if seen == twin and n), "")
                ambiguous[twin] = f"{first}.{twin} or {hidden}"
        return NameScope(view, columns, qualified, None, ambiguous)

    def _pairs(self) -> tuple[list[tuple[str, str]], list[str]]:
        """The visible names that must agree, and those named by USING."""
        from sqlglot import exp

        if using := self.node.args.get("using"):
            names = [one.name for one in using]
            left, right = self.left.values(self.text), self._right_values()
            found = [
                (left.name_of(exp.column(one.copy())), right.name_of(exp.column(one.copy()))) for one in using
            ]
            return found, names
        on = self.node.args.get("on")
        if on is None:
            raise refusal(
                self.text,
                self.node.this,
                "a join without ON would put everybody's rows beside everybody's.",
                "Write JOIN … USING (patient_id), or ON a.patient_id = b.patient_id.",
                word="JOIN",
            )
        return [self._pair(part) for part in _conjuncts(on)], []

    def _pair(self, node: Any) -> tuple[str, str]:
        from sqlglot import exp

        if not isinstance(node, exp.EQ) or not all(
            isinstance(side, exp.Column) for side in (node.this, node.expression)
        ):
            raise refusal(
                self.text,
                node,
                "ON takes equalities of columns, joined by AND.",
                "Put other conditions into WHERE: whose rows meet is then still bounded.",
            )
        sides = [node.this, node.expression]
        if self._is_right(sides[0]) and not self._is_right(sides[1]):
            sides.reverse()
        return self.left.values(self.text).name_of(sides[0]), self._right_values().name_of(sides[1])

    def _is_right(self, node: Any) -> bool:
        if node.table:
            return bool(node.table.lower() == self.alias.lower())
        known = {name.lower() for name in self.left.columns}
        return node.name.lower() not in known

    def _right_values(self) -> Any:
        from privet.protect.query.sql._scalar_expressions import ScalarExpressions

        if isinstance(self.right, PublicTable):
            columns = {name: tree.Column(name) for name in self.right.columns}
            qualified = {(self.alias, name): name for name in columns}
            return ScalarExpressions(self.text, columns, self.right.columns, qualified)
        return self.right.values(self.text)


def _conjuncts(node: Any) -> list[Any]:
    from sqlglot import exp

    if isinstance(node, exp.And):
        return [*_conjuncts(node.this), *_conjuncts(node.expression)]
    return _conjuncts(node.this) if isinstance(node, exp.Paren) else [node]
