"""Errors of promises, units, events and accounting."""

from __future__ import annotations

from privet.errors._error_kinds import BadInput

__all__ = [
    "BadAmount",
    "BadNotation",
    "BadUnit",
    "NoSolution",
    "UnknownRecord",
    "UnsoundAlgebra",
    "UnsupportedEvent",
]


class BadAmount(BadInput):
    """A privacy parameter is not a number that can be promised (negative, infinite, not a number, …)."""

    code = "E-GUARANTEE-001"


class BadUnit(BadInput):
    """The privacy unit is incomplete or contradicts itself."""

    code = "E-GUARANTEE-002"


class UnsoundAlgebra(BadInput):
    """Two promises, or a promise and a number, cannot be combined that way."""

    code = "E-GUARANTEE-003"


class UnknownRecord(BadInput):
    """A stored promise, event or receipt has a kind, field or schema version that is not known."""

    code = "E-GUARANTEE-004"


class UnsupportedEvent(BadInput):
    """No valid accountant covers this event under the conditions asked for."""

    code = "E-GUARANTEE-005"


class BadNotation(BadInput):
    """A mechanism written for the privacy calculator could not be read; the message points at the character."""

    code = "E-GUARANTEE-006"


class NoSolution(BadInput):
    """No value of the free parameter meets the target."""

    code = "E-GUARANTEE-007"
