"""Loss tables that follow a law that is known."""

import numpy as np

from privet.protect.train.language import LossRun, LossTable

SIZES = (10_000, 40_000, 160_000, 640_000)
RATIOS = (0.0, 2.0**-11, 2.0**-9, 2.0**-7, 2.0**-5, 2.0**-3)
STEPS = tuple(range(50, 801, 50))


def truth(size, steps, ratio):
    return 1.2 + 8 * size**-0.3 + 4 * steps**-0.4 + 2 * np.asarray(ratio) ** 0.45


def table(noise=0.0, rates=(0.002, 0.008), seed=0):
    chance = np.random.default_rng(seed)
    runs = []
    for size in SIZES:
        for ratio in RATIOS:
            for rate in rates:
                losses = truth(size, np.asarray(STEPS, dtype=float), ratio) + (
                    0.3 if rate != rates[-1] else 0
                )
                losses = losses + noise * chance.standard_normal(len(STEPS))
                runs.append(LossRun(size, ratio, rate, STEPS, tuple(losses.tolist())))
    return LossTable(tuple(runs), 64, 16, 256, "a formula", "nothing at all", "It is made up.", "none")
