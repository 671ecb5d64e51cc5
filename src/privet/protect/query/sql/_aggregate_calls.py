"""One call of an aggregate function: its arguments as columns, computed first where they are expressions."""

from __future__ import annotations

from typing import Any, Protocol

from privet.engine import ColumnKind
from privet.engine import expressions as tree
from privet.errors import BadQuestion
from privet.protect.query.sql._name_scope import NameScope
from privet.protect.query.sql._scalar_expressions import ScalarExpressions
from privet.protect.query.sql._source_positions import refusal
from privet.source import Bounds


class Deriving(Protocol):
    """What gives a computed column a name."""

    def __call__(self, expression: tree.Expression, wanted: str = "") -> str:
        """The name of the column that holds an expression."""


class AggregateCall:
    """The arguments of one call, for the readers in `_aggregate_functions.FUNCTIONS`."""

    def __init__(self, text: str, node: Any, scope: NameScope, derive: Deriving) -> None:
        from sqlglot import exp

        self.text, self.whole, self.scope, self.derive = text, node, scope, derive
        self.values: ScalarExpressions = scope.values(text)
        self.condition: tree.Expression | None = None
        if isinstance(node, exp.Filter):
            self.condition = self._true_or_false(node.expression.this)
            node = node.this
        self.within = node.expression if isinstance(node, exp.WithinGroup) else None
        self.node = node.this if isinstance(node, exp.WithinGroup) else node
        self.distinct = isinstance(self.node.this, exp.Distinct)
        self.star = isinstance(self.node.this, exp.Star) and not any(self.node.this.args.values())
        self._refuse_extras()

    @property
    def filtered(self) -> bool:
        """Whether the call has a FILTER."""
        return self.condition is not None

    @property
    def label(self) -> str:
        """The column that the call is of, for naming the answer; nothing for expressions."""
        from sqlglot import exp

        if self.star:
            return ""
        node = self._node(0)
        if isinstance(node, exp.Anonymous) and node.expressions:
            node = node.expressions[0]
        return self.values.name_of(node) if isinstance(node, exp.Column) else ""

    def column(self, at: int = 0) -> tuple[str, Bounds | None]:
        """The column of an argument, and its range: stated by CLAMP or following from how it is computed."""
        expression = self._argument(at)
        clamped = _clamped(expression)
        if clamped is not None and self.condition is None:
            return clamped
        bounds = self.scope.bounds_of(expression)
        kind = self.values.kind(expression)
        if kind is ColumnKind.BOOLEAN:
            expression, bounds = tree.Cast(expression, ColumnKind.INTEGER), Bounds(0, 1)
        elif not kind.is_number:
            raise self.refuse(f"{kind.value} values do not add up.")
        elif bounds is None:
            raise refusal(
                self.text,
                self._node(at),
                f"{self.label or 'this'} has no public bounds: one person could move the answer without limit.",
                f"State them for the column, or here: SUM(CLAMP({self.label or '…'}, 0, 60)).",
            )
        if isinstance(expression, tree.Column) and self.condition is None:
            return expression.name, None
        return self.derive(self._kept(expression), self.label), bounds

    def any_column(self, at: int = 0) -> str:
        """The column of an argument that needs no range; for * a mark on the rows that count."""
        expression = tree.Literal(1) if self.star else self._argument(at)
        if isinstance(expression, tree.Column) and self.condition is None:
            return expression.name
        return self.derive(self._kept(expression))

    def holding(self) -> str:
        """A column that has a value where the argument, a condition, holds."""
        return self.derive(self._kept(tree.Pick(self._true_or_false(self._node(0)), tree.Literal(1))))

    @property
    def size(self) -> int:
        """How many arguments there are."""
        return len(self._nodes())

    @property
    def downwards(self) -> bool:
        """Whether WITHIN GROUP orders downwards."""
        return self.ordered_by is not None and self.ordered_by[1]

    def number(self, at: int) -> float:
        """An argument that is a constant."""
        found = self.values.read(self._node(at))
        if isinstance(found, tree.Literal) and isinstance(found.value, int | float):
            return float(found.value)
        raise refusal(self.text, self._node(at), "a constant is needed here.")

    def is_person(self, at: int = 0) -> bool:
        """Whether an argument is the person column itself."""
        return self._argument(at) == self.scope.person

    def refuse(self, fact: str, hint: str = "") -> BadQuestion:
        """A refusal at this call."""
        return refusal(self.text, self.whole, fact, hint)

    @property
    def ordered_by(self) -> tuple[Any, bool] | None:
        """What WITHIN GROUP orders by, and whether downwards."""
        if self.within is None:
            return None
        parts = self.within.expressions
        if len(parts) != 1:
            raise self.refuse("WITHIN GROUP orders by one column.")
        return parts[0].this, bool(parts[0].args.get("desc"))

    def _argument(self, at: int) -> tree.Expression:
        return self.values.read(self._node(at))

    def _node(self, at: int) -> Any:
        parts = self._nodes()
        if at >= len(parts):
            raise self.refuse("an argument is missing.")
        return parts[at]

    def _nodes(self) -> list[Any]:
        """The arguments; what WITHIN GROUP orders by comes first."""
        from sqlglot import exp

        inner = self.node.this
        if isinstance(self.node, exp.Anonymous):
            parts = list(self.node.expressions)
        elif isinstance(inner, exp.Distinct):
            parts = list(inner.expressions)
            if len(parts) != 1:
                raise self.refuse("DISTINCT takes one column.")
        else:
            rest = self.node.args.get("expression") or self.node.args.get("quantile")
            parts = [part for part in (inner, rest) if part is not None]
        return parts if self.ordered_by is None else [self.ordered_by[0], *parts]

    def _kept(self, expression: tree.Expression) -> tree.Expression:
        return expression if self.condition is None else tree.Pick(self.condition, expression)

    def _true_or_false(self, node: Any) -> tree.Expression:
        found = self.values.read(node)
        if self.values.kind(found) is not ColumnKind.BOOLEAN:
            raise refusal(self.text, node, "a condition must be true or false.")
        return found

    def _refuse_extras(self) -> None:
        known = {"this", "expression", "expressions", "quantile", "big_int"}
        for part, value in self.node.args.items():
            if value and part not in known:
                raise self.refuse("this form of the function is not covered.")


def _clamped(expression: tree.Expression) -> tuple[str, Bounds] | None:
    """A column between two constants, as CLAMP writes it: the aggregate clamps it itself."""
    match expression:
        case tree.Pick(
            tree.Not(tree.IsMissing(tree.Column(name))),
            tree.Pick(
                tree.Compare(),
                tree.Pick(tree.Compare(), tree.Column(inner), tree.Literal(high)),
                tree.Literal(low),
            ),
            None,
        ) if name == inner:
            ends = sorted(float(end) for end in (low, high) if isinstance(end, int | float))
            if len(ends) == 2 and ends[0] < ends[1]:
                return name, Bounds(ends[0], ends[1], why="stated in the question")
    return None
