"""Clients for the tests: ours, and some that do not keep what they claim."""

import numpy as np

import privet as pv

TWELVE = [f"v{number}" for number in range(12)]


def asking(kind: str, epsilon: float = 2, values: list[str] = TWELVE, **more) -> pv.Collection:
    return pv.Collection("asked", pv.OneOf(values), pv.LocalDP(epsilon), kind, **more)


class Randomised:
    """Randomised response with the chance of every other value multiplied by `factor`: below 1 it claims too little."""

    def __init__(self, epsilon: float, factor: float = 1.0, seed: int = 7) -> None:
        self.other = factor / (np.exp(epsilon) + len(TWELVE) - 1)
        self.draw = np.random.default_rng(seed)

    def __call__(self, values):
        codes = np.array([TWELVE.index(value) for value in values])
        changed = self.draw.random(len(codes)) < (len(TWELVE) - 1) * self.other
        moved = (codes + self.draw.integers(1, len(TWELVE), len(codes))) % len(TWELVE)
        return np.where(changed, moved, codes)
