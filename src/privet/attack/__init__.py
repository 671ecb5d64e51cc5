"""Attacks on what was made, as an outsider would try them."""

from privet.attack.attacking import attack
from privet.attack.result import AttackReport

__all__ = ["AttackReport", "attack"]
