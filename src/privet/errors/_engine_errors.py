"""Errors of the engine."""

from __future__ import annotations

from privet.errors._error_kinds import BadInput, Failure

__all__ = [
    "AnotherProcess",
    "BadAggregate",
    "BadExpression",
    "BadKeys",
    "BadSpeed",
    "EngineFailed",
    "EngineVersion",
    "UnknownColumn",
]


class EngineVersion(Failure):
    """The engine's version has not passed the neighbour test, so its answers cannot carry a promise."""

    code = "E-ENGINE-001"


class UnknownColumn(BadInput):
    """A column that was named does not exist."""

    code = "E-ENGINE-002"


class BadExpression(BadInput):
    """An expression mixes kinds that do not go together, or asks for something outside the closed list."""

    code = "E-ENGINE-003"


class BadAggregate(BadInput):
    """A measure or a contribution bound cannot be computed exactly, or contradicts itself."""

    code = "E-ENGINE-004"


class BadKeys(BadInput):
    """A public table of keys does not fit: repeated keys, wrong columns or wrong kinds."""

    code = "E-ENGINE-005"


class BadSpeed(BadInput):
    """A limit on memory or threads cannot be understood."""

    code = "E-ENGINE-006"


class EngineFailed(Failure):
    """The engine gave up. Its own message may quote data, so it is not repeated."""

    code = "E-ENGINE-007"


class AnotherProcess(BadInput):
    """A table was opened in one process and used in another."""

    code = "E-ENGINE-008"
