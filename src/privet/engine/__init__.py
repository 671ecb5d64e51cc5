"""Where rows are read: a closed list of verbs with known stability, on DuckDB, Spark and PostgreSQL."""

from privet.engine.aggregating import SealedGroups, aggregate
from privet.engine.contribution import Contribution
from privet.engine.expressions import check
from privet.engine.frequencies import FrequencyTable, frequency_table
from privet.engine.joining import apply_mapping, join_public
from privet.engine.measures import Measure
from privet.engine.relation import ColumnKind, Relation
from privet.engine.speed import Speed
from privet.engine.tables import derive, filter_rows, project

__all__ = [
    "ColumnKind",
    "Contribution",
    "FrequencyTable",
    "Measure",
    "Relation",
    "SealedGroups",
    "Speed",
    "aggregate",
    "apply_mapping",
    "check",
    "derive",
    "filter_rows",
    "frequency_table",
    "join_public",
    "project",
]
