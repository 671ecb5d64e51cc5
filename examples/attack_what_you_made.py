"""Attack what was made: a forest that remembers, a mechanism with half its noise, training that reuses its noise."""

from functools import partial

import numpy as np
from sklearn.ensemble import RandomForestClassifier

import privet as pv
from privet.attacks._seeded_generator import repeatable_generator
from privet.attacks.dp_audit import GradientCanaries, Neighbours, Observed, TrainingClaim, audit_one_run

draw = repeatable_generator(1)

# A model that promises something it does not keep: a forest knows its training records by heart.
features = draw.normal(size=(600, 6))
labels = (features[:, 0] + draw.normal(size=600) > 0).astype(int)
forest = RandomForestClassifier(50, random_state=1).fit(features[:300], labels[:300])
found = pv.attack(
    forest,
    members=(features[:300], labels[:300]),
    control=(features[300:], labels[300:]),
    promise=pv.ApproxDP(1, 1e-5),
    attacks=["membership-loss", "membership-entropy"],
)
print(found, "\n")

# A mechanism on two neighbouring inputs: a count that promises epsilon 1 with half the noise it takes.
half = Neighbours(lambda n: 101 + draw.laplace(0, 0.5, n), lambda n: 100 + draw.laplace(0, 0.5, n))
print(pv.attack(half, promise=pv.PureDP(1)), "\n")

# Training with canaries. The trainer is told which canaries to use, and hands over what it did.
claim = TrainingClaim(sigma=3.95, clip=1.0, q=0.1, steps=100, delta=1e-5)
canaries = GradientCanaries(400, clip=claim.clip)


def train(included: np.ndarray, *, reuse: bool) -> Observed:
    """Steps of DP-SGD on the canaries' gradients alone; with `reuse` the noise of the first step is used again."""
    taken = (draw.random((claim.steps, len(included))) < claim.q) & included
    exact = taken * claim.clip  # gradients of norm 10, clipped
    noise = draw.normal(0, claim.sigma * claim.clip, exact.shape)
    noise = np.broadcast_to(noise[0], noise.shape) if reuse else noise
    members = taken[:, included]
    return Observed(claim, exact + noise, exact, np.ones(int(taken.sum())), members.sum(0), members.sum(1))


for reuse in (False, True):
    audit = audit_one_run(partial(train, reuse=reuse), canaries, pv.ApproxDP(1, 1e-5))
    print("noise reused:" if reuse else "right:", audit, "\n")
