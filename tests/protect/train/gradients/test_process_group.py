"""Processes of a run: one that is killed or silent stops all, and the run goes on with fewer; messages arrive as they were sent."""

import queue
import threading

import numpy as np
import pytest
import torch
import torch.distributed as dist
from safetensors.torch import load_file
from tests.protect.train.gradients import ranked_runs
from torch import nn

import privet as pv
from privet.errors import BadTraining, ProcessLost
from privet.protect.train.gradients import StepSpeed
from privet.protect.train.gradients._process_group import (
    Ranks,
    all_or_none,
    ranks_of,
    refuse_wrapped,
    stop_of,
)

# --- killed and silent processes ---------------------------------------------------------------


@pytest.fixture(scope="module")
def gone(tmp_path_factory):
    place = tmp_path_factory.mktemp("gone")
    return place, ranked_runs.started(place, "silent", "killed")


def test_a_silent_process_is_waited_for_no_longer_than_was_said(gone):
    first, second = gone[1]
    assert second is None, "it was killed afterwards"
    assert first["silent"]["refused"] == "ProcessLost"
    assert first["silent"]["seconds"] < ranked_runs.PATIENCE


def test_a_run_whose_process_was_killed_goes_on_with_fewer_to_the_same_weights(gone, tmp_path, monkeypatch):
    monkeypatch.setattr(ranked_runs.secret_seed, "fresh_bytes", lambda count: bytes(range(count)))
    place, (first, _) = gone
    assert first["killed"]["refused"] == "ProcessLost"
    assert first["killed"]["seconds"] < ranked_runs.PATIENCE
    held = place / "interrupted" / "run"
    assert [one.name for one in held.glob("state-*")] == ["state-00000004.safetensors"]
    results = []
    for where in (place, tmp_path):
        _, spends = ranked_runs.goes_on(where, 0)
        assert spends == 1
        results.append(load_file(next((where / "interrupted" / "run").glob("state-*.safetensors"))))
    assert results[0].keys() == results[1].keys()
    assert all(torch.equal(results[0][name], results[1][name]) for name in results[0])
    with pv.Ledger(place / "interrupted" / "a.ledger") as ledger:
        ledger.verify()


# --- messages ----------------------------------------------------------------------------------


class Threaded(Ranks):
    """Processes that are threads, and queues between them."""

    def _broadcast(self, values):
        if not len(values):
            return values
        if self.leads:
            for other in range(1, self.count):
                self.ways[0, other].put(values.clone())
            return values
        values.copy_(self.ways[0, self.number].get(timeout=20))
        return values

    def send(self, values):
        self.ways[self.number, 0].put(values.copy())

    def received(self, number, kind):
        return self.ways[number, 0].get(timeout=20)


def in_threads(count, what):
    ways = {(a, b): queue.Queue() for a in range(count) for b in range(count)}
    found = [None] * count

    def one(number):
        ranks = Threaded(number, count)
        ranks.ways = ways
        try:
            found[number] = what(ranks)
        except Exception as problem:  # noqa: BLE001 -- whatever it is, the test looks at it
            found[number] = problem

    threads = [threading.Thread(target=one, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    return found


def test_messages_bytes_and_values_arrive_as_they_were():
    def talk(ranks):
        if ranks.leads:
            ranks.tell({"a": [1, 0.1], "b": None})
            ranks.tell_bytes(b"")
            ranks.tell_values(torch.tensor([0.1, 7.0], dtype=torch.float64))
            return [list(ranks.received(other, torch.int64)) for other in (1, 2)]
        found = ranks.told(), ranks.told_bytes(), ranks.told_values(2, torch.float64).tolist()
        ranks.send(np.array([ranks.number, 5]))
        return found

    told = ({"a": [1, 0.1], "b": None}, b"", [0.1, 7.0])
    assert in_threads(3, talk) == [[[1, 5], [2, 5]], told, told]


def test_what_one_refuses_all_refuse_by_its_reason_and_foreign_errors_are_told_by_name_alone():
    def refuse(ranks):
        with ranks.together():
            if ranks.number == 1:
                raise BadTraining("the bound is odd.", "Make it even.")
            if ranks.number == 2:
                raise KeyError("patient 7")

    first, second, third = in_threads(3, refuse)
    assert (first.fact, first.hint) == ("process 1 stopped: E-TRAIN-001 the bound is odd.", "Make it even.")
    assert second.fact == "the bound is odd."
    assert isinstance(third, KeyError)

    def foreign(ranks):
        with ranks.together():
            if ranks.number == 1:
                raise KeyError("patient 7")

    first, _ = in_threads(2, foreign)
    assert first.fact == "process 1 stopped: it failed with KeyError."
    assert "patient" not in str(first)


def test_all_go_on_where_none_refuses():
    def agree(ranks):
        with ranks.together():
            pass
        return ranks.ended

    assert in_threads(3, agree) == [False] * 3


def test_whatever_stops_the_first_is_told_to_the_others_once():
    def stop(ranks):
        if ranks.leads:
            with ranks.stopping_all(), ranks.stopping_all():
                raise BadTraining("no.", "Why?")
        return stop_of(ranks.told()), ranks.ways[0, 1].qsize()

    _, (told, left) = in_threads(2, stop)
    assert (told.fact, told.hint, left) == ("process 0 stopped: E-TRAIN-001 no.", "Why?", 0)


def test_a_process_that_was_lost_is_not_talked_to_any_more():
    ranks = Ranks(0, 2)
    with pytest.raises(ProcessLost), ranks.stopping_all(), ranks.together():
        raise ProcessLost("gone.")


def test_what_torch_says_of_a_broken_group_is_told_as_a_process_lost(monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("Connection closed by peer")

    monkeypatch.setattr(dist, "broadcast", broken)
    with pytest.raises(ProcessLost, match="gone, or did not answer"):
        Ranks(0, 2).tell({})


# --- which processes there are -----------------------------------------------------------------


def test_one_process_is_a_run_of_one_and_is_none_where_ranks_were_not_asked_for():
    with ranks_of(StepSpeed()) as ranks, all_or_none(ranks):
        assert ranks is None
    with ranks_of(StepSpeed(ranks=True)) as ranks:
        assert (ranks.number, ranks.count, ranks.leads) == (0, 1, True)


def test_processes_that_were_started_together_do_not_each_train_alone(monkeypatch):
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "none")
    monkeypatch.setenv("WORLD_SIZE", "4")
    with pytest.raises(BadTraining, match="4 processes were started together"), ranks_of(StepSpeed()):
        pass


def test_a_group_of_its_own_is_made_and_taken_down():
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    try:
        with ranks_of(StepSpeed(ranks=True)) as ranks:
            assert ranks.group is not None
            ranks.tell({"nobody": "listens"})
        assert dist.is_initialized()
    finally:
        dist.destroy_process_group()


def test_a_model_that_is_spread_by_others_is_refused():
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    try:
        with pytest.raises(BadTraining, match="by DistributedDataParallel"):
            refuse_wrapped(nn.parallel.DistributedDataParallel(nn.Linear(2, 2)))
    finally:
        dist.destroy_process_group()
    with pytest.raises(BadTraining, match="by DataParallel"):
        refuse_wrapped(nn.Sequential(nn.DataParallel(nn.Linear(2, 2))))
    refuse_wrapped(nn.Linear(2, 2))


def test_weights_that_are_cut_up_are_refused():
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    try:
        model = nn.Linear(2, 2)
        fully_shard(model, mesh=init_device_mesh("cpu", (1,)))
        with pytest.raises(BadTraining, match="spread over processes"):
            refuse_wrapped(model)
    finally:
        dist.destroy_process_group()
