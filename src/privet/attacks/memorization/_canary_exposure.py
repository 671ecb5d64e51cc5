"""Exposure: how much likelier a planted secret is than secrets made in the same way that nobody planted.

log2 of the number of references over the rank among them (Carlini et al. 2019, Definition 3). A secret that was never
inserted has each rank with the same chance, and so a mean of log2(e) = 1.44 bits. Beyond what ranks can show, the tail of a
skew-normal distribution fitted to the references says how far out a secret lies (their Section 5.3).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privet.artifact import IntervalEstimate
from privet.attacks.memorization._causal_model import CausalModel
from privet.attacks.memorization._secret_canaries import Canary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

REFERENCES = 2_000


@dataclass(frozen=True)
class Exposures:
    """Of each canary: its exposure by rank, and by the fitted tail."""

    by_rank: NDArray[np.float64]
    by_tail: NDArray[np.float64]
    references: int

    @property
    def chance(self) -> float:
        """The mean exposure of a secret that was never inserted: every rank is equally likely."""
        return mean_by_chance(self.references)

    @property
    def most(self) -> float:
        """The largest exposure that so many references can show."""
        return math.log2(self.references + 1)


def exposures(model: CausalModel, canaries: Sequence[Canary], references: Sequence[Canary]) -> Exposures:
    """How exposed canaries are in a model, against references that were made in the same way."""
    scores = secret_scores(model, [*canaries, *references])
    own, others = scores[: len(canaries)], scores[len(canaries) :]
    return Exposures(rank_exposure(own, others), tail_exposure(own, others), len(references))


def secret_scores(model: CausalModel, canaries: Sequence[Canary]) -> NDArray[np.float64]:
    """The log-probability of each secret after what stands before it."""
    pairs = [_split(model, one) for one in canaries]
    found = model.log_probabilities([before + secret for before, secret in pairs])
    return np.array(
        [one[len(one) - len(secret) :].sum() for one, (_, secret) in zip(found, pairs, strict=True)]
    )


def rank_exposure(own: NDArray[np.float64], references: NDArray[np.float64]) -> NDArray[np.float64]:
    """log2 of how many there are, over the rank; equal scores share their ranks."""
    ordered = np.sort(references)
    above = len(ordered) - np.searchsorted(ordered, own, side="right")
    equal = np.searchsorted(ordered, own, side="right") - np.searchsorted(ordered, own, side="left")
    return np.asarray(math.log2(len(ordered) + 1) - np.log2(1 + above + equal / 2), float)


def tail_exposure(own: NDArray[np.float64], references: NDArray[np.float64]) -> NDArray[np.float64]:
    """-log2 of the share of a skew-normal distribution, fitted to the references, that lies above each score."""
    from scipy.stats import skewnorm

    if np.ptp(references) <= 0:
        return rank_exposure(own, references)
    mean, spread = float(references.mean()), float(references.std())
    skew = float(np.clip(((references - mean) ** 3).mean() / spread**3, -0.99, 0.99))
    # Moments in closed form (Azzalini 1985): the fit is the same on every machine.
    share = abs(skew) ** (2 / 3)
    delta = math.copysign(math.sqrt(math.pi / 2 * share / (share + ((4 - math.pi) / 2) ** (2 / 3))), skew)
    shape = delta / math.sqrt(max(1e-9, 1 - delta**2))
    scale = spread / math.sqrt(1 - 2 * delta**2 / math.pi)
    where = mean - scale * delta * math.sqrt(2 / math.pi)
    found = -skewnorm.logsf(own, shape, where, scale) / math.log(2)
    return np.asarray(np.nan_to_num(found, posinf=1_000.0), float)


def mean_by_chance(references: int) -> float:
    """The mean of log2((R + 1) / rank) over all ranks; 1.4427 bits for many references."""
    ranks = np.arange(1, references + 2)
    return float(np.log2((references + 1) / ranks).mean())


def mean_exposure(values: NDArray[np.float64], references: int, confidence: float) -> IntervalEstimate:
    """Their mean with a normal interval; what the references leave open is counted as if they were that many canaries."""
    from scipy.stats import norm

    if not len(values):
        return IntervalEstimate(0.0, 0.0, math.log2(references + 1), confidence)
    spread = max(float(values.std(ddof=1)) if len(values) > 1 else 0.0, 1 / math.log(2))
    half = float(norm.ppf((1 + confidence) / 2)) * spread * math.sqrt(1 / len(values) + 1 / references)
    mean = float(values.mean())
    most = max(mean, math.log2(references + 1))
    return IntervalEstimate(mean, max(0.0, mean - half), min(most, mean + half), confidence)


def _split(model: CausalModel, canary: Canary) -> tuple[list[int], list[int]]:
    """The tokens before the secret, and the rest as it is within the text: tokens may span the seam."""
    before = model.tokens(canary.before)
    whole = model.tokens(canary.before + canary.secret)
    seam = next(
        (at for at, (one, other) in enumerate(zip(before, whole, strict=False)) if one != other), len(before)
    )
    seam = max(1, min(seam, len(whole) - 1))
    return whole[:seam], whole[seam:]


def recitations(model: CausalModel, canaries: Sequence[Canary]) -> NDArray[np.bool_]:
    """Whether the likeliest continuation is the secret, token by token."""
    pairs = [_split(model, one) for one in canaries]
    found = np.zeros(len(pairs), bool)
    shapes: dict[tuple[int, int], list[int]] = {}
    for at, (before, secret) in enumerate(pairs):
        shapes.setdefault((len(before), len(secret)), []).append(at)
    for (_, length), places in shapes.items():
        said = model.continuations(np.array([pairs[at][0] for at in places], np.int64), length)
        true = np.array([pairs[at][1] for at in places], np.int64)
        found[places] = (said == true).all(axis=1)
    return found
