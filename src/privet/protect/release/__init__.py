"""Statistics under central differential privacy: plan, explain, release."""

from privet.protect.release.answering import explain, release
from privet.protect.release.inverting import epsilon_for

__all__ = ["epsilon_for", "explain", "release"]
