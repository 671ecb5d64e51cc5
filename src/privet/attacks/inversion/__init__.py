"""Attacks on embeddings that are sent in place of texts: what a reader gets back of the words, and of the person.

One calls: them by their names through `privet.attacks.attack`; `shield_report` says what the strongest of them means.
Never: calls a shield protected, or puts a text into a result or an error.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door
from privet.attacks.inversion import _beam_clean as beam_clean
from privet.attacks.inversion import _embedding_attributes as embedding_attributes
from privet.attacks.inversion import _learned_inverter as learned_inverter
from privet.attacks.inversion import _nearest_embedding as nearest_embedding

if TYPE_CHECKING:
    from privet.attacks.inversion._shield_report import ShieldLabel as ShieldLabel
    from privet.attacks.inversion._shield_report import ShieldReport as ShieldReport
    from privet.attacks.inversion._shield_report import shield_report as shield_report
    from privet.attacks.inversion._shielded_texts import ShieldTarget as ShieldTarget
    from privet.attacks.inversion._shielded_texts import is_shield as is_shield
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
