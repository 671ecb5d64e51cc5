"""Exact answers under seal, their sensitivity, and the fixed point they are counted in."""

from privet.sealed.fixed_point import FixedPoint
from privet.sealed.keys import SealedKeys
from privet.sealed.sensitivity import Sensitivity
from privet.sealed.value import Sealed

__all__ = ["FixedPoint", "Sealed", "SealedKeys", "Sensitivity"]
