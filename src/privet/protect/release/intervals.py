"""Error bars of released answers: weighted sums of independent noises."""

from __future__ import annotations

from privet.guarantee.mixing import Term, half_width

__all__ = ["Term", "half_width"]
