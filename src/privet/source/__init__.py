"""Tables and what may be known about them beforehand: units, roles, bounds, keys; and questions about them."""

from privet.source.aggregates import count, mean, persons, sum  # noqa: A004  pv.sum
from privet.source.bounds import Bounds, Origin
from privet.source.columns import ColumnExpression, col
from privet.source.key_sets import KeySet
from privet.source.opening import open_table
from privet.source.query import Query, Selection
from privet.source.table import Role, Table

__all__ = [
    "Bounds",
    "ColumnExpression",
    "KeySet",
    "Origin",
    "Query",
    "Role",
    "Selection",
    "Table",
    "col",
    "count",
    "mean",
    "open_table",
    "persons",
    "sum",
]
