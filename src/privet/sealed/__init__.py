"""Exact answers under seal, their sensitivity, and the fixed point they are counted in.

One calls: `Sealed`, `SealedKeys`, `SealedWorlds`, `Sensitivity`, `FixedPoint`, `OutputGrid`.
Never: shows what is inside.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.sealed._fixed_point import LARGEST_REACH as LARGEST_REACH
    from privet.sealed._fixed_point import FixedPoint as FixedPoint
    from privet.sealed._output_grid import LEVELS as LEVELS
    from privet.sealed._output_grid import OutputGrid as OutputGrid
    from privet.sealed._sealed_keys import SealedKeys as SealedKeys
    from privet.sealed._sealed_value import Sealed as Sealed
    from privet.sealed._sealed_worlds import SealedWorlds as SealedWorlds
    from privet.sealed._sensitivity import Sensitivity as Sensitivity
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
