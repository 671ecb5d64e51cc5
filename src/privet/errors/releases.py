"""Errors of differentially private releases."""

from __future__ import annotations

from privet.errors.kinds import BadInput

__all__ = [
    "BadQuestion",
    "PromiseUnmeetable",
]


class BadQuestion(BadInput):
    """A question in SQL cannot be read, or asks for something that cannot be private; the message points at the word."""

    code = "E-RELEASE-001"


class PromiseUnmeetable(BadInput):
    """The question cannot be answered under this promise, whatever the noise."""

    code = "E-RELEASE-002"
