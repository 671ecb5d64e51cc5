"""SELECT into queries: the part of the language whose stability is known; everything else is refused at its word."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from privet.engine import ColumnKind, check
from privet.engine import expressions as tree
from privet.errors import BadKeys, BadQuery, BadQuestion
from privet.protect.query.sql._aggregate_calls import AggregateCall
from privet.protect.query.sql._aggregate_functions import FUNCTIONS, INSTEAD
from privet.protect.query.sql._from_clause import Sources
from privet.protect.query.sql._grouped_expressions import (
    OverGroups,
    function_name,
    has_aggregate,
    is_aggregate,
)
from privet.protect.query.sql._name_scope import Catalog, NameScope
from privet.protect.query.sql._noisy_expressions import check_plain, form_of
from privet.protect.query.sql._public_facts import keys_of
from privet.protect.query.sql._source_positions import refusal
from privet.protect.query.sql._sql_parser import parsed, refuse_extras
from privet.protect.query.sql._sql_question import AnswerColumn, Ordered, SqlQuestion
from privet.source import Aggregate, Count, KeySet, Mean, Persons, Query, Selection, Sum, ValueCount

if TYPE_CHECKING:
    from sqlglot import exp

_REFUSED = {
    "distinct": ("DISTINCT", "SELECT DISTINCT would show which values exist; use GROUP BY"),
    "windows": ("WINDOW", "window functions show other people's rows"),
    "qualify": ("QUALIFY", "window functions show other people's rows"),
}
_KNOWN = {
    "expressions", "from_", "joins", "where", "group", "having", "order", "limit", "offset", "with_", "kind",
}  # fmt: skip
_SUMMABLE = (Count, Persons, Sum, ValueCount, Mean)
MOST_LEVELS = 64


def read_sql(text: str, catalog: Catalog) -> SqlQuestion:
    """What `text` asks of the tables; refuses what cannot be private, pointing at the word."""
    try:
        select = parsed(text)
        for clause, (word, reason) in _REFUSED.items():
            if select.args.get(clause):
                raise refusal(text, select.args[clause], f"{word} is refused: {reason}.", word=word)
        for clause, value in select.args.items():
            if value and clause not in _KNOWN:
                raise refusal(
                    text, value, f"{clause.strip('_').upper()} cannot be part of a private question."
                )
        return _Select(text, select, Sources(text, catalog).scope(select)).question()
    except RecursionError:
        raise BadQuestion("the question is nested too deeply.", "Use IN (…) for long lists.") from None


class _Select:
    """One SELECT: its keys, aggregates, computed columns and shape."""

    def __init__(self, text: str, select: exp.Select, scope: NameScope) -> None:
        self.text, self.select, self.scope = text, select, scope
        self.values = scope.values(text)
        self.derived: dict[tree.Expression, str] = {}
        self.aggregates: dict[str, Aggregate] = {}
        self.kinds: dict[str, ColumnKind] = {}
        self.items = [_item(node) for node in select.expressions]
        self.levels = list(self._levels())
        self.keys: dict[tree.Expression, str] = {}
        for key in dict.fromkeys(itertools.chain(*self.levels)):
            self._name_key(key)

    def question(self) -> SqlQuestion:
        shown = self._shown()
        having = self._having(shown)
        order = tuple(self._order(shown))
        if not self.aggregates:
            raise BadQuestion(
                "the question asks for no aggregate.",
                "Add COUNT(*), COUNT(DISTINCT person), SUM(x), AVG(x) and the like.",
            )
        self._check_alone(having, order)
        return SqlQuestion(
            queries=tuple(self._query(level) for level in self.levels),
            keys=tuple(one for one in shown if self._is_key(one)),
            columns=tuple(one for one in shown if not self._is_key(one)),
            having=having,
            order=order,
            limit=self._number("limit"),
            offset=self._number("offset") or 0,
            text=self.text,
        )

    def _is_key(self, column: AnswerColumn) -> bool:
        return isinstance(column.of, tree.Column) and column.of.name in self.keys.values()

    # --- keys -------------------------------------------------------------------------------------------

    def _levels(self) -> Iterator[tuple[tree.Expression, ...]]:
        """The keys of each level of grouping: one level for plain columns, several for ROLLUP and the like."""
        group = self.select.args.get("group")
        if group is None:
            yield ()
            return
        for part, value in group.args.items():
            if value and part not in ("expressions", "rollup", "cube", "grouping_sets"):
                raise refusal(self.text, group, f"GROUP BY {part.upper()} is not covered.", word="GROUP")
        plain = tuple(self._key(node) for node in group.expressions)
        sets: list[list[tuple[tree.Expression, ...]]] = [[plain]]
        for node in group.args.get("rollup") or []:
            keys = tuple(self._key(one) for one in node.expressions)
            sets.append([keys[:size] for size in range(len(keys), -1, -1)])
        for node in group.args.get("cube") or []:
            keys = tuple(self._key(one) for one in node.expressions)
            sizes = range(len(keys), -1, -1)
            sets.append([chosen for size in sizes for chosen in itertools.combinations(keys, size)])
        sets += [list(map(self._set, node.expressions)) for node in group.args.get("grouping_sets") or []]
        levels = (tuple(dict.fromkeys(itertools.chain(*parts))) for parts in itertools.product(*sets))
        found = list(dict.fromkeys(levels))
        if len(found) > MOST_LEVELS:
            raise refusal(self.text, group, f"more than {MOST_LEVELS} levels of grouping.", word="GROUP")
        yield from found

    def _set(self, node: Any) -> tuple[tree.Expression, ...]:
        from sqlglot import exp

        if isinstance(node, exp.Paren):
            return (self._key(node.this),)
        return (
            tuple(self._key(one) for one in node.expressions)
            if isinstance(node, exp.Tuple)
            else (self._key(node),)
        )

    def _key(self, node: Any) -> tree.Expression:
        """A grouped expression: a column, a computed value, a name from the SELECT list, or a place in it."""
        from sqlglot import exp

        if isinstance(node, exp.Literal) and not node.is_string:
            place = _whole_number(node)
            if place is None or not 1 <= place <= len(self.items):
                raise refusal(self.text, node, "the SELECT list has no such place.")
            return self._key_of_item(self.items[place - 1][0], node)
        if isinstance(node, exp.Column) and not node.table:
            known = {name.lower() for name in (*self.scope.columns, *self.scope.ambiguous)}
            if node.name.lower() not in known:
                for inner, alias in self.items:
                    if alias and alias.lower() == node.name.lower():
                        return self._key_of_item(inner, node)
        return self._key_of_item(node, node)

    def _key_of_item(self, inner: Any, node: Any) -> tree.Expression:
        if has_aggregate(inner):
            raise refusal(self.text, node, "an aggregate cannot be grouped by.", "Group by columns.")
        found = self.values.read(inner)
        if isinstance(found, tree.Literal):
            raise refusal(self.text, node, "a constant cannot be grouped by.", "Group by columns.")
        return found

    def _name_key(self, key: tree.Expression) -> None:
        alias = next((alias for inner, alias in self.items if alias and self._says(inner, key)), "")
        name = key.name if isinstance(key, tree.Column) else self._derive(key, alias)
        self.keys[key] = name
        self.kinds[name] = self.values.kind(key)

    def _says(self, inner: Any, key: tree.Expression) -> bool:
        if has_aggregate(inner):
            return False
        try:
            return self.values.read(inner) == key
        except BadQuestion:
            return False

    def _derive(self, expression: tree.Expression, wanted: str = "") -> str:
        """The name of a computed column; the wanted one unless the table has it."""
        if expression not in self.derived:
            taken = {name.lower() for name in (*self.scope.table.columns, *self.derived.values())}
            name = wanted if wanted and wanted.lower() not in taken else ""
            number = len(self.derived) + 1
            while not name or name.lower() in taken:
                name, number = f"computed_{number}", number + 1
            self.derived[expression] = name
        return self.derived[expression]

    # --- aggregates and the SELECT list -----------------------------------------------------------------

    def _shown(self) -> list[AnswerColumn]:
        """The SELECT list; plain aggregates first, so that others share their names."""
        for inner, alias in self.items:
            if is_aggregate(inner) and alias:
                self._aggregate(inner, alias)
        reader = self._reader({})
        shown: list[AnswerColumn] = []
        for inner, alias in self.items:
            column = self._column(reader, inner, alias)
            if column.name.lower() in {one.name.lower() for one in shown}:
                raise refusal(self.text, inner, f"two columns of the answer are called {column.name!r}.")
            shown.append(column)
        return shown

    def _reader(self, aliases: Mapping[str, tree.Expression]) -> OverGroups:
        return OverGroups(
            self.values, keys=self.keys, kinds=self.kinds, aggregate=self._aggregate, aliases=aliases
        )

    def _column(self, reader: OverGroups, inner: Any, alias: str) -> AnswerColumn:
        from sqlglot import exp

        digits = None
        if isinstance(inner, exp.Round) and has_aggregate(inner):
            digits, inner = self._digits(inner), inner.this
        if isinstance(inner, exp.Star):
            raise refusal(self.text, inner, "* would show rows.", "Name the groups, and aggregates of them.")
        found = reader.read(inner)
        if isinstance(found, tree.Column) and found.name in self.keys.values():
            name = alias or (inner.name if isinstance(inner, exp.Column) else found.name)
            key = next(expression for expression, known in self.keys.items() if known == found.name)
            return AnswerColumn(alias or (key.name if isinstance(key, tree.Column) else name), found)
        if not has_aggregate(inner):
            raise refusal(
                self.text, inner, "this is neither a group nor an aggregate.", "Group by it, or aggregate it."
            )
        try:
            form_of(found, self._summable())
        except BadQuery as fault:
            raise refusal(self.text, inner, fault.fact, fault.hint) from None
        if isinstance(found, tree.Column):
            return AnswerColumn(alias or found.name, found, digits)
        return AnswerColumn(alias or self._free("value"), found, digits)

    def _summable(self) -> list[str]:
        return [name for name, one in self.aggregates.items() if isinstance(one, _SUMMABLE)]

    def _digits(self, node: Any) -> int:
        from sqlglot import exp

        places = node.args.get("decimals")
        if places is None:
            return 0
        digits = _whole_number(places) if isinstance(places, exp.Literal) else None
        if digits is not None and digits <= 15:
            return digits
        raise refusal(self.text, node, "ROUND takes a number of digits from 0 to 15.")

    def _aggregate(self, node: Any, alias: str = "") -> str:
        """Register a call of an aggregate function, and name it; the same call has one name."""
        from sqlglot import exp

        inner = node.this if isinstance(node, exp.Filter) else node
        inner = inner.this if isinstance(inner, exp.WithinGroup) else inner
        reader = FUNCTIONS.get(function_name(inner))
        if reader is None:
            raise refusal(
                self.text,
                node,
                f"{function_name(inner).upper()} cannot be answered privately here.",
                INSTEAD.get(function_name(inner), "")
                or "Ask for COUNT(*), COUNT(DISTINCT person), SUM(x), AVG(x) and the like.",
            )
        call = AggregateCall(self.text, node, self.scope, self._derive)
        found = reader(call)
        for name, known in self.aggregates.items():
            if known == found and (not alias or alias == name):
                return name
        name = self._free(alias or _default(found, call.label))
        if alias and name != alias:
            raise refusal(self.text, node, f"two columns of the answer are called {alias!r}.")
        self.aggregates[name] = found
        self.kinds[name] = (
            ColumnKind.INTEGER if isinstance(found, Count | Persons | ValueCount) else ColumnKind.REAL
        )
        return name

    def _free(self, wanted: str) -> str:
        """A name whose column and interval columns no other answer or key has."""
        taken = {
            name.lower()
            for one in (*self.aggregates, *self.keys.values())
            for name in (one, f"{one}_low", f"{one}_high")
        }
        name, number = wanted, 2
        while {name.lower(), f"{name}_low".lower(), f"{name}_high".lower()} & taken:
            name, number = f"{wanted}_{number}", number + 1
        return name

    def _check_alone(self, having: tree.Expression | None, order: tuple[Ordered, ...]) -> None:
        alone = [name for name, one in self.aggregates.items() if one.alone]
        if alone and (len(self.aggregates) > 1 or having is not None or order or len(self.levels) > 1):
            raise BadQuestion(
                f"{alone[0]!r} is a table of its own: ask for it alone.",
                "Ask for the rest in another question.",
            )

    # --- HAVING, ORDER BY, LIMIT ------------------------------------------------------------------------

    def _having(self, shown: list[AnswerColumn]) -> tree.Expression | None:
        node = self.select.args.get("having")
        if node is None:
            return None
        reader = self._reader({one.name: one.of for one in shown})
        condition = reader.read(node.this)
        if check(condition, self.kinds) is not ColumnKind.BOOLEAN:
            raise refusal(self.text, node.this, "HAVING takes a condition on noisy values.", word="HAVING")
        self._plain(node.this, condition)
        return condition

    def _plain(self, node: Any, expression: tree.Expression) -> None:
        try:
            check_plain(expression)
        except BadQuery as fault:
            raise refusal(self.text, node, fault.fact, fault.hint) from None

    def _order(self, shown: list[AnswerColumn]) -> Iterator[Ordered]:
        from sqlglot import exp

        clause = self.select.args.get("order")
        reader = self._reader({one.name: one.of for one in shown})
        for part in clause.expressions if clause else []:
            refuse_extras(self.text, part, {"this", "desc", "nulls_first"}, "ORDER BY sorts up or down.")
            node = part.this
            if isinstance(node, exp.Literal) and str(node.this).isdecimal():
                place = _whole_number(node)
                if place is None or not 1 <= place <= len(shown):
                    raise refusal(self.text, node, "the SELECT list has no such place.")
                by = shown[place - 1].of
            else:
                by = reader.read(node)
            if isinstance(by, tree.Literal):
                raise refusal(self.text, node, "a constant gives no order.")
            self._plain(node, by)
            yield Ordered(by, bool(part.args.get("desc")), bool(part.args.get("nulls_first")))

    def _number(self, clause: str) -> int | None:
        from sqlglot import exp

        node = self.select.args.get(clause)
        if node is None:
            return None
        refuse_extras(self.text, node, {"expression"}, f"{clause.upper()} takes a whole number.")
        value = node.expression
        found = _whole_number(value) if isinstance(value, exp.Literal) else None
        if found is not None:
            return found
        raise refusal(self.text, node, f"{clause.upper()} takes a whole number.", word=clause.upper())

    # --- queries ----------------------------------------------------------------------------------------

    def _query(self, level: tuple[tree.Expression, ...]) -> Query:
        selection = Selection(self.scope.table)
        if self.scope.condition is not None:
            selection = selection.where(self.scope.condition)
        if self.derived:
            selection = selection.derive(**{name: value for value, name in self.derived.items()})
        if level:
            selection = selection.group_by(
                *(self.keys[key] for key in level), keys=dict(self._public_keys(level))
            )
        try:
            return selection.agg(**self.aggregates)
        except (BadQuery, BadKeys) as fault:
            raise BadQuestion(fault.fact, fault.hint) from None

    def _public_keys(self, level: tuple[tree.Expression, ...]) -> Iterator[tuple[str, KeySet]]:
        table = self.scope.table
        stated = {name for names in table.keys for name in names}
        for key in level:
            if isinstance(key, tree.Column) and key.name in stated:
                continue
            found = keys_of(key, self.values.kind(key), table.spans, table.keys)
            if found is not None:
                yield self.keys[key], found


def _item(node: Any) -> tuple[Any, str]:
    from sqlglot import exp

    return (node.this, node.alias) if isinstance(node, exp.Alias) else (node, "")


def _default(aggregate: Aggregate, label: str) -> str:
    """What an answer is called if the question does not say."""
    words = {"ValueCount": "count", "Mean": "avg"}
    verb = words.get(type(aggregate).__name__, type(aggregate).__name__.lower())
    return f"{verb}_{label}" if label and not isinstance(aggregate, Persons) else verb


def _whole_number(literal: exp.Literal) -> int | None:
    """A constant as a whole number of 64 bits; None for any other. Longer ones Python itself refuses to read."""
    text = str(literal.this)
    return int(text) if text.isdecimal() and len(text) < 19 else None
