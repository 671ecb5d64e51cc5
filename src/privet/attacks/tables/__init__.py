"""Attacks on released tables and synthetic data: linkage, singling out, inference, membership, classes, searches.

One calls: them by their names through `privet.attacks.attack`; `planted_canary` makes what `shadow_twins` look for.
Never: reads an original row but to score a guess that was made without it.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door
from privet.attacks.tables import _closest_records as closest_records
from privet.attacks.tables import _downcoding as downcoding
from privet.attacks.tables import _homogeneity as homogeneity
from privet.attacks.tables import _intersection_attack as intersection
from privet.attacks.tables import _linkability as linkability
from privet.attacks.tables import _linkage_attack as linkage
from privet.attacks.tables import _membership_density as density
from privet.attacks.tables import _minimality_attack as minimality
from privet.attacks.tables import _nearest_inference as inference
from privet.attacks.tables import _shadow_twins as shadow_twins
from privet.attacks.tables import _singling_out as singling_out

if TYPE_CHECKING:
    from privet.attacks.tables._generalized_cells import cover as cover
    from privet.attacks.tables._generalized_cells import is_generalized as is_generalized
    from privet.attacks.tables._planted_canary import planted_canary as planted_canary
    from privet.attacks.tables._released_rows import rows_of as rows_of
    from privet.attacks.tables._table_codes import as_text as as_text
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
