"""The one table of aggregates: planning, the functions of SQL and the shell's completion are made from it."""

from __future__ import annotations

from privet.engine import CellMeasure, Measure
from privet.errors import InternalError
from privet.protect.query.estimators._bound_distances import read_distances
from privet.protect.query.estimators._counts import COUNTS_AND_SUMS, Estimator, Reading
from privet.protect.query.estimators._histograms import BINS
from privet.protect.query.estimators._moments import MOMENTS
from privet.protect.query.estimators._quantile_tree import TREES
from privet.protect.query.estimators._quantiles import QUANTILES
from privet.protect.query.estimators._regression import REGRESSION
from privet.source import Query

ESTIMATORS: tuple[Estimator, ...] = (
    *COUNTS_AND_SUMS,
    *MOMENTS,
    *REGRESSION,
    *QUANTILES,
    *BINS,
    *TREES,
)
_BY_QUESTION = {one.question: one for one in ESTIMATORS}


def measures_and_readings(
    query: Query, *, distances: bool = False, selecting: bool = False
) -> tuple[dict[str, Measure | CellMeasure], tuple[Reading, ...]]:
    """The fewest vectors that answer every aggregate of a question, and how to read them.

    With `distances`, counts, sums and means are read off distances to bounds where that pays; `selecting` if those
    select unknown keys as well.
    """
    measures: dict[str, Measure | CellMeasure] = {}
    readings: list[Reading] = []
    for name, aggregate in query.aggregates:
        estimator = _BY_QUESTION.get(type(aggregate))
        if estimator is None:
            raise InternalError("an aggregate has no reading.")
        wanted = read_distances(query, name, aggregate, selecting=selecting) if distances else None
        wanted = wanted or estimator.wanted(query, name, aggregate)
        measures |= wanted.measures
        readings += wanted.readings
    return measures, tuple(readings)
