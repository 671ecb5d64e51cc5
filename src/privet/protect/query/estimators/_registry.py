"""The one table of how aggregates are read: a new aggregate has its line here.

Each function names the vectors wanted and how they are read; vectors of one name mean the same and are computed,
noised and paid for once, however many aggregates of the query read them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from privet.engine import CellMeasure, Measure
from privet.errors import InternalError
from privet.protect.query.estimators._bound_distances import read_distances
from privet.protect.query.estimators._counts import COUNTS_AND_SUMS, Reading, WantedVectors
from privet.protect.query.estimators._histograms import BINS
from privet.protect.query.estimators._moments import MOMENTS
from privet.protect.query.estimators._quantile_tree import TREES
from privet.protect.query.estimators._regression import REGRESSION
from privet.source import Aggregate, Query

READERS: dict[type[Aggregate], Callable[[Query, str, Any], WantedVectors]] = {
    **COUNTS_AND_SUMS,
    **MOMENTS,
    **REGRESSION,
    **BINS,
    **TREES,
}


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
        reader = READERS.get(type(aggregate))
        if reader is None:
            raise InternalError("an aggregate has no reading.")
        wanted = read_distances(query, name, aggregate, selecting=selecting) if distances else None
        wanted = wanted or reader(query, name, aggregate)
        measures |= wanted.measures
        readings += wanted.readings
    return measures, tuple(readings)
