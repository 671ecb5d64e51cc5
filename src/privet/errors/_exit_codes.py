"""What a command exits with; part of the interface. The group of an error (`_error_kinds`) decides which."""

from __future__ import annotations

__all__ = ["BUDGET", "FAILURE", "FINDINGS", "GAP", "OK", "POLICY", "TAMPERING", "USAGE"]

OK, FAILURE, USAGE, FINDINGS, POLICY, BUDGET, TAMPERING, GAP = 0, 1, 2, 6, 7, 8, 9, 10
