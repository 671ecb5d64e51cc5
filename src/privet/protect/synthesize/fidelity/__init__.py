"""How good a twin is, for the owner of the data: near the real rows, and of use in their place.

One calls: `fidelity`, with rows that were kept apart from the twin.
Never: makes anything public. All of it is measured on real people, and no promise covers it.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.protect.synthesize.fidelity._fidelity import fidelity as fidelity
    from privet.protect.synthesize.fidelity._twin_fidelity import TwinFidelity as TwinFidelity
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
