"""Statistics under central differential privacy: plan, explain, release."""

from privet.protect.release.answering import explain, release

__all__ = ["explain", "release"]
