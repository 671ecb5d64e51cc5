"""Errors any room may raise."""

from __future__ import annotations

from privet.errors.kinds import BadInput, Failure

__all__ = [
    "BadUsage",
    "FileProblem",
    "InternalError",
    "Interrupted",
    "MissingExtra",
]


class InternalError(Failure):
    """Privet reached a state it rules out. This is our bug."""

    code = "E-GENERAL-001"


class MissingExtra(Failure):
    """A capability needs an optional library that is not installed."""

    code = "E-GENERAL-002"


class BadUsage(BadInput):
    """The command line could not be understood."""

    code = "E-GENERAL-003"


class FileProblem(Failure):
    """A file could not be read or written."""

    code = "E-GENERAL-004"


class Interrupted(Failure):
    """The user stopped the command."""

    code = "E-GENERAL-005"
