"""Attacks on language models: extraction, canaries, membership, identity probes; and near duplicates before training.

One calls: them by their names through `privet.attacks.attack`; before training `plant_canaries` and `near_duplicates`.
Never: puts a text that was trained on into a result or an error.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door
from privet.attacks.memorization import _canary_attacks as canary_attacks
from privet.attacks.memorization import _identity_probes as identity_probes
from privet.attacks.memorization import _text_extraction as text_extraction
from privet.attacks.memorization import _text_membership as text_membership

if TYPE_CHECKING:
    from privet.attacks.memorization._causal_model import CausalModel as CausalModel
    from privet.attacks.memorization._causal_model import causal_model as causal_model
    from privet.attacks.memorization._causal_model import is_language_folder as is_language_folder
    from privet.attacks.memorization._causal_model import is_language_model as is_language_model
    from privet.attacks.memorization._identity_probes import PROBES as PROBES
    from privet.attacks.memorization._identity_probes import Probe as Probe
    from privet.attacks.memorization._near_duplicates import TextDuplicates as TextDuplicates
    from privet.attacks.memorization._near_duplicates import near_duplicates as near_duplicates
    from privet.attacks.memorization._secret_canaries import CanaryRecord as CanaryRecord
    from privet.attacks.memorization._secret_canaries import plant_canaries as plant_canaries
    from privet.attacks.memorization._shadow_texts import ShadowTexts as ShadowTexts
    from privet.attacks.memorization._text_records import text_column as text_column
    from privet.attacks.memorization._text_records import texts_of as texts_of
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
