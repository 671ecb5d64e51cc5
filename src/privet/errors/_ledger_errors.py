"""Errors of the ledger."""

from __future__ import annotations

from privet.errors._error_kinds import BadInput, BudgetError, Failure, PolicyViolation, Tampering

__all__ = [
    "AlreadyReleased",
    "BadBooking",
    "BudgetExceeded",
    "BudgetExpired",
    "EventNotPriced",
    "LedgerBusy",
    "LedgerMismatch",
    "LedgerReplaced",
    "LedgerRolledBack",
    "LedgerTampered",
    "LedgerUnavailable",
    "NoSuchBudget",
    "PermitSpent",
]


class BudgetExceeded(BudgetError):
    """The spend is larger than what is left in a budget it touches."""

    code = "E-LEDGER-001"


class BudgetExpired(BudgetError):
    """A budget the spend touches has passed its end date."""

    code = "E-LEDGER-002"


class NoSuchBudget(BudgetError):
    """The purpose or analyst named has no budget in this ledger."""

    code = "E-LEDGER-003"


class PermitSpent(PolicyViolation):
    """A permit is good for one draw and was used before."""

    code = "E-LEDGER-004"


class LedgerTampered(Tampering):
    """The chain of entries does not verify."""

    code = "E-LEDGER-005"


class LedgerUnavailable(Failure):
    """The ledger's store cannot be opened, read or written."""

    code = "E-LEDGER-006"


class LedgerMismatch(BadInput):
    """The ledger exists with other terms than those asked for (limit, accounting, unit)."""

    code = "E-LEDGER-007"


class EventNotPriced(BudgetError):
    """The budget's accounting cannot price this event; nothing was booked."""

    code = "E-LEDGER-008"


class LedgerBusy(Failure):
    """Another process held the ledger for too long."""

    code = "E-LEDGER-009"


class BadBooking(BadInput):
    """What should be booked is described in a way the ledger cannot keep; nothing was booked."""

    code = "E-LEDGER-010"


class LedgerReplaced(Tampering):
    """The place no longer holds the book that was opened there; nothing was drawn."""

    code = "E-LEDGER-011"


class AlreadyReleased(PolicyViolation):
    """The question's release is stored: its booking pays for no second draw."""

    code = "E-LEDGER-012"


class LedgerRolledBack(Tampering):
    """The ledger is older than the newest entry that the data set's key noted; nothing was booked."""

    code = "E-LEDGER-013"
