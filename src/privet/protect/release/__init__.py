"""Statistics under central differential privacy: plan, explain, release."""

from privet.protect.release.answering import release
from privet.protect.release.explaining import explain

__all__ = ["explain", "release"]
