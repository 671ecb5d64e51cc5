"""DP-SGD on gradients that are made up, in numpy: right, and broken in the ways that implementations are."""

from dataclasses import dataclass, replace

import numpy as np

from privet.attacks.dp_audit import GradientCanaries, Observed, TrainingClaim
from privet.guarantee._promise_registry import ApproxDP

RECORDS, ORDINARY = 300, 20
CLIP = 2.0
# One hundred steps at a rate of 0.1 with this noise cost epsilon 1 at 1e-5; 25 do with a sigma of 2.262.
CLAIM = TrainingClaim(sigma=3.95, clip=CLIP, q=0.1, steps=100, delta=1e-5)
PROMISE = ApproxDP("1.0", "0.00001")


@dataclass(frozen=True)
class Toy:
    """Gradients of ordinary records fill the first coordinates; each canary has one of its own behind them."""

    canaries: int = 600
    claim: TrainingClaim = CLAIM
    noise: float = 1.0  # times what is claimed
    clip: str = "each"  # "each", "never", "batch"
    noisy: str = "every step"  # "every step", "once", "same"
    sampled: bool = True
    steps: int = 100
    seed: int = 0

    @property
    def planted(self) -> GradientCanaries:
        return GradientCanaries(self.canaries, CLIP, first=ORDINARY)

    def __call__(self, included: np.ndarray) -> Observed:
        draw = np.random.default_rng([self.seed, *np.packbits(included).tolist()])
        rows = np.zeros((RECORDS, ORDINARY))
        rows[:] = draw.normal(0, CLIP, rows.shape)
        loud = self.planted.loudness * CLIP
        norms = np.concatenate([np.linalg.norm(rows, axis=1), np.full(int(included.sum()), loud)])
        people = len(norms)
        rate = self.claim.q if self.sampled else 1.0
        mask = draw.random((self.steps, people)) < rate
        scale = np.minimum(1, CLIP / norms) if self.clip == "each" else np.ones(people)
        exact = np.zeros((self.steps, ORDINARY + self.canaries))
        exact[:, :ORDINARY] = mask[:, :RECORDS] @ (rows * scale[:RECORDS, None])
        exact[:, ORDINARY + np.flatnonzero(included)] = mask[:, RECORDS:] * loud * scale[RECORDS:]
        added = np.broadcast_to(norms * scale, mask.shape).copy()
        if self.clip == "batch":
            size = np.maximum(mask.sum(1), 1)
            whole = np.minimum(1, CLIP / np.maximum(np.linalg.norm(exact, axis=1) / size, 1e-12))
            exact *= whole[:, None]
            added *= whole[:, None]
        spread = self.claim.sigma * CLIP * self.noise
        noise = draw.normal(0, spread, exact.shape)
        if self.noisy == "once":
            noise[1:] = 0
        elif self.noisy == "same":
            noise[:] = noise[0]
        return Observed(
            self.claim,
            exact + noise,
            exact,
            added[mask],
            mask.sum(0).astype(np.int64),
            mask.sum(1).astype(np.int64),
        )


BROKEN = {
    "a tenth of the noise": {"noise": 0.1},
    "no clipping": {"clip": "never"},
    "clipping per batch": {"clip": "batch"},
    "noise only once": {"noisy": "once"},
    "the same noise reused": {"noisy": "same"},
    "full batch under a claimed rate": {"sampled": False},
    "accounting for fewer steps": {"claim": replace(CLAIM, sigma=2.262, steps=25)},
}
