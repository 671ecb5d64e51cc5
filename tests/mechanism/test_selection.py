"""Selection: the event picks the noise, the seal's sensitivity the scale."""

import pytest
from tests.mechanism.permits import permit_for

from privet.errors import NothingToChoose
from privet.guarantee.events import Exponential, PermuteAndFlip
from privet.mechanism import sampling, select
from privet.sealed import Sealed, Sensitivity


@pytest.mark.parametrize(("kind", "noise"), [(Exponential, "gumbel"), (PermuteAndFlip, "exponential")])
def test_the_event_decides(monkeypatch, kind, noise):
    asked = []

    def draw(scores, scale, name):
        asked.append((scores.tolist(), scale, name))
        return 1

    monkeypatch.setattr(sampling, "draw_noisy_max", draw)
    assert select(Sealed([4, 9, 2], Sensitivity(3, 5, 15)), permit_for(kind("0.5"))) == 1
    assert asked == [([4, 9, 2], 20.0, noise)]


@pytest.mark.parametrize("kind", [Exponential, PermuteAndFlip])
def test_a_far_better_candidate_wins(kind):
    scores = Sealed([0, 10**6, 0], Sensitivity(3, 1, 3))
    assert select(scores, permit_for(kind(1))) == 1  # fails with probability below exp(-100000)


@pytest.mark.parametrize("kind", [Exponential, PermuteAndFlip])
def test_extreme_scores_are_chosen_from_without_failing(kind):
    scores = Sealed([2**63 - 1, -(2**63), 2**63 - 1], Sensitivity(3, 1, 3))
    assert select(scores, permit_for(kind(1))) in {0, 2}


def test_no_candidates_no_choice_and_no_spend():
    permit = permit_for(Exponential(1))
    with pytest.raises(NothingToChoose):
        select(Sealed([], Sensitivity(1, 1, 1)), permit)
    assert permit.use() == Exponential(1)
