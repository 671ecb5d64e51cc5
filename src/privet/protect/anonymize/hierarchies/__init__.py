"""Hierarchies of generalizations: read, made and checked."""

from privet.protect.anonymize.hierarchies.hierarchy import ANY, MISSING, Hierarchy, Ladder

__all__ = ["ANY", "MISSING", "Hierarchy", "Ladder"]
