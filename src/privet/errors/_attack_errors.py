"""Errors of attacks."""

from __future__ import annotations

from privet.errors._error_kinds import BadInput, FindingsExceeded

__all__ = [
    "AttackSucceeded",
    "BadAttack",
    "NoPower",
]


class BadAttack(BadInput):
    """The attack cannot be run on what was given."""

    code = "E-ATTACK-001"


class NoPower(BadInput):
    """The attack could not have found anything: too few records, canaries or queries."""

    code = "E-ATTACK-002"


class AttackSucceeded(FindingsExceeded):
    """An attack contradicts the promise, or got further than the limit that was set for it."""

    code = "E-ATTACK-003"
