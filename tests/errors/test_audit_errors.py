"""Errors of audits. Codes and what commands exit with are part of the interface."""

from tests.errors.sections import faults

from privet.errors import _audit_errors as section

KNOWN = {
    "E-AUDIT-001": ("BadAudit", 2),
    "E-AUDIT-002": ("NothingToAudit", 2),
    "E-AUDIT-003": ("BadRoles", 2),
}


def test_codes_keep_their_class_and_their_exit() -> None:
    assert faults(section, KNOWN) == []
