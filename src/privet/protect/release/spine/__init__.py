"""Hierarchies released so that everything adds up: measure every level, combine, fit from the top down, round."""

from privet.protect.release.spine.asking import Spine, spine
from privet.protect.release.spine.explaining import SpineExplanation, explain_spine
from privet.protect.release.spine.invariants import Invariant
from privet.protect.release.spine.releasing import release_spine

__all__ = ["Invariant", "Spine", "SpineExplanation", "explain_spine", "release_spine", "spine"]
