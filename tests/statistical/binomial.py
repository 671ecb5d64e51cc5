"""Exact tests of a sampler against known probabilities, with a false-alarm rate that is a theorem.

Each check counts how often an event of known probability happened and compares the count with its binomial
distribution: no asymptotics, no bins to choose. Several events share one false-alarm budget by the union
bound. `fits` is true for a right sampler with probability at least 1 - FALSE_ALARM.
"""

from collections.abc import Iterable

from scipy.stats import binom

FALSE_ALARM = 1e-9


def fits(counts: Iterable[tuple[int, int, float]]) -> bool:
    """Whether every (hits, trials, probability) is plausible, at FALSE_ALARM for all of them together."""
    checks = list(counts)
    level = FALSE_ALARM / (2 * len(checks))
    return all(
        binom.cdf(hits, trials, probability) > level and binom.sf(hits - 1, trials, probability) > level
        for hits, trials, probability in checks
    )
