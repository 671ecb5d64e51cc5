"""Hierarchies of generalizations: read, made and checked."""

from privet.protect.anonymize.hierarchies.files import csv_text, from_tree, read_folder, read_hierarchy
from privet.protect.anonymize.hierarchies.hierarchy import ANY, MISSING, Hierarchy, Ladder
from privet.protect.anonymize.hierarchies.making import (
    by_frequency,
    calendar,
    categories,
    intervals,
    optimal_intervals,
    prefixes,
    quantiles,
    suggest,
)

__all__ = [  # noqa: RUF022  in plain order, as everywhere
    "ANY",
    "Hierarchy",
    "Ladder",
    "MISSING",
    "by_frequency",
    "calendar",
    "categories",
    "csv_text",
    "from_tree",
    "intervals",
    "optimal_intervals",
    "prefixes",
    "quantiles",
    "read_folder",
    "read_hierarchy",
    "suggest",
]
