"""Two real processes give the weights of one, book once, and refuse together; a share that is false is not believed."""

import functools
import operator

import numpy as np
import pytest
import torch
from tests.protect.train.gradients import ranked_runs
from tests.protect.train.gradients.runs import data, net, planned

import privet as pv
from privet.errors import UnsafeModel
from privet.protect.train.gradients import Optimizer, StepSpeed
from privet.protect.train.gradients._data_parallel import DealtStep, ParallelSteps, Share
from privet.protect.train.gradients._grid_sums import grid_of
from privet.protect.train.gradients._process_group import Ranks
from privet.protect.train.gradients.clipping import ClippingRule

SAME = ("flat", "adaptive", "sharded", "people", "correlated", "banded")
UNBOOKED = {
    "other_data": "the records, their order",
    "other_plan": "plan",
    "other_seed": "the weights that the model begins with",
    "other_code": "what the model, the loss or the augmentation computes",
    "other_records_in_one": "targets lie outside",
    "no_room": "leaves some of the 2 processes without any",
    "each_alone": "each would train a model of its own",
    "poor": "this needs 60",
}
STOPPED = {
    "lying": "it is longer than its clipped records can make it",
    "unclipped": "it is not what this process computes",
    "leader_fails": "it failed with KeyError",
}


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """What two processes made of every scenario, and where."""
    place = tmp_path_factory.mktemp("two")
    return place, ranked_runs.started(place, *SAME, *UNBOOKED, *STOPPED)


@pytest.fixture(autouse=True)
def own_seed(monkeypatch):
    """Scenarios that run in this process set it as well; afterwards it is as before."""
    monkeypatch.setattr(ranked_runs.secret_seed, "fresh_bytes", ranked_runs.secret_seed.fresh_bytes)


@pytest.mark.parametrize("name", SAME)
def test_two_processes_give_the_weights_of_one_to_the_bit(name, both, tmp_path):
    alone = getattr(ranked_runs, name)(tmp_path, 0)
    for found in (one[name] for one in both[1]):
        assert found["weights"] == alone["weights"]
        assert found["shown"] == alone["shown"]
        assert (found["spends"], found["entry"]) == (1, alone["entry"])
    assert both[1][0][name].get("examples") == alone.get("examples")


def test_it_is_the_run_of_an_ordinary_process_up_to_the_order_of_sums(both, tmp_path):
    place = tmp_path / "plain"
    plain, _ = ranked_runs.run(
        place, settings=Optimizer("adamw", rate=0.05, decay=0.1, average=0.9), speed=StepSpeed(physical=8)
    )
    np.testing.assert_allclose(
        both[1][1]["sharded"]["weights"], ranked_runs.weights(plain), rtol=1e-4, atol=1e-6
    )


def test_correlated_noise_of_two_processes_is_that_of_an_ordinary_one(both, tmp_path):
    planning = {"steps": 9, "batch": 20, "sampling": "epochs", "noise": "correlated"}
    plain, _ = ranked_runs.run(tmp_path / "plain", planning=planning, speed=StepSpeed(physical=8))
    found = both[1][1]["correlated"]["weights"]
    np.testing.assert_allclose(found, ranked_runs.weights(plain), rtol=1e-4, atol=1e-5)
    independent = {**planning, "noise": "independent"}
    other, _ = ranked_runs.run(tmp_path / "other", planning=independent, speed=StepSpeed(physical=8))
    assert np.abs(np.subtract(found, ranked_runs.weights(other))).max() > 0.01


@pytest.mark.parametrize("name", UNBOOKED)
def test_what_one_process_refuses_all_refuse_and_nothing_is_booked(name, both):
    place, found = both
    assert all(UNBOOKED[name] in one[name]["fact"] for one in found)
    with pv.Ledger(place / name.replace("_in_one", "") / "a.ledger") as ledger:
        assert ledger.balance().spends == 0


@pytest.mark.parametrize("name", STOPPED)
def test_a_run_that_stops_in_one_process_stops_in_all(name, both):
    first, second = (one[name] for one in both[1])
    assert "refused" in first
    assert STOPPED[name] in second["fact"]
    assert max(first["seconds"], second["seconds"]) < ranked_runs.PATIENCE, "nobody waited in vain"


# --- the parts, in one process -----------------------------------------------------------------


@pytest.fixture
def steps(ledger, monkeypatch):
    """The steps of a run of one process, as far as its booking."""
    from privet.protect.train.gradients import _training_run as training_run

    kept = []
    monkeypatch.setattr(training_run.Run, "take_steps", lambda self, *_: kept.append(self._steps) or ())
    model = net()
    speed = StepSpeed(ranks=True, physical=7)
    pv.train_model(model, data(), planned(model), ledger=ledger, why="a test", speed=speed)
    (found,) = kept
    assert type(found) is ParallelSteps
    return found


def dealt_to(steps, units, index=0):
    pieces = list(steps.pipeline.pieces(np.arange(units), steps.physical))
    return DealtStep(index, 77, ClippingRule(1.0), pieces)


def test_shares_of_any_number_of_processes_add_up_to_the_same_whole_numbers(steps):
    dealt, totals = dealt_to(steps, 40), []
    for count in (1, 2, 3, 5, 9):
        steps.ranks = Ranks(0, count)
        totals.append(sum(steps.share(dealt, number).total for number in range(count)))
    assert all(np.array_equal(total, totals[0]) for total in totals)
    assert totals[0].dtype == np.int64
    steps.ranks = Ranks(0, 9)
    assert not steps.share(dealt, 8).total.any(), "six pieces: nothing for the ninth process"


def test_pieces_are_dealt_out_once_each(steps):
    dealt = dealt_to(steps, 40)
    held = [dealt.of(number, 4) for number in range(4)]
    assert sorted(functools.reduce(operator.iadd, held, [])) == list(range(6))


def test_a_share_is_believed_only_if_its_records_can_make_it(steps):
    dealt = dealt_to(steps, 40)
    steps.ranks = Ranks(0, 2)
    own, grid = steps.share(dealt, 1), grid_of(1.0, steps.records)
    examples = len(own.norms)
    steps._refuse_false(own, dealt, 1, grid, examples, secret=1)
    longest = np.zeros_like(own.total)
    longest[0] = int(examples / grid)
    steps._refuse_false(Share(longest, own.norms, own.losses), dealt, 1, grid, examples, secret=64)
    for wrong, words in (
        (Share(longest + longest // 100, own.norms, own.losses), "longer than its clipped records"),
        (Share(own.total[:-1], own.norms, own.losses), "not of the records"),
        (Share(own.total, own.norms[:-1], own.losses), "not of the records"),
    ):
        with pytest.raises(UnsafeModel, match=words):
            steps._refuse_false(wrong, dealt, 1, grid, examples, secret=64)
    with pytest.raises(UnsafeModel, match="not what this process computes"):
        steps._refuse_false(Share(longest, own.norms, own.losses), dealt, 1, grid, examples, secret=0)


def test_every_share_is_compared_now_and_then_and_when_it_is_due(steps):
    steps.ranks = Ranks(0, 4)
    found = {
        other: sum(steps._is_compared(0, other, secret * 64) for secret in range(192)) for other in (1, 2, 3)
    }
    assert found == {1: 1, 2: 1, 3: 1}, "each of three, once in 192 steps: one of them once in 64"
    assert [other for other in (1, 2, 3) if steps._is_compared(3, other, 5 * 64)] == [3]


def test_weights_are_handed_out_to_the_bit(steps, monkeypatch):
    sent = []
    monkeypatch.setattr(Ranks, "tell_values", lambda self, values: sent.append(values.clone()))
    monkeypatch.setattr(Ranks, "told_values", lambda self, count, kind: sent[0])
    steps.ranks = Ranks(0, 2)
    before = {name: weight.detach().clone() for name, weight in steps.trained.items()}
    steps.hand_out()
    with torch.no_grad():
        for weight in steps.trained.values():
            weight.zero_()
    steps.take_over()
    assert all(torch.equal(weight, before[name]) for name, weight in steps.trained.items())
