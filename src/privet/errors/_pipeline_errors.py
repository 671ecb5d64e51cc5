"""Errors of policies, plans and runs."""

from __future__ import annotations

from privet.errors._error_kinds import BadInput, FindingsExceeded, NotSaid, PolicyViolation, Tampering

__all__ = [
    "BadPolicy",
    "BadSweep",
    "LimitBeaten",
    "PolicyBreach",
    "PolicyGap",
    "RecordAltered",
    "StalePlan",
]


class BadPolicy(BadInput):
    """The policy file cannot be read or does not make sense; every fault is named with its line and column."""

    code = "E-POLICY-001"


class PolicyBreach(PolicyViolation):
    """A step does what its purpose does not allow; nothing was read, written or spent."""

    code = "E-POLICY-002"


class PolicyGap(NotSaid):
    """The policy lacks something, or does not say whether a step may do this; nothing was read, written or spent."""

    code = "E-POLICY-003"


class StalePlan(PolicyViolation):
    """The policy, the data or the ledger has changed since the plan was made."""

    code = "E-POLICY-004"


class LimitBeaten(FindingsExceeded):
    """The run was made, and a risk or an attack came out above the limit that was set for it."""

    code = "E-POLICY-005"


class BadSweep(BadInput):
    """A trade-off cannot be measured as it was asked for; nothing was written or spent."""

    code = "E-POLICY-006"


class RecordAltered(Tampering):
    """A plan or a journal of runs contradicts itself or what it was made from: somebody else than Privet wrote in it."""

    code = "E-POLICY-007"
