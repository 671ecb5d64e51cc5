"""Errors of the ledger. Codes and what commands exit with are part of the interface."""

from tests.errors.sections import faults

from privet.errors import _ledger_errors as section

KNOWN = {
    "E-LEDGER-001": ("BudgetExceeded", 8),
    "E-LEDGER-002": ("BudgetExpired", 8),
    "E-LEDGER-003": ("NoSuchBudget", 8),
    "E-LEDGER-004": ("PermitSpent", 7),
    "E-LEDGER-005": ("LedgerTampered", 9),
    "E-LEDGER-006": ("LedgerUnavailable", 1),
    "E-LEDGER-007": ("LedgerMismatch", 2),
    "E-LEDGER-008": ("EventNotPriced", 8),
    "E-LEDGER-009": ("LedgerBusy", 1),
    "E-LEDGER-010": ("BadBooking", 2),
    "E-LEDGER-011": ("LedgerReplaced", 9),
    "E-LEDGER-012": ("AlreadyReleased", 7),
}


def test_codes_keep_their_class_and_their_exit() -> None:
    assert faults(section, KNOWN) == []
