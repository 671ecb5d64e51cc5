"""Tables and what may be known about them beforehand: units, roles, bounds, keys; and questions about them."""

from privet.source.aggregates import count, mean, persons, sum  # noqa: A004  pv.sum
from privet.source.binned import contingency, distinct, histogram, median, most_common, quantile, quantiles
from privet.source.bounds import Bounds, Origin
from privet.source.columns import ColumnExpression, col
from privet.source.key_sets import KeySet
from privet.source.moments import (
    correlation,
    covariance,
    covariance_matrix,
    deviation,
    regression,
    variance,
)
from privet.source.opening import open_table
from privet.source.public_tables import PublicTable, open_public
from privet.source.query import Query, Selection
from privet.source.table import Role, Table
from privet.source.views import View
from privet.source.windows import Span, Window, window

__all__ = [
    "Bounds",
    "ColumnExpression",
    "KeySet",
    "Origin",
    "PublicTable",
    "Query",
    "Role",
    "Selection",
    "Span",
    "Table",
    "View",
    "Window",
    "col",
    "contingency",
    "correlation",
    "count",
    "covariance",
    "covariance_matrix",
    "deviation",
    "distinct",
    "histogram",
    "mean",
    "median",
    "most_common",
    "open_public",
    "open_table",
    "persons",
    "quantile",
    "quantiles",
    "regression",
    "sum",
    "variance",
    "window",
]
