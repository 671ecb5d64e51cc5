"""Tables and what may be known about them beforehand: units, roles, bounds, keys; and questions about them.

One calls: `open_table`, `Table`, `Query`, and the aggregates `count`, `sum`, `mean`, ….
Never: computes an answer, or knows budgets and noise.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.source import aggregates as aggregates
    from privet.source import distribution_aggregates as distribution_aggregates
    from privet.source import moment_aggregates as moment_aggregates
    from privet.source._access_terms import AccessTerms as AccessTerms
    from privet.source._access_terms import admitted_by as admitted_by
    from privet.source._black_box import CLIP as CLIP
    from privet.source._black_box import AppliedFunction as AppliedFunction
    from privet.source._black_box import BlackBox as BlackBox
    from privet.source._black_box import ReadyMade as ReadyMade
    from privet.source._column_expressions import ColumnExpression as ColumnExpression
    from privet.source._column_expressions import as_tree as as_tree
    from privet.source._column_expressions import col as col
    from privet.source._column_expressions import columns_in as columns_in
    from privet.source._column_expressions import shallow as shallow
    from privet.source._column_expressions import worded as worded
    from privet.source._column_facts import ColumnFacts as ColumnFacts
    from privet.source._key_sets import KeySet as KeySet
    from privet.source._key_sets import as_arrow as as_arrow
    from privet.source._key_sets import crossed as crossed
    from privet.source._open_table import open_table as open_table
    from privet.source._public_ranges import Bounds as Bounds
    from privet.source._public_ranges import Origin as Origin
    from privet.source._public_tables import PublicTable as PublicTable
    from privet.source._public_tables import open_public as open_public
    from privet.source._roles_file import read_roles as read_roles
    from privet.source._roles_file import roles_text as roles_text
    from privet.source._snapshot import Snapshot as Snapshot
    from privet.source._snapshot import memory_snapshot as memory_snapshot
    from privet.source._snapshot import of_the_moment as of_the_moment
    from privet.source._table import Role as Role
    from privet.source._table import Table as Table
    from privet.source._table import unfit_person_column as unfit_person_column
    from privet.source._table_query import Asked as Asked
    from privet.source._table_query import Query as Query
    from privet.source._table_query import Selection as Selection
    from privet.source._table_views import View as View
    from privet.source._table_views import joined as joined
    from privet.source._table_views import persons_of as persons_of
    from privet.source._table_views import rows_of as rows_of
    from privet.source._table_views import stages_of as stages_of
    from privet.source._time_windows import Span as Span
    from privet.source._time_windows import Window as Window
    from privet.source._time_windows import window as window
    from privet.source.aggregates import Aggregate as Aggregate
    from privet.source.aggregates import Count as Count
    from privet.source.aggregates import Mean as Mean
    from privet.source.aggregates import OfColumn as OfColumn
    from privet.source.aggregates import Persons as Persons
    from privet.source.aggregates import Sum as Sum
    from privet.source.aggregates import ValueCount as ValueCount
    from privet.source.aggregates import count as count
    from privet.source.aggregates import mean as mean
    from privet.source.aggregates import persons as persons
    from privet.source.aggregates import sum as sum
    from privet.source.distribution_aggregates import Contingency as Contingency
    from privet.source.distribution_aggregates import DistinctValues as DistinctValues
    from privet.source.distribution_aggregates import Histogram as Histogram
    from privet.source.distribution_aggregates import MostCommon as MostCommon
    from privet.source.distribution_aggregates import Quantile as Quantile
    from privet.source.distribution_aggregates import Quantiles as Quantiles
    from privet.source.distribution_aggregates import contingency as contingency
    from privet.source.distribution_aggregates import distinct as distinct
    from privet.source.distribution_aggregates import histogram as histogram
    from privet.source.distribution_aggregates import median as median
    from privet.source.distribution_aggregates import most_common as most_common
    from privet.source.distribution_aggregates import quantile as quantile
    from privet.source.distribution_aggregates import quantiles as quantiles
    from privet.source.moment_aggregates import INTERCEPT as INTERCEPT
    from privet.source.moment_aggregates import Correlation as Correlation
    from privet.source.moment_aggregates import Covariance as Covariance
    from privet.source.moment_aggregates import CovarianceMatrix as CovarianceMatrix
    from privet.source.moment_aggregates import Deviation as Deviation
    from privet.source.moment_aggregates import Regression as Regression
    from privet.source.moment_aggregates import Variance as Variance
    from privet.source.moment_aggregates import correlation as correlation
    from privet.source.moment_aggregates import covariance as covariance
    from privet.source.moment_aggregates import covariance_matrix as covariance_matrix
    from privet.source.moment_aggregates import deviation as deviation
    from privet.source.moment_aggregates import regression as regression
    from privet.source.moment_aggregates import variance as variance
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
