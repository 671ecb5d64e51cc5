"""Expressions over the keys and aggregates of a grouped SELECT: in its list, in HAVING and in ORDER BY."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from privet.engine import ColumnKind
from privet.engine import expressions as tree
from privet.errors import BadQuestion
from privet.protect.query.sql._aggregate_functions import FUNCTIONS, INSTEAD
from privet.protect.query.sql._scalar_expressions import ScalarExpressions
from privet.protect.query.sql._source_positions import refusal

if TYPE_CHECKING:
    from sqlglot import exp


def function_name(node: Any) -> str:
    """The parser's name of a function, or its own in capitals where the parser does not know it."""
    from sqlglot import exp

    return str(node.this).upper() if isinstance(node, exp.Anonymous) else type(node).__name__


def is_aggregate(node: Any) -> bool:
    """Whether a node adds something up over rows."""
    from sqlglot import exp

    if isinstance(node, exp.Filter | exp.WithinGroup):
        return True
    return isinstance(node, exp.AggFunc) or function_name(node) in FUNCTIONS or function_name(node) in INSTEAD


def has_aggregate(node: Any) -> bool:
    """Whether there is an aggregate in a node, sub-queries aside."""
    from sqlglot import exp

    def deeper(part: Any) -> bool:
        return isinstance(part, exp.Subquery | exp.Window)

    return any(is_aggregate(part) for part in node.walk(prune=deeper))


class OverGroups(ScalarExpressions):
    """Reads expressions whose columns are keys, aggregates and the names given to them.

    `aggregate` registers a call and gives the name of its column; `keys` are the grouped expressions and their
    names; `aliases` are the names given in the SELECT list.
    """

    def __init__(
        self,
        rows: ScalarExpressions,
        *,
        keys: Mapping[tree.Expression, str],
        kinds: dict[str, ColumnKind],
        aggregate: Callable[[Any], str],
        aliases: Mapping[str, tree.Expression],
    ) -> None:
        super().__init__(rows.text, {}, kinds)
        self.rows, self.keys, self.aggregate, self.aliases = rows, keys, aggregate, aliases

    def read(self, node: exp.Expression) -> tree.Expression:
        """An aggregate, a key, a name given to one, or an expression of these."""
        from sqlglot import exp

        if is_aggregate(node):
            return tree.Column(self.aggregate(node))
        if isinstance(node, exp.Window):
            raise refusal(self.text, node, "window functions look at other groups, exactly.")
        if not isinstance(node, exp.Literal | exp.Boolean) and (key := self._key(node)) is not None:
            return key
        return super().read(node)

    def _key(self, node: exp.Expression) -> tree.Expression | None:
        from sqlglot import exp

        if has_aggregate(node):
            return None
        try:
            found = self.rows.read(node)
        except BadQuestion:
            found = None
        if found is not None and found in self.keys:
            return tree.Column(self.keys[found])
        if isinstance(node, exp.Column) and not node.table:
            for name, value in self.aliases.items():
                if name.lower() == node.name.lower():
                    return value
        return None

    def column(self, node: Any) -> tree.Expression:
        """A column that is neither a key nor a name given: one row's value would show."""
        self.rows.column(node)
        raise refusal(
            self.text,
            node,
            f"column {node.name!r} must stand in GROUP BY, or inside an aggregate: single values are never shown.",
            "Group by it, or ask for COUNT, SUM, AVG and the like of it.",
        )
