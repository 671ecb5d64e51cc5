"""Amplification by shuffling: within the published numerical bounds, equal to enumeration on small numbers."""

import itertools
import math

import numpy as np
import pytest
from scipy.special import gammaln
from scipy.stats import binom

from privet.errors import BadAmount
from privet.guarantee import shuffled_delta, shuffled_epsilon


@pytest.mark.parametrize(
    ("reports", "local", "delta", "low", "high"),
    [
        (100_000, 4, 1e-6, 0.16754, 0.17279),
        (10_000, 1, 1e-6, 0.0528, 0.0535),
        (1_000_000, 4, 1e-8, 0.06419, 0.0652),
    ],
)
def test_golden_values(reports, local, delta, low, high) -> None:
    """The bounds that apple/ml-shuffling-amplification computes from below and above; the closed form has .538, .233, .227.

    Its last figure from below is .0643, the end of a search, which is no bound: direct summation, the test after this one,
    gives .06420.
    """
    assert low <= shuffled_epsilon(local, reports, delta) <= high


@pytest.mark.parametrize(
    ("reports", "local", "delta"), [(10_000, 1, 1e-6), (20_000, 4, 1e-8), (1_000_000, 4, 1e-8)]
)
def test_direct_summation_gives_the_same_delta(reports, local, delta) -> None:
    """Every pair (clones, A) with its probability by logarithms of factorials: no tails, no closed form for the threshold."""
    found = shuffled_epsilon(local, reports, delta)
    chance, likely = math.exp(-local), math.exp(local) / (math.exp(local) + 1)
    middle, spread = (reports - 1) * chance, math.sqrt(reports * chance)
    total = 0.0
    for clones in range(int(middle - 10 * spread), int(middle + 10 * spread) + 1):
        weight = binom.pmf(clones, reports - 1, chance)
        at = np.arange(
            max(1, int(clones / 2 - 6 * math.sqrt(clones))), int(clones / 2 + 6 * math.sqrt(clones))
        )
        mass = [
            np.exp(gammaln(clones + 1) - gammaln(a + 1) - gammaln(clones - a + 1) - clones * math.log(2))
            for a in (at - 1, at)
        ]
        one, two = (share * mass[0] + (1 - share) * mass[1] for share in (likely, 1 - likely))
        total += weight * np.maximum(one - math.exp(found) * two, 0).sum()
    assert math.isclose(total, delta, rel_tol=1e-3)


@pytest.mark.parametrize("local", [0.5, 2.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.4])
def test_the_sums_are_those_of_enumeration(local, epsilon) -> None:
    reports, chance, likely = 5, math.exp(-local), math.exp(local) / (math.exp(local) + 1)
    one: dict[tuple[int, int], float] = {}
    two: dict[tuple[int, int], float] = {}
    for clones in itertools.product((0, 1, 2), repeat=reports - 1):  # none, the one value, the other
        weight = math.prod((1 - chance) if clone == 0 else chance / 2 for clone in clones)
        pair = (clones.count(1), clones.count(2))
        for mass, own, other in ((one, likely, 1 - likely), (two, 1 - likely, likely)):
            for added, share in (((1, 0), own), ((0, 1), other)):
                at = (pair[0] + added[0], pair[1] + added[1])
                mass[at] = mass.get(at, 0.0) + weight * share
    delta = sum(max(0.0, one[at] - math.exp(epsilon) * two[at]) for at in one)
    assert abs(shuffled_delta(local, reports, epsilon) - delta) < 1e-11


def test_more_reports_and_a_larger_delta_never_cost_more() -> None:
    assert shuffled_epsilon(2, 10_000, 1e-6) < shuffled_epsilon(2, 1_000, 1e-6) <= 2
    assert shuffled_epsilon(2, 1_000, 1e-4) < shuffled_epsilon(2, 1_000, 1e-6)
    assert shuffled_epsilon(8, 2, 1e-6) <= 8


@pytest.mark.parametrize(
    "wrong", [(0, 10, 1e-6), (33, 10, 1e-6), (1, 1, 1e-6), (1, 10, 1e-12), (1, 10, 1), (math.nan, 10, 1e-6)]
)
def test_what_the_sums_do_not_hold_for_is_refused(wrong) -> None:
    with pytest.raises(BadAmount):
        shuffled_epsilon(*wrong)
