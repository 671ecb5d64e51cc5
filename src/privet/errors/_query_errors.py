"""Errors of differentially private releases."""

from __future__ import annotations

from privet.errors._error_kinds import BadInput, Failure

__all__ = [
    "BadArithmetic",
    "BadBatch",
    "BadInvariant",
    "BadQuestion",
    "BadSpine",
    "PromiseUnmeetable",
    "ReleaseFailed",
]


class BadQuestion(BadInput):
    """A question in SQL cannot be read, or asks for something that cannot be private; the message points at the word."""

    code = "E-RELEASE-001"


class PromiseUnmeetable(BadInput):
    """The question cannot be answered under this promise, whatever the noise."""

    code = "E-RELEASE-002"


class BadArithmetic(BadInput):
    """Released numbers cannot be combined in this way with an error bar that holds."""

    code = "E-RELEASE-003"


class ReleaseFailed(Failure):
    """An answer was booked and drawn, and could not be finished; it is not drawn again under the same booking."""

    code = "E-RELEASE-004"


class BadBatch(BadInput):
    """Some questions of a batch cannot be answered, or not together; all faults are listed, and nothing was spent."""

    code = "E-RELEASE-010"


class BadSpine(BadInput):
    """A spine's levels, cells, shares or impossible cells do not fit together."""

    code = "E-RELEASE-020"


class BadInvariant(BadInput):
    """Counts stated as exact contradict each other or the impossible cells, or do not say where they come from."""

    code = "E-RELEASE-021"
