"""Linkage with another table: who could be found in it, and how surely."""

from privet.audit.linkage.linking import Attempt, Score
from privet.audit.linkage.simulating import Linkage, simulate

__all__ = ["Attempt", "Linkage", "Score", "simulate"]
