"""Errors any room may raise."""

from __future__ import annotations

from privet.errors._error_kinds import BadInput, Failure, PolicyViolation

__all__ = [
    "BadUsage",
    "FileProblem",
    "InternalError",
    "Interrupted",
    "MissingExtra",
    "NoSuchEntry",
    "NotMadeHere",
    "NothingToDraw",
    "UnsafePath",
]


class InternalError(Failure):
    """Privet reached a state it rules out. This is our bug."""

    code = "E-GENERAL-001"


class MissingExtra(Failure):
    """A capability needs an optional library that is not installed."""

    code = "E-GENERAL-002"


class BadUsage(BadInput):
    """A command or a call could not be understood: an option, an argument or its kind does not fit."""

    code = "E-GENERAL-003"


class FileProblem(Failure):
    """A file could not be read or written."""

    code = "E-GENERAL-004"


class Interrupted(Failure):
    """The user stopped the command."""

    code = "E-GENERAL-005"


class UnsafePath(PolicyViolation):
    """A file names a place outside of its own folder, or one that is reached through a link; nothing there was touched."""

    code = "E-GENERAL-006"


class NotMadeHere(PolicyViolation):
    """Something was to be removed or replaced that is not recognised as Privet's own work; it stays."""

    code = "E-GENERAL-007"


class NoSuchEntry(BadInput, KeyError):
    """Something was looked up by a name that it does not have."""

    code = "E-GENERAL-008"


class NothingToDraw(BadInput):
    """A picture was asked for of something that holds nothing to draw."""

    code = "E-GENERAL-009"
