"""Attacks on released statistics: reconstruction, differencing, averaging, trackers.

One calls: `reconstruct` and `track`, or them by their names through `privet.attacks.attack`.
Never: asks a question that was not booked, or uses the truth but to score.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door
from privet.attacks.statistics._differencing import track as track
from privet.attacks.statistics._reconstruction import reconstruct as reconstruct
from privet.attacks.statistics._released_counts import Answered as Answered
from privet.attacks.statistics._released_counts import ask as ask

if TYPE_CHECKING:
    from privet.attacks.statistics._count_queries import counts_about as counts_about
    from privet.attacks.statistics._count_queries import promise_of_all as promise_of_all
    from privet.attacks.statistics._differencing import track as track
    from privet.attacks.statistics._reconstruction import reconstruct as reconstruct
    from privet.attacks.statistics._released_counts import Answered as Answered
    from privet.attacks.statistics._released_counts import ask as ask
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
