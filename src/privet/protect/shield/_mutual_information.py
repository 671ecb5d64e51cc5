"""How much what is sent can tell, in nats: an estimate of an upper bound, and the success that so much would allow.

Information alone, and no certificate: the bound is estimated from a sample of texts, and holds for texts drawn like them.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import torch

from privet.errors import BadShield
from privet.protect.shield._shield_losses import gaussian_divergence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor


@dataclass(frozen=True, slots=True)
class InformationBound:
    """`each` is a place's own embedding about its own token, `text` all embeddings of a text about all of it, in nats."""

    each: float
    text: float
    texts: int

    def allows(self, prior: float) -> float:
        """The most that a guess of something about a text succeeds with, where it succeeds with `prior` without the embeddings.

        The largest p with KL(Bernoulli(p) ‖ Bernoulli(prior)) <= the nats of a whole text (Fano; Xiao and Devadas 2023,
        arXiv 2210.03458). Those of one place alone bound nothing, since other places tell of it as well.
        """
        return allowed_success(self.text, prior)

    def sentence(self, prior: float) -> str:
        """For people."""
        return (
            f"Information (an estimate from {self.texts} texts, not a promise): at most about {self.each:.3g} nats in a token's own "
            f"embedding and {self.text:.3g} in those of a text, which would allow {self.allows(prior):.0%} where guessing reaches "
            f"{prior:.0%}."
        )

    def to_json(self) -> dict[str, Any]:
        """For the record."""
        return asdict(self)


def information_bound(moments: Sequence[tuple[Tensor, Tensor]]) -> InformationBound:
    """Mean divergences between texts, over all pairs of texts, place by place as far as both go.

    I(X; Y) <= E KL(p(.|x) ‖ p(.|x')) for independent x, x' (convexity; Kolchinsky and Tracey 2017). Texts of different
    lengths are told apart by their length, which is public: pairs are compared over the places that both have, and the
    sum is scaled to the mean length.
    """
    if len(moments) < 2:
        raise BadShield("information is estimated from two texts or more.", "Give more texts.")
    total, places = 0.0, 0
    for shift in range(1, min(len(moments), 9)):
        for at, one in enumerate(moments):
            other = moments[(at + shift) % len(moments)]
            both = min(len(one[0]), len(other[0]))
            first, second = [(part[0][:both].double(), part[1][:both].double()) for part in (one, other)]
            with torch.no_grad():
                total += float(gaussian_divergence(first, second).sum())
            places += both
    each = total / max(1, places)
    return InformationBound(each, each * sum(len(one[0]) for one in moments) / len(moments), len(moments))


def allowed_success(nats: float, prior: float) -> float:
    """The largest p >= prior with KL(Bernoulli(p) ‖ Bernoulli(prior)) <= nats."""
    if not 0 < prior < 1:
        raise BadShield("a prior chance lies between 0 and 1.", "Give what guessing reaches.")
    if nats >= -math.log(prior):
        return 1.0
    low, high = prior, 1.0
    for _ in range(100):
        middle = (low + high) / 2
        if _bernoulli_divergence(middle, prior) <= nats:
            low = middle
        else:
            high = middle
    return high


def _bernoulli_divergence(p: float, q: float) -> float:
    return sum(a * math.log(a / b) for a, b in ((p, q), (1 - p, 1 - q)) if a > 0)
