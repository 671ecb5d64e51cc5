"""Made-up secrets of some people, and random questions about them."""

import numpy as np

from privet.attacks._attack_registry import attacks

PEOPLE = 96
KNOWN = {attack.name: attack.run for attack in attacks("statistics")}


def setting(seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(seed)
    return draw.random(PEOPLE) < 0.5, draw.random((4 * PEOPLE, PEOPLE)) < 0.5
