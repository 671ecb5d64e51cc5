"""Boosting by interpret: priced by our account, and shown nothing that the data decide."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from privet.artifact._feature_encoding import Features, NumberColumn
from privet.artifact._fitted_weights import ModelTarget
from privet.guarantee._composition import epsilon_for
from privet.guarantee._events import SealedPlan
from privet.guarantee._privacy_units import Row
from privet.guarantee._promise_registry import ApproxDP
from privet.protect.train import (
    _explainable_boosting as ebm,
)
from privet.protect.train.tabular._learner_registry import Examples, Task


def task(unit=None, classes=("no", "yes"), records=2000) -> Task:
    return Task(Features((NumberColumn("x", 0, 1),)), ModelTarget("y", classes), unit or Row(), records)


# --- boosting ------------------------------------------------------------------------------------


def test_boosting_is_priced_by_our_account_for_a_replaced_row():
    plan = ebm.BoostingLearner().plan(task(), ApproxDP(1, "1e-6"))
    assert isinstance(plan.event, SealedPlan)
    epsilon = epsilon_for(plan.event.event, "1e-6").epsilon
    assert 0.95 < epsilon <= 1
    # interpret's own statement counts a row that is added: half the reach, so about half the epsilon.
    assert plan.given < 0.7


@pytest.mark.parametrize("many", [0, 5, 150])
def test_interpret_sees_the_same_public_number_of_rows_whatever_there_are(many):
    examples = Examples(np.zeros((many, 1), dtype=np.int32), np.zeros(many))
    codes, classes = ebm._exactly(examples, task(records=100))
    assert codes.shape == (102, 1)
    assert set(classes) == {0, 1}
    assert (codes == 0).sum() >= min(many, 100)


def test_the_budget_given_away_keeps_the_promise_and_is_nearly_the_largest():
    promise = ApproxDP(1, "1e-6")
    given = ebm._budget(1, promise)
    assert epsilon_for(ebm._run(1, given, promise), "1e-6").epsilon <= 1
    assert epsilon_for(ebm._run(1, given * 1.05, promise), "1e-6").epsilon > 1
    bins, sums = ebm._sigmas(1, given, promise)
    assert sums > bins * math.sqrt(ebm.ROUNDS) / 9 / 2, "so many more sums need so much more noise each"


def test_terms_are_read_off_bins_level_by_level():
    machine = SimpleNamespace(
        bins_=[[np.array([1.0, 3.0])]],
        term_scores_=[np.array([99.0, 10.0, 20.0, 30.0, 99.0])],
        intercept_=0.5,
    )
    found = ebm._terms(machine, [4])
    assert found["shapes"][:, 0].tolist() == [10, 20, 20, 30]
    assert found["intercept"] == pytest.approx([0.5])
