"""Errors of federations: several sites compute together, and nobody shows a row."""

from __future__ import annotations

from privet.errors._error_kinds import BadInput, Failure, PolicyViolation

__all__ = ["BadCohort", "BadStudy", "MessageRefused", "RoundFailed", "StudyRefused"]


class BadCohort(BadInput):
    """Sites, threshold or vector of a secure sum do not fit each other, or would hide nobody."""

    code = "E-FEDERATE-001"


class MessageRefused(PolicyViolation):
    """A message of the protocol is not signed by whom it should be, repeats, contradicts, or comes at the wrong time."""

    code = "E-FEDERATE-002"


class RoundFailed(Failure):
    """Too few sites were left, or what they sent does not fit together: the sum was not opened."""

    code = "E-FEDERATE-003"


class BadStudy(BadInput):
    """A study is malformed, asks for something that is no sum, or does not fit a site's table."""

    code = "E-FEDERATE-004"


class StudyRefused(PolicyViolation):
    """A site does not take part: the round was booked before, or the study promises its rows less than they were opened with."""

    code = "E-FEDERATE-005"
