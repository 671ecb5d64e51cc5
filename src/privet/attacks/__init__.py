"""Attacks on what was made, as an outsider would try them.

One calls: `attack`, which gives an `AttackReport`.
Never: knows how a thing was made, or reaches the ledger.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.attacks._attack import attack as attack
    from privet.attacks._attack_registry import attacks as attacks
    from privet.attacks._attack_registry import in_words as in_words
    from privet.attacks._attack_report import AttackReport as AttackReport
    from privet.attacks._attack_report import verdict_words as verdict_words
    from privet.attacks._attack_scores import area as area
    from privet.attacks._attack_settings import SETTINGS as SETTINGS
    from privet.attacks._training_recipe import Recipe as Recipe
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
