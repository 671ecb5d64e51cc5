"""Declarations of a run that make no sense are refused, all of them in one breath, before anything is read."""

import pytest
from torch import nn

import privet as pv
from privet.errors import BadTraining, BadUsage
from privet.protect.train.gradients import Clipping, plan
from privet.protect.train.gradients._plan_faults import (
    is_positive,
    promise_faults,
    unit_faults,
    weight_faults,
)

MODEL = nn.Linear(3, 2)
RHO = pv.ZeroConcentratedDP("0.5")


def test_faults_are_named_together():
    with pytest.raises(BadTraining) as refusal:
        plan(
            MODEL,
            pv.PureDP(1),
            records=0,
            batch=5,
            unit=pv.Person("id"),
            clipping=Clipping(-1.0, "hard"),
            divisor=0,
        )
    for words in ("ApproxDP", "records", "max_rows=", "steps or noise", "bound", "style", "divisor"):
        assert words in refusal.value.fact


@pytest.mark.parametrize(
    "given",
    [
        {"steps": 0},
        {"steps": 1, "noise_multiplier": 1.0},
        {"noise_multiplier": -1.0},
        {"steps": 1, "batch": 10},
        {"steps": 1, "sampling": "truncated"},
        {"steps": 1, "cut": 7},
        {"steps": 1, "sampling": "truncated", "cut": 2, "batch": 3},
        {"steps": 1, "sampling": "poisson", "batch": 3},
        {"steps": 1, "clipping": Clipping(quantile=1.0)},
        {"steps": 1, "clipping": Clipping(style="adaptive", count_noise=0.0)},
    ],
)
def test_what_makes_no_sense_is_refused(given):
    with pytest.raises(BadTraining):
        plan(MODEL, RHO, **{"records": 9, "batch": 9, "sampling": "full", **given})


def test_a_way_of_sampling_that_there_is_not_is_refused_with_those_there_are():
    with pytest.raises(BadUsage) as said:
        plan(MODEL, RHO, records=9, batch=9, steps=1, sampling="loader")
    assert "'poisson'" in said.value.hint


@pytest.mark.parametrize("bad", [0, -1, float("inf"), float("nan"), True, "1", None])
def test_only_positive_finite_numbers_are_such(bad):
    assert not is_positive(bad)
    assert is_positive(1)
    assert is_positive(1e-9)


def test_promises_and_units_that_sampling_does_not_amplify():
    assert "not amplified" in promise_faults(RHO, "poisson")[0]
    assert "not amplified" in promise_faults(RHO, "truncated")[0]
    assert promise_faults(RHO, "full") == promise_faults(RHO, "shuffled") == []
    assert "ApproxDP" in promise_faults(pv.PureDP(1), "full")[0]
    replaced = pv.Row(pv.Change.REPLACE)
    assert "added or removed" in unit_faults(replaced, "poisson")[0]
    assert "added or removed" in unit_faults(replaced, "truncated")[0]
    assert unit_faults(replaced, "full") == unit_faults(pv.Row(), "poisson") == []


def test_weights_in_coarse_numbers_are_named():
    half = nn.Linear(3, 2).half()
    (fault,) = weight_faults(dict(half.named_parameters()))
    assert "'weight' (2 in all) is kept in torch.float16" in fault
    assert weight_faults(dict(MODEL.named_parameters())) == []
    assert weight_faults(dict(nn.Linear(3, 2).double().named_parameters())) == []
