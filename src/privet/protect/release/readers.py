"""The one table of how aggregates are read: a new aggregate has its line here.

Each function names the vectors wanted and how they are read; vectors of one name mean the same and are computed,
noised and paid for once, however many aggregates of the query read them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from privet.engine.binning import CellMeasure
from privet.engine.measures import Measure
from privet.errors import InternalError
from privet.protect.release.reading import COUNTS_AND_SUMS, Reading, Wanted
from privet.protect.release.reading_bins import BINS
from privet.protect.release.reading_distances import read_distances
from privet.protect.release.reading_moments import MOMENTS
from privet.protect.release.reading_regression import REGRESSION
from privet.protect.release.reading_trees import TREES
from privet.source.aggregates import Aggregate
from privet.source.query import Query

READERS: dict[type[Aggregate], Callable[[Query, str, Any], Wanted]] = {
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
