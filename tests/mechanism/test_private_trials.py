import math
from fractions import Fraction

import numpy as np
import pytest
from tests.mechanism.permits import permit_for

from privet.errors import PermitMismatch, PermitSpent
from privet.guarantee._events import Gaussian, Laplace, SealedPlan, Selected
from privet.mechanism._private_trials import drawn_picks, smallest_share, trials

RUNS = ("a" * 64, "b" * 64)


@pytest.mark.parametrize("mean", [1.01, 2.0, 10.0, 300.0])
def test_the_logarithmic_law_has_the_mean_asked_for_or_a_hair_less(mean):
    gamma = smallest_share(mean)
    found = (1 / gamma - 1) / math.log(1 / gamma)
    assert mean * (1 - 1e-6) <= found <= mean


@pytest.mark.parametrize("law", ["logarithmic", "geometric", "poisson"])
def test_numbers_of_trials_follow_their_law(law):
    """The mean of 40,000 within six standard errors: a false alarm in about 1e-9."""
    generator = np.random.default_rng(5)
    counts = np.array([len(drawn_picks(Selected([Gaussian(1)], 4, law), generator)) for _ in range(40_000)])
    assert abs(counts.mean() - 4) < 6 * counts.std() / 200
    assert (counts.min() == 0) == (law == "poisson")
    one = {"geometric": 1 / 4, "poisson": 4 * math.exp(-4)}.get(law)
    if one is None:
        gamma = smallest_share(4.0)
        one = (1 - gamma) / math.log(1 / gamma)
    assert abs((counts == 1).mean() - one) < 6 * math.sqrt(one * (1 - one)) / 200


def test_every_candidate_is_as_likely():
    generator = np.random.default_rng(6)
    picks = drawn_picks(Selected([Laplace(1)] * 4, 40_000, "poisson"), generator)
    counts = np.bincount(picks, minlength=4)
    assert np.abs(counts / len(picks) - 0.25).max() < 6 * math.sqrt(3 / 16 / len(picks))


def test_a_mean_of_one_is_one_trial():
    assert len(drawn_picks(Selected([Gaussian(1)], 1), np.random.default_rng(1))) == 1


def test_each_trial_has_a_permit_of_its_own_for_its_candidate():
    event = Selected([Laplace(5), Laplace(7)], 40)
    permit = permit_for(event)
    drawn = trials(permit, RUNS)
    for trial in drawn:
        assert trial.permit.event == event.events[trial.candidate]
        assert trial.permit.receipt == permit.receipt
        assert trial.run == RUNS[trial.candidate]
    assert len({trial.seed.keyed(b"") for trial in drawn}) == len(drawn)
    with pytest.raises(PermitSpent):
        trials(permit, RUNS)


def test_nothing_is_tried_without_leave():
    event = SealedPlan(Selected([Gaussian(5)], 3), "1e-6")
    with pytest.raises(PermitMismatch):
        trials(event, RUNS[:1])
    with pytest.raises(PermitMismatch):
        trials(permit_for(Laplace(5)), RUNS[:1])
    with pytest.raises(PermitMismatch):
        trials(permit_for(event), RUNS)
    assert trials(permit_for(event), RUNS[:1])[0].permit.event == Gaussian(Fraction(5))
