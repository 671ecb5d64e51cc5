"""Errors of the audit."""

from __future__ import annotations

from privet.errors._error_kinds import BadInput

__all__ = [
    "BadAudit",
    "BadRoles",
    "NothingToAudit",
]


class BadAudit(BadInput):
    """An audit was asked for in a way that does not fit the tables it is about."""

    code = "E-AUDIT-001"


class NothingToAudit(BadInput):
    """The table has no rows, or no column that can be compared."""

    code = "E-AUDIT-002"


class BadRoles(BadInput):
    """A file of roles cannot be read, or is not one."""

    code = "E-AUDIT-003"
