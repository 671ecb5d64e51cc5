"""What a command exits with; part of the interface."""

from __future__ import annotations

__all__ = [
    "BUDGET",
    "FAILURE",
    "FINDINGS",
    "OK",
    "POLICY",
    "TAMPERING",
    "USAGE",
]

OK, FAILURE, USAGE, FINDINGS, POLICY, BUDGET, TAMPERING = 0, 1, 2, 6, 7, 8, 9
