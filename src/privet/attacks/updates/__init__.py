"""Attacks on recorded updates of federated training: gradient inversion.

One calls: them by their names through `privet.attacks.attack`, on an `Update`.
Never: uses a record of training but to score.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door
from privet.attacks.updates import _gradient_inversion as inversion
from privet.attacks.updates._federated_update import Update as Update

if TYPE_CHECKING:
    from privet.attacks.updates._federated_update import Update as Update
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
