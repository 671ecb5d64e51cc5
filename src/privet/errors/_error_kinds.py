"""The groups of errors, by what the caller can do about them. The group decides the exit code.

PrivetError
├── BadInput           2  what was asked is malformed; nothing was read, written or spent
├── FindingsExceeded   6  the work was done, and what it found is worse than the limit set for it
├── PolicyViolation    7  the request is well-formed and not allowed
├── BudgetError        8  the ledger does not cover it
├── Tampering          9  a record that must never change has changed
├── NotSaid           10  the request is well-formed, and nobody has said whether it is allowed
└── Failure            1  something outside went wrong, or we did (`InternalError`)
"""

from __future__ import annotations

from typing import Any, ClassVar

from privet._address_secrets import redacted, redacted_values
from privet._outgoing_text import for_terminal
from privet.errors._exit_codes import BUDGET, FAILURE, FINDINGS, GAP, POLICY, TAMPERING, USAGE

__all__ = [
    "BadInput",
    "BudgetError",
    "Failure",
    "FindingsExceeded",
    "NotSaid",
    "PolicyViolation",
    "PrivetError",
    "Tampering",
]


class PrivetError(Exception):
    """Base of all. `fact` and `hint` are sentences; `details` holds numbers and names for programs."""

    code: ClassVar[str] = ""
    exit_code: ClassVar[int] = FAILURE

    def __init__(self, fact: str, hint: str = "", **details: Any) -> None:
        # Names of columns, files and servers stand in facts and hints, and reach logs and terminals by tracebacks too.
        self.fact = for_terminal(redacted(fact))
        self.hint = for_terminal(redacted(hint))
        super().__init__(self.fact)
        self.details = {name: redacted_values(value) for name, value in details.items()}

    @property
    def page(self) -> str:
        """Where the documentation explains this code."""
        return f"docs/errors/{self.code}.md"

    def __str__(self) -> str:
        return f"{self.code}: {self.fact}" + (f"\nhint: {self.hint}" if self.hint else "")

    def to_json(self) -> dict[str, Any]:
        """The stable shape that `--json` prints."""
        return {
            "code": self.code,
            "message": self.fact,
            "hint": self.hint,
            "page": self.page,
            "details": self.details,
        }


class BadInput(PrivetError):
    """What was asked is malformed: correct it and ask again. Nothing was read, written or spent."""

    exit_code = USAGE


class FindingsExceeded(PrivetError):
    """The work was done, and what it found is worse than the limit that was set."""

    exit_code = FINDINGS


class PolicyViolation(PrivetError):
    """The request is well-formed, and the policy does not allow it."""

    exit_code = POLICY


class NotSaid(PrivetError):
    """The request is well-formed, and nobody has said whether it is allowed. Nothing was read, written or spent."""

    exit_code = GAP


class BudgetError(PrivetError):
    """The ledger does not cover the request. Nothing was spent."""

    exit_code = BUDGET


class Tampering(PrivetError):
    """A record that must never change has changed."""

    exit_code = TAMPERING


class Failure(PrivetError):
    """Something outside the request went wrong."""

    exit_code = FAILURE
