"""Errors of input shields."""

from __future__ import annotations

from privet.errors._error_kinds import BadInput

__all__ = ["BadShield", "ForeignShield"]


class BadShield(BadInput):
    """A shield cannot be fitted or used as it was asked for: its model, its texts, its labels or a setting."""

    code = "E-SHIELD-001"


class ForeignShield(BadInput):
    """A saved shield, or a half-fitted one, belongs to another model or to other settings."""

    code = "E-SHIELD-002"
