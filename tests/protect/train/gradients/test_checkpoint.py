"""A run on disk: killed, it goes on to the weights it would have had, under one entry; another is not taken for it."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load, load_file, save
from tests.protect.train.gradients.runs import RHO, data, net, planned
from torch import nn

import privet as pv
from privet.errors import BadTraining, FileProblem, LedgerMismatch, UnsafePath
from privet.mechanism import SecretSeed
from privet.mechanism import _secret_seed as secret_seed
from privet.protect.train.gradients import (
    Clipping,
    Optimizer,
    StepSpeed,
    train_model,
)
from privet.protect.train.gradients._checkpoint import PROBE, RUN, SEED, Folder, require_same, run_digest

# --- killed, and taken up again ----------------------------------------------------------------

SCRIPT = """
import os, signal, sys, torch
from pathlib import Path
from tests.protect.train.gradients.test_checkpoint import go_on
from privet.mechanism import _secret_seed as secret_seed
secret_seed.fresh_bytes = lambda count: bytes(range(count))
torch.set_num_threads(1)
go_on(Path(sys.argv[1]), lambda shown: os.kill(os.getpid(), signal.SIGKILL) if shown.step == 5 else None)
"""


def noisier(x, generator):
    return x + torch.randn(x.shape, generator=generator)


def go_on(folder, progress=None):
    model = net()
    with pv.Ledger(folder / "a.ledger", limit=pv.ZeroConcentratedDP(50), unit=pv.Row()) as ledger:
        train_model(
            model,
            data(),
            planned(model, steps=9, clipping=Clipping(1.0, "adaptive")),
            ledger=ledger,
            why="a test",
            optimizer=Optimizer("adam", rate=0.05, average=0.8, views=2, augment=noisier),
            folder=folder / "run",
            speed=StepSpeed(every=2, physical=25),
            progress=progress,
        )


def kill_at_the_fifth_step(folder):
    root = Path(__file__).resolve().parents[4]
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(folder)],
        cwd=root,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(root), str(root / "src")])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert (folder / "run" / "seed").stat().st_mode & 0o777 == 0o600
    assert json.loads((folder / "run" / "run.json").read_text())["step"] == 4


def test_a_killed_run_goes_on_to_the_same_weights_under_one_entry(tmp_path, monkeypatch):
    """The process that is killed is another; what goes on, and what was never stopped, is this one."""
    monkeypatch.setattr(secret_seed, "fresh_bytes", lambda count: bytes(range(count)))
    results = {}
    for name in ("whole", "killed"):
        folder = tmp_path / name
        folder.mkdir()
        if name == "killed":
            kill_at_the_fifth_step(folder)
        go_on(folder)
        results[name] = load_file(next((folder / "run").glob("state-*.safetensors")))
        assert not (folder / "run" / "seed").exists()
        assert json.loads((folder / "run" / "run.json").read_text())["finished"]
        with pv.Ledger(folder / "a.ledger") as ledger:
            assert ledger.balance().spends == 1
            ledger.verify()
    whole, killed = results["whole"], results["killed"]
    assert whole.keys() == killed.keys()
    assert all(torch.equal(whole[name], killed[name]) for name in whole)


class Stopped(Exception):
    pass


def stop_at(step):
    def progress(shown):
        if shown.step == step:
            raise Stopped

    return progress


@pytest.fixture
def begun(ledger, tmp_path):
    """A run that stopped after three of four steps, its last checkpoint after two."""
    model = net()
    made = planned(model)

    def go(data=data(), made=made, model=model, **given):  # noqa: B008
        settings = {
            "optimizer": Optimizer(),
            "speed": StepSpeed(every=2),
            "folder": tmp_path / "run",
            **given,
        }
        return train_model(model, data, made, ledger=settings.pop("ledger", ledger), why="a test", **settings)

    with pytest.raises(Stopped):
        go(progress=stop_at(3))
    return go


def test_a_stopped_run_pays_once_and_can_be_taken_up_by_a_fresh_model(begun, ledger, tmp_path):
    trained = begun(model=net())
    assert [one.step for one in trained.progress] == [3, 4]
    assert ledger.balance().spends == 1
    with pytest.raises(BadTraining, match="finished"):
        begun()
    assert ledger.balance().spends == 1


def test_another_run_is_not_taken_for_the_one_begun(begun, ledger, tmp_path):
    x, y = data()
    x[0, 0] += 1e-3
    others = {
        "data": {"data": (x, y)},
        "plan": {"made": planned(net(), clipping=2.0)},
        "optimizer": {"optimizer": Optimizer(rate=0.2)},
        "speed": {"speed": StepSpeed(every=2, physical=5)},
        "loss": {"loss": lambda out, y: nn.functional.cross_entropy(out, y, reduction="none")},
    }
    for name, given in others.items():
        with pytest.raises(BadTraining, match=name):
            begun(**given)
    with (
        pv.Ledger(tmp_path / "b.ledger", limit=RHO, unit=pv.Row()) as elsewhere,
        pytest.raises(LedgerMismatch),
    ):
        begun(ledger=elsewhere)
    assert ledger.balance().spends == 1
    (tmp_path / "run" / "seed").unlink()
    with pytest.raises(FileProblem):
        begun()


def test_another_computation_under_the_same_noise_is_refused(ledger, tmp_path):
    """The same names for another loss, another augmentation, other frozen weights: their difference would be exact."""

    def loss_of(scale):
        return lambda out, y: scale * nn.functional.cross_entropy(out, y, reduction="none")

    def optimizer_of(shift):
        return Optimizer(augment=lambda x, _: x + shift)

    def frozen(seed):
        torch.manual_seed(seed)
        return nn.Sequential(nn.Linear(6, 8).requires_grad_(False), nn.Tanh(), nn.Linear(8, 3))

    def go(**given):
        settings = {"loss": loss_of(1.0), "optimizer": optimizer_of(0.0), "model": frozen(0), **given}
        model = settings.pop("model")
        return train_model(
            model, data(), planned(model), ledger=ledger, why="a test", folder=tmp_path / "run", **settings
        )

    with pytest.raises(Stopped):
        go(progress=stop_at(3))
    probe = tmp_path / "run" / "probe"
    assert probe.stat().st_mode & 0o777 == 0o600
    for other in ({"loss": loss_of(1.01)}, {"optimizer": optimizer_of(0.1)}):
        with pytest.raises(BadTraining, match="computes something else"):
            go(**other)
    with pytest.raises(BadTraining, match="untrained"):
        go(model=frozen(1))
    changed = frozen(0)
    changed[1] = nn.ReLU()
    with pytest.raises(BadTraining, match="computes something else"):
        go(model=changed)
    go()
    assert not probe.exists()
    assert ledger.balance().spends == 1


def test_secrets_that_a_kill_left_behind_go_when_the_folder_is_opened_again(begun, tmp_path):
    begun()
    (tmp_path / "run" / "seed").write_bytes(bytes(32))
    with pytest.raises(BadTraining, match="finished"):
        begun()
    assert not (tmp_path / "run" / "seed").exists()


def test_a_run_killed_between_booking_and_noting_it_does_not_pay_again(begun, ledger, tmp_path):
    path = tmp_path / "run" / "run.json"
    record = json.loads(path.read_text())
    path.write_text(json.dumps({**record, "receipt": None}))
    begun()
    assert ledger.balance().spends == 1


@pytest.mark.parametrize("how", ["other weights", "another run's", "link", "pipe"])
def test_weights_that_this_run_never_had_are_refused_before_they_are_parsed(begun, ledger, tmp_path, how):
    """The noise of the steps that were taken before would be that of a gradient at other weights, and their difference exact."""
    (state,) = (tmp_path / "run").glob("state-*.safetensors")
    kept = state.read_bytes()
    state.unlink()
    if how == "pipe":
        os.mkfifo(state)
    elif how == "link":
        (tmp_path / "kept").write_bytes(kept)
        state.symlink_to(tmp_path / "kept")
    elif how == "other weights":
        state.write_bytes(save({name: value + 1 for name, value in load(kept).items()}))
    else:
        folder = Folder(tmp_path / "other")
        folder.begin(SecretSeed.fresh(), [])
        folder.save({}, None, 2, load(kept))
        text = json.loads((tmp_path / "run" / RUN).read_text())
        other = json.loads((tmp_path / "other" / RUN).read_text())
        (tmp_path / "run" / RUN).write_text(json.dumps({**text, "state": other["state"]}))
        state.write_bytes(kept)
    with pytest.raises(UnsafePath if how in ("link", "pipe") else BadTraining):
        begun(model=net())
    assert ledger.balance().spends == 1


def test_a_folder_with_something_else_in_it_is_refused(ledger, tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.json").write_text("{}")
    model = net()
    with pytest.raises(FileProblem):
        train_model(model, data(), planned(model), ledger=ledger, why="a test", folder=tmp_path / "run")


def test_what_differs_between_two_runs_is_named():
    require_same({"a": 1, "b": [2]}, {"b": [2], "a": 1})
    with pytest.raises(BadTraining, match="batch, seed differ") as refused:
        require_same({"batch": 3, "same": 1}, {"batch": 4, "same": 1, "seed": "x"})
    assert refused.value.details["differing"] == ["batch", "seed"]


def test_a_digest_is_of_contents_and_not_of_their_order():
    assert run_digest({"a": 1, "b": 2}) == run_digest({"b": 2, "a": 1})
    assert run_digest({"a": 1}) != run_digest({"a": "1"})


def test_a_folder_keeps_the_last_state_and_destroys_its_secrets_at_the_end(tmp_path):
    folder = Folder(tmp_path / "run")
    assert folder.begun() is None
    folder.begin(SecretSeed.fresh(), [1.5, 2.5])
    assert folder.probed() == [1.5, 2.5]  # exact: read back as it was given
    for secret in (SEED, PROBE):
        assert (folder.path / secret).stat().st_mode & 0o077 == 0, "its owner's alone"
    for step in (1, 2):
        folder.save({"plan": "p"}, None, step, {"w": torch.full((2,), float(step))})
    assert len(list(folder.path.glob("state-*"))) == 1
    begun = folder.begun()
    assert (begun.step, begun.finished, begun.record) == (2, False, {"plan": "p"})
    assert folder.load(begun)["w"].tolist() == [2, 2]
    with pytest.raises(FileProblem):
        folder.load(replace(begun, step=1))
    folder.forget()
    assert not (folder.path / SEED).exists()
    with pytest.raises(FileProblem, match="cannot be read"):
        folder.probed()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"schema": 2}',
        '{"schema": 1, "record": {}, "receipt": null}',
        '{"schema": 1, "record": 3, "receipt": null, "step": 1, "finished": false}',
    ],
)
def test_a_record_that_is_none_is_refused(text, tmp_path):
    (tmp_path / RUN).write_text(text)
    with pytest.raises(FileProblem, match="not the record of a run"):
        Folder(tmp_path).begun()
