"""Searching for the least loss that keeps a promise: over the lattice, tuple by tuple, or without hierarchies."""

from privet.protect.anonymize.search.refusing import HOW, refuse_unfit
from privet.protect.anonymize.search.searching import search
from privet.protect.anonymize.search.solution import Solution, Visited

__all__ = ["HOW", "Solution", "Visited", "refuse_unfit", "search"]
