"""Errors of hierarchies, privacy models and the search for a recoding."""

from __future__ import annotations

from privet.errors._error_kinds import BadInput, Failure

__all__ = [
    "BadAnonymization",
    "BadHierarchy",
    "BadRecipe",
    "BadSearch",
    "HierarchyIncomplete",
    "HierarchyUnmakeable",
    "HierarchyUnreadable",
    "LatticeTooLarge",
    "ModelUnfit",
    "PromiseBroken",
    "SeveralRowsPerPerson",
    "Unreachable",
    "UtilityUnmeasurable",
]


class BadAnonymization(BadInput):
    """A table was to be anonymized in a way that does not fit its columns. All faults are listed at once."""

    code = "E-ANONYMIZE-040"


class PromiseBroken(Failure):
    """The finished file did not keep the promise when it was read back; it was not published."""

    code = "E-ANONYMIZE-041"


class BadRecipe(BadInput):
    """A recipe needs to know more about the columns, or its own data cannot be read."""

    code = "E-ANONYMIZE-042"


class SeveralRowsPerPerson(BadInput):
    """Some people have several rows, so that counting rows would not count people."""

    code = "E-ANONYMIZE-043"


class BadHierarchy(BadInput):
    """A hierarchy contradicts itself: every offending row and level is listed."""

    code = "E-ANONYMIZE-020"


class HierarchyIncomplete(BadInput):
    """The table holds values that a hierarchy does not have a path for."""

    code = "E-ANONYMIZE-021"


class HierarchyUnreadable(BadInput):
    """A file of a hierarchy is missing, ambiguous, or cannot be read."""

    code = "E-ANONYMIZE-022"


class HierarchyUnmakeable(BadInput):
    """A hierarchy cannot be made from these values in the way that was asked for."""

    code = "E-ANONYMIZE-023"


class BadSearch(BadInput):
    """A search was asked for with settings that do not exist or do not fit each other."""

    code = "E-ANONYMIZE-024"


class Unreachable(BadInput):
    """No anonymization of this table can keep what was asked for."""

    code = "E-ANONYMIZE-025"


class LatticeTooLarge(BadInput):
    """There are too many ways of generalizing to look at each of them."""

    code = "E-ANONYMIZE-026"


class ModelUnfit(BadInput):
    """A privacy model does not fit the table, its hierarchies or the way of searching."""

    code = "E-ANONYMIZE-027"


class UtilityUnmeasurable(BadInput):
    """What a table is still good for cannot be measured in the way that was asked for."""

    code = "E-ANONYMIZE-028"
