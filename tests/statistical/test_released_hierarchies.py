"""Error bars of a hierarchy cover what they say, and estimates are unbiased; noise drawn by the real sampler.

4,000 draws over counts computed once. A coverage of 0.95 strays out of [0.93, 0.97] by more than 5.8 standard
errors with a probability below 1e-8 for each of the 8 query groups; the entries of a group only sharpen it.
"""

import numpy as np
import pytest
from tests.protect.tabulate.people import KEYS, opened, people, spine_of
from tests.protect.tabulate.spines import CELLS, sums

import privet as pv
from privet.mechanism import _opendp_samplers as sampling
from privet.protect.tabulate._error_bars import widths
from privet.protect.tabulate._invariants import collapsed
from privet.protect.tabulate._weighted_estimates import combine

DRAWS = 4_000


@pytest.fixture(scope="module")
def errors():
    """The errors of every estimate, and the half-widths that go with them."""
    spine = pv.spine(opened(people(50)), ["state"], ["sex", "age"], leaves=["N", "S"], keys=KEYS)
    plan = pv.explain(spine, pv.ZeroConcentratedDP("0.5")).plan
    tree = plan.spine.tree
    truth = sums(tree, np.random.default_rng(1).poisson(3, (len(tree.leaves), CELLS.size)))
    exact = {one: collapsed(CELLS, one[1], truth[one[0]]) for one in plan.noise}
    noise = {
        one: sampling.draw_discrete_gaussian(DRAWS * exact[one].size, float(event.sigma)).reshape(DRAWS, -1)
        for one, event in plan.noise.items()
    }
    found = {one: np.zeros((DRAWS, exact[one].size)) for one in plan.noise}
    for draw in range(DRAWS):
        noisy = {one: exact[one] + noise[one][draw].reshape(exact[one].shape) for one in plan.noise}
        tables = combine(tree, CELLS, plan.precision, plan.sigmas, noisy).final
        for depth, group in plan.noise:
            gap = collapsed(CELLS, group, tables[depth]) - exact[depth, group]
            found[depth, group][draw] = gap.reshape(-1)
    stated = {
        (depth, group): np.repeat(widths(plan, depth)[group], exact[depth, group].shape[1])
        for depth, group in plan.noise
    }
    return found, stated


def test_error_bars_cover_what_they_say(errors):
    found, stated = errors
    for one, gaps in found.items():
        covered = float(np.mean(np.abs(gaps) <= stated[one]))
        assert 0.93 <= covered <= 0.97, (one, covered)


def test_estimates_are_unbiased(errors):
    """Six standard errors: 2e-9 for each of 36 entries."""
    found, _ = errors
    for gaps in found.values():
        assert np.all(np.abs(gaps.mean(axis=0)) < 6 * gaps.std(axis=0) / np.sqrt(DRAWS))


def test_a_single_measurement_keeps_its_own_error_bar():
    """Where one whole-number noise is all there is, a normal quantile would cover too little."""
    spine = spine_of(shares={"county": 1}, queries={"detailed": 1})
    plan = pv.explain(spine, pv.ZeroConcentratedDP("0.5")).plan
    (event,) = plan.noise.values()
    noise = sampling.draw_discrete_gaussian(40_000, float(event.sigma))
    width = float(widths(plan, 2)[0, 1][0])
    # False alarm below 1e-9: a coverage of at least 0.95 shows less than 0.943 with six standard errors.
    assert np.mean(np.abs(noise) <= width) > 0.943
