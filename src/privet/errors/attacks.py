"""Errors of attacks."""

from __future__ import annotations

from privet.errors.kinds import BadInput

__all__ = [
    "BadAttack",
    "NoPower",
]


class BadAttack(BadInput):
    """The attack cannot be run on what was given."""

    code = "E-ATTACK-001"


class NoPower(BadInput):
    """The attack could not have found anything: too few records, canaries or queries."""

    code = "E-ATTACK-002"
