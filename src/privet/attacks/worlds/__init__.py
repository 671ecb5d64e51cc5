"""Attacks on PAC releases: which world was used, who is in it, and what the noise itself gives away.

One calls: them by their names through `privet.attacks.attack`, on a `WorldGame`.
Never: looks at which half was drawn but to score.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door
from privet.attacks.worlds import _noise_scale_attack as noise_scale
from privet.attacks.worlds import _session_attacks as sessions
from privet.attacks.worlds import _world_identification as identification
from privet.attacks.worlds._world_game import WorldGame as WorldGame

if TYPE_CHECKING:
    from privet.attacks.worlds._world_game import WorldGame as WorldGame
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
