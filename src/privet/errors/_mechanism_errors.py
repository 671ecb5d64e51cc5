"""Errors of sealed values and of the mechanisms that open them."""

from __future__ import annotations

from privet.errors._error_kinds import BadInput, PolicyViolation

__all__ = [
    "BadSensitivity",
    "NothingToChoose",
    "OutOfRange",
    "PermitMismatch",
    "SealBroken",
]


class SealBroken(PolicyViolation):
    """An exact answer was about to be used without paying for it."""

    code = "E-SEALED-001"


class BadSensitivity(BadInput):
    """A sensitivity is impossible or contradicts itself."""

    code = "E-SEALED-002"


class PermitMismatch(PolicyViolation):
    """The permit does not cover what the mechanism was about to draw."""

    code = "E-MECHANISM-001"


class OutOfRange(BadInput):
    """A value does not fit the integers that noise is drawn on."""

    code = "E-MECHANISM-002"


class NothingToChoose(BadInput):
    """A selection was asked for among no candidates."""

    code = "E-MECHANISM-003"
