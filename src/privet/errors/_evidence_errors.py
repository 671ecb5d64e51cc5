"""Errors of signatures, keys that sign, and approvals."""

from __future__ import annotations

from privet.errors._error_kinds import BadInput, FindingsExceeded, PolicyViolation, Tampering

__all__ = [
    "EvidenceBroken",
    "NoSigningKey",
    "NotApproved",
    "NotProven",
    "RecordTooDeep",
]


class EvidenceBroken(Tampering):
    """A signature, or a link between two records, does not hold."""

    code = "E-EVIDENCE-001"


class RecordTooDeep(BadInput):
    """A record is larger or nested deeper than any that Privet writes; it was not read."""

    code = "E-EVIDENCE-002"


class NoSigningKey(BadInput):
    """The data set has no key to sign with, or one that cannot be used."""

    code = "E-EVIDENCE-003"


class NotApproved(PolicyViolation):
    """The plan lacks a signature that the data set's owner demands; nothing was read, written or spent."""

    code = "E-EVIDENCE-004"


class NotProven(FindingsExceeded):
    """Nothing contradicts what was verified, and nothing proves it either: a signature or a trusted key is missing."""

    code = "E-EVIDENCE-005"
