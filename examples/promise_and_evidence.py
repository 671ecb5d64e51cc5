"""A promise and three tests of it: one that agrees, one that contradicts, and one that could not have shown anything."""

import privet as pv
from privet.attack.chance import repeatable_generator
from privet.attack.dp import Neighbours

draw = repeatable_generator(1)


def counts(scale: float) -> Neighbours:
    """A noisy count of 101 people, and of the same people without one."""
    return Neighbours(lambda n: 101 + draw.laplace(0, scale, n), lambda n: 100 + draw.laplace(0, scale, n))


print(pv.PureDP(1).sentence())
for what, promised, scale, draws in (
    ("more noise than it takes", 1, 1.2, 20_000),
    ("half the noise", 1, 0.5, 20_000),
    ("a large promise, a hundred draws", 8, 0.05, 100),
):
    found = pv.attack(counts(scale), promise=pv.PureDP(promised), draws=draws)[0]
    print(
        f"{what}: epsilon at least {found.success.low:.2f}, promised {promised}, "
        f"could have shown {found.detectable:.1f}: {found.verdict.value}"
    )
