"""A promise and three tests of it: one that finds nothing wrong, one that contradicts, one that could not have shown anything."""

import math

import privet as pv
from privet.attacks._seeded_generator import repeatable_generator
from privet.attacks.dp_audit import Neighbours

draw = repeatable_generator(1)


def counts(scale: float) -> Neighbours:
    """A noisy count of 101 people, and of the same people without one; noise in whole numbers, as it should be."""
    p = 1 - math.exp(-1 / scale)
    return Neighbours(
        lambda n: 101 + draw.geometric(p, n) - draw.geometric(p, n),
        lambda n: 100 + draw.geometric(p, n) - draw.geometric(p, n),
    )


print(pv.PureDP(1).sentence())
for what, promised, scale, draws in (
    ("more noise than it takes", 1, 1.2, 20_000),
    ("half the noise", 1, 0.5, 20_000),
    ("a large promise, a hundred draws", 8, 0.05, 100),
):
    found = pv.attack(counts(scale), promise=pv.PureDP(promised), draws=draws)[0]
    print(
        f"{what}: epsilon at least {found.success.low:.2f}, promised {promised}, "
        f"could at most show {found.detectable:.1f}: {found.verdict.value}"
    )
    if found.power is not None:
        print(f"  {found.power.sentence()}")
