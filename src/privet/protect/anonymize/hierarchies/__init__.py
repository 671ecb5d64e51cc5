"""Hierarchies of generalizations: read, made and checked.

One calls: `read_hierarchy`, a builder (`intervals`, `prefixes`, `calendar`, …) or `suggest`; each gives a `Hierarchy`.
Never: leaves a value without a place on every level, or lets one have two.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.protect.anonymize.hierarchies._hierarchy import ANY as ANY
    from privet.protect.anonymize.hierarchies._hierarchy import MISSING as MISSING
    from privet.protect.anonymize.hierarchies._hierarchy import Hierarchy as Hierarchy
    from privet.protect.anonymize.hierarchies._hierarchy import Ladder as Ladder
    from privet.protect.anonymize.hierarchies._hierarchy import as_text as as_text
    from privet.protect.anonymize.hierarchies._hierarchy_builders import by_frequency as by_frequency
    from privet.protect.anonymize.hierarchies._hierarchy_builders import calendar as calendar
    from privet.protect.anonymize.hierarchies._hierarchy_builders import categories as categories
    from privet.protect.anonymize.hierarchies._hierarchy_builders import intervals as intervals
    from privet.protect.anonymize.hierarchies._hierarchy_builders import (
        optimal_intervals as optimal_intervals,
    )
    from privet.protect.anonymize.hierarchies._hierarchy_builders import prefixes as prefixes
    from privet.protect.anonymize.hierarchies._hierarchy_builders import quantiles as quantiles
    from privet.protect.anonymize.hierarchies._hierarchy_builders import suggest as suggest
    from privet.protect.anonymize.hierarchies._hierarchy_files import csv_text as csv_text
    from privet.protect.anonymize.hierarchies._hierarchy_files import from_tree as from_tree
    from privet.protect.anonymize.hierarchies._hierarchy_files import read_folder as read_folder
    from privet.protect.anonymize.hierarchies._hierarchy_files import read_hierarchy as read_hierarchy
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
