"""Errors of the disclosure measures."""

from __future__ import annotations

from privet.errors._error_kinds import BadInput

__all__ = [
    "BadCodes",
    "DisclosureTooLarge",
]


class BadCodes(BadInput):
    """A table of codes contradicts itself, or a figure was asked for that it cannot give."""

    code = "E-DISCLOSURE-001"


class DisclosureTooLarge(BadInput):
    """An exact figure would take more work than the stated limit."""

    code = "E-DISCLOSURE-002"
