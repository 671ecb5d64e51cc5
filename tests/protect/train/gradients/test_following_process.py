"""A process that does not lead: does what it is told, and stops where it is told to, or where it finds something."""

import pytest
from tests.protect.train.gradients.runs import data, net, planned

import privet as pv
from privet.errors import BadTraining, InternalError, UnsafeModel
from privet.protect.train.gradients import StepSpeed
from privet.protect.train.gradients import _data_parallel as data_parallel
from privet.protect.train.gradients import _training_run as training_run
from privet.protect.train.gradients._following_process import follow
from privet.protect.train.gradients._process_group import Ranks

SHOWN = {"step": 1, "steps": 4, "epsilon": 0.1, "rate": 0.1, "bound": 1.0, "signal_to_noise": 0.0}
STEP = {"kind": "step", "index": 0, "number": 7, "bound": 1.0, "normalised": False, "sizes": [5]}


class Scripted(Ranks):
    """Says what a first process would; keeps what is sent to it."""

    def told(self):
        return self.script.pop(0)

    def told_values(self, count, kind):
        return data_parallel.torch.arange(count).to(kind)

    def send(self, values):
        self.sent.append(values)


@pytest.fixture
def follower(ledger, monkeypatch):
    kept = []
    monkeypatch.setattr(training_run.Run, "take_steps", lambda self, *_: kept.append(self) or ())
    model = net()
    trained = pv.train_model(
        model, data(), planned(model), ledger=ledger, why="a test", speed=StepSpeed(ranks=True, physical=7)
    )
    monkeypatch.setattr(data_parallel.ParallelSteps, "take_over", lambda self: None)
    (run,) = kept

    def go(*script, refuse_more=lambda: None):
        ranks = Scripted(1, 2)
        begun = {"kind": "begun", "receipt": trained.receipt.to_json()}
        ranks.script, ranks.sent = [begun, *script], []
        run._steps.ranks = ranks
        return follow(run._steps, run._state, run._guard, refuse_more), ranks

    go.model, go.receipt = model, trained.receipt
    return go


def test_it_does_its_share_and_tells_what_anybody_may_see(follower):
    script = [STEP, {}, {"kind": "moved", "shown": SHOWN}, {"kind": "leaving"}, {}, {"kind": "ended"}]
    looked = []
    (receipt, shown), ranks = follower(*script, refuse_more=lambda: looked.append(1))
    assert receipt == follower.receipt
    assert [one.to_json() for one in shown] == [SHOWN]
    assert looked == [1]
    fault, total, norms, losses, fault_at_the_end = ranks.sent
    assert bytes(fault) == bytes(fault_at_the_end) == b"null"
    assert total.dtype.kind == "i"
    assert not total.any(), "one piece, and it is the first process's"
    assert (len(norms), len(losses)) == (0, 0)
    assert ranks.ended


def test_it_stops_where_it_is_told_to(follower):
    with pytest.raises(BadTraining, match="process 0 stopped: E-X no"):
        follower({"kind": "stop", "reason": ["E-X", "no", "hint"]})


def test_it_refuses_to_hand_over_a_sum_when_something_of_the_model_has_changed(follower):
    follower.model.note = "something of the records"
    with pytest.raises(UnsafeModel, match="something new"):
        follower(STEP, {"1": ["", "", ""]})


def test_words_that_it_does_not_know_are_not_guessed(follower):
    with pytest.raises(InternalError):
        follower({"kind": "gradient", "rate": 0.1})
