"""How a shield is built and fitted. None of it is a promise: what it achieves is for attacks to say."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from privet.errors import BadShield, checked_class

UTILITIES = ("logits", "hidden", "task")


@checked_class
@dataclass(frozen=True)
class ShieldSettings:
    """How a shield is built and fitted.

    Args:
        layers: of the small transformer that reads the whole text.
        heads: of its attention; they divide the width of embeddings.
        steps: of fitting.
        batch: texts in a step.
        longest: tokens of a text that are looked at; longer ones are cut, for fitting alone.
        rate: the largest step of AdamW; it rises for a twentieth of the steps and falls to nothing.
        cosine: weight of |cos(x, sent)|, which keeps what is sent from pointing where the text points.
        norm: weight of the distance of norms from the vocabulary's median norm.
        least_log_variance: least logarithm of a variance, where the unit is the typical size of an embedding's entry.
        most_log_variance: largest one.
    """

    layers: int = 1
    heads: int = 4
    steps: int = 1_000
    batch: int = 32
    longest: int = 64
    rate: float = 2e-3
    cosine: float = 0.1
    norm: float = 0.01
    least_log_variance: float = -6.0
    most_log_variance: float = 4.0

    def __post_init__(self) -> None:
        whole = all(
            1 <= value <= 10**7
            for value in (self.layers, self.heads, self.steps, self.batch - 1, self.longest)
        )
        weights = all(0 <= value < math.inf for value in (self.cosine, self.norm))
        if not (
            whole
            and weights
            and 0 < self.rate < 1
            and -20 <= self.least_log_variance < self.most_log_variance <= 10
        ):
            raise BadShield(
                "a setting of the shield is out of its range.",
                "Layers, heads, steps and lengths are at least 1, a batch at least 2, weights at least 0, and -20 <= least_log_variance < most_log_variance "
                "<= 10.",
            )

    def to_json(self) -> dict[str, Any]:
        """For the record."""
        return asdict(self)
