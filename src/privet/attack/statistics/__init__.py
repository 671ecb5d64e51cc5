"""Attacks on released statistics: reconstruction, differencing, averaging, trackers."""

from privet.attack.statistics.reconstruction import reconstruct
from privet.attack.statistics.released import Answered, ask
from privet.attack.statistics.simple import track

__all__ = ["Answered", "ask", "reconstruct", "track"]
