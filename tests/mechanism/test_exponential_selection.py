"""Selection: the event picks the noise, the seal's sensitivity the scale."""

import numpy as np
import pytest
from tests.mechanism.permits import permit_for

from privet.errors import NothingToChoose, PermitMismatch
from privet.guarantee._events import DiscreteLaplace, Exponential, PermuteAndFlip, Repeated
from privet.mechanism import _opendp_samplers as sampling
from privet.mechanism import select, select_each
from privet.sealed import Sealed, Sensitivity


@pytest.mark.parametrize(("kind", "noise"), [(Exponential, "gumbel"), (PermuteAndFlip, "exponential")])
def test_the_event_decides(monkeypatch, kind, noise):
    asked = []

    def draw(scores, scale, name):
        asked.append((scores.tolist(), scale, name))
        return 1

    monkeypatch.setattr(sampling, "draw_noisy_max", draw)
    assert select(Sealed([4, 9, 2], Sensitivity(3, 5, 15)), permit_for(kind("0.5"))) == 1
    assert asked == [([4, 9, 2], 20.0, noise)]  # exact: handed on as given


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


# --- one choice in each block ------------------------------------------------------------------


def test_each_block_is_chosen_from_on_its_own(monkeypatch):
    asked = []

    def draw(scores, scale, name):
        asked.append((scores.tolist(), scale, name))
        return len(asked)

    monkeypatch.setattr(sampling, "draw_noisy_max", draw)
    scores = Sealed([4, 9, 2, 0, 0, 1], Sensitivity.per_block(1, 3, 5))
    assert select_each(scores, permit_for(Repeated(Exponential("0.5"), 1))).tolist() == [1, 2]
    assert asked == [([4, 9, 2], 20.0, "gumbel"), ([0, 0, 1], 20.0, "gumbel")]  # exact: handed on as given


def test_far_better_candidates_win_in_every_block():
    scores = np.zeros((7, 4), int)
    scores[np.arange(7), [0, 1, 2, 3, 2, 1, 0]] = 10**6
    sealed = Sealed(scores.reshape(-1), Sensitivity.per_block(2, 4, 3))
    chosen = select_each(sealed, permit_for(Repeated(PermuteAndFlip(1), 2)))
    assert chosen.tolist() == [0, 1, 2, 3, 2, 1, 0]  # fails with probability below exp(-100000)


def test_no_groups_no_choices():
    empty = Sealed([], Sensitivity.per_block(1, 4, 1))
    assert select_each(empty, permit_for(Repeated(PermuteAndFlip(1), 1))).tolist() == []


@pytest.mark.parametrize(
    "event", [Repeated(Exponential(1), 2), Repeated(DiscreteLaplace(50), 9), Exponential(1)]
)
def test_more_blocks_than_were_paid_for_are_refused(event):
    permit = permit_for(event)
    with pytest.raises(PermitMismatch):
        select_each(Sealed([0] * 12, Sensitivity.per_block(3, 4, 1)), permit)
    assert permit.use() == event


def test_a_single_choice_does_not_serve_for_blocks():
    with pytest.raises(PermitMismatch):
        select(Sealed([0] * 4, Sensitivity.per_block(1, 4, 1)), permit_for(Repeated(Exponential(1), 1)))
