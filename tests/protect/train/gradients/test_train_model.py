"""The loop: exactly what was planned and paid for, whatever batches, crashes and broken records do to it."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from tests.protect.train.gradients.models import llama, seeded
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import privet as pv
from privet.errors import BadTraining, BadUsage, BudgetExceeded, FileProblem, LedgerMismatch, UnsafeModel
from privet.mechanism import _gradient_noise as gradient_noise
from privet.mechanism import _secret_seed as secret_seed
from privet.protect.train.gradients import (
    Clipping,
    Optimizer,
    StepSpeed,
    plan,
    train_model,
)

RHO = pv.ZeroConcentratedDP("0.5")
N = 60


@pytest.fixture
def ledger(tmp_path):
    with pv.Ledger(tmp_path / "a.ledger", limit=pv.ZeroConcentratedDP(50), unit=pv.Row()) as opened:
        yield opened


@pytest.fixture
def still(monkeypatch):
    """No noise, so that the arithmetic can be followed."""

    def noised(sums, sigma, generator):
        drawn.append((len(sums), sigma))
        return tuple(np.asarray(one, dtype=np.float64).copy() for one in sums)

    drawn = []
    monkeypatch.setattr(gradient_noise, "noised", noised)
    return drawn


def data(n=N, seed=0):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 6, generator=generator)
    return x, (x[:, :3] + 0.1).argmax(1)


def net():
    return seeded(lambda: nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 3)))


def planned(model, **given):
    settings = {"records": N, "batch": N, "steps": 4, "sampling": "full", **given}
    return plan(model, given.pop("promise", RHO), **{k: v for k, v in settings.items() if k != "promise"})


def test_without_noise_it_is_clipped_gradient_descent(ledger, still):
    x, y = data()
    model, twin = net(), net()
    made = planned(model, clipping=0.3, divisor=50.0, steps=3)
    trained = train_model(
        model, (x, y), made, ledger=ledger, why="a test", optimizer=Optimizer(rate=0.5, momentum=0.0)
    )
    for _ in range(3):
        total = [torch.zeros_like(weight) for weight in twin.parameters()]
        for i in range(N):
            loss = nn.functional.cross_entropy(twin(x[i : i + 1]), y[i : i + 1])
            grads = torch.autograd.grad(loss, list(twin.parameters()))
            norm = torch.stack([grad.square().sum() for grad in grads]).sum().sqrt()
            for one, grad in zip(total, grads, strict=True):
                one.add_(grad * min(1.0, 0.3 / float(norm)))
        with torch.no_grad():
            for weight, one in zip(twin.parameters(), total, strict=True):
                weight.sub_(0.5 * one / 50)
    for name, weight in twin.named_parameters():
        torch.testing.assert_close(trained.weights()[name], weight.detach(), rtol=1e-4, atol=1e-6)
    expected = float(made.noise_multiplier) * 0.3
    assert [count for count, _ in still] == [1, 1, 1]  # all weights in one sum
    assert all(expected <= sigma <= expected * 1.002 for _, sigma in still)


def test_physical_batches_change_nothing(ledger, still):
    weights = []
    for physical in (7, 1000):
        model = net()
        train_model(
            model,
            data(),
            planned(model),
            ledger=ledger,
            why="a test",
            speed=StepSpeed(physical=physical),
        )
        weights.append(torch.cat([weight.detach().flatten() for weight in model.parameters()]))
    torch.testing.assert_close(*weights, rtol=1e-5, atol=1e-6)


def test_one_booking_with_the_plans_event_and_unit(ledger):
    model = net()
    made = planned(model)
    trained = train_model(model, data(), made, ledger=ledger, why="a test")
    entries = [entry for entry in ledger.history() if entry.kind == "spend"]
    assert [entry.body["event"] for entry in entries] == [made.event.to_json()]
    assert trained.receipt.entry == entries[0].number
    assert trained.receipt.cost == {"rho": "0.5", "delta": "0"}
    assert trained.engine == "bookkeeping"
    ledger.verify([trained.receipt])


def test_nothing_is_trained_beyond_the_budget(tmp_path):
    model = net()
    before = model[0].weight.clone()
    with (
        pv.Ledger(tmp_path / "b.ledger", limit=pv.ZeroConcentratedDP("0.1"), unit=pv.Row()) as small,
        pytest.raises(BudgetExceeded),
    ):
        train_model(model, data(), planned(model), ledger=small, why="a test")
    assert torch.equal(model[0].weight, before)


def test_progress_is_for_anybody_and_the_owners_view_is_not(ledger):
    model, shown, own = net(), [], []
    made = planned(model, steps=5)
    trained = train_model(
        model,
        data(),
        made,
        ledger=ledger,
        why="a test",
        progress=shown.append,
        owner=own.append,
        optimizer=Optimizer(rate=1.0, schedule="linear", warmup=2),
    )
    assert [one.step for one in shown] == [1, 2, 3, 4, 5]
    assert [one.rate for one in shown] == pytest.approx([0.5, 1.0, 1.0, 2 / 3, 1 / 3])
    losses = [one.epsilon for one in shown]
    assert losses == sorted(losses)
    assert 0 < losses[0] < losses[-1]
    assert losses[-1] == pytest.approx(made.epsilon_after(5))
    assert tuple(shown) == trained.progress
    assert not {"loss", "examples", "clipped_share"} & set(shown[0].to_json())
    assert all(one.examples == N and 0 <= one.clipped_share <= 1 and one.left_out == 0 for one in own)


def test_an_empty_batch_is_noised_and_counted(ledger, monkeypatch):
    monkeypatch.setattr(
        gradient_noise, "included", lambda shape, seed, step, size: np.zeros(size, dtype=np.bool_)
    )
    model, own = net(), []
    before = model[0].weight.detach().clone()
    trained = train_model(
        model,
        data(),
        planned(model),
        ledger=ledger,
        why="a test",
        owner=own.append,
        optimizer=Optimizer(rate=1.0),
    )
    assert [one.examples for one in own] == [0] * 4
    assert len(trained.progress) == 4
    assert not torch.equal(model[0].weight, before)
    assert torch.isfinite(model[0].weight).all()


def test_records_that_are_not_numbers_harm_nobody(ledger, still):
    x, y = data()
    broken = x.clone()
    broken[20] = float("nan")
    own = []
    models = [net(), net()]
    for model, inputs, targets in (
        (models[0], broken, y),
        (models[1], torch.cat([x[:20], x[21:]]), torch.cat([y[:20], y[21:]])),
    ):
        train_model(model, (inputs, targets), planned(model), ledger=ledger, why="a test", owner=own.append)
    assert [one.left_out for one in own] == [1] * 4 + [0] * 4
    torch.testing.assert_close(models[0][0].weight, models[1][0].weight, rtol=1e-4, atol=1e-6)


def test_removing_one_record_moves_no_sum_by_more_than_the_bound(ledger, monkeypatch):
    """The neighbour test: the same batches and weights with and without a record, however extreme."""
    x, y = data()
    x[3] *= 1e6
    sums = {}
    for name, keep in (("with", slice(None)), ("without", [i for i in range(N) if i != 3])):
        first = []
        monkeypatch.setattr(
            gradient_noise,
            "noised",
            lambda values, sigma, generator, first=first: (
                first.append([v.copy() for v in values]) or tuple(np.zeros(v.shape) for v in values)
            ),
        )
        model = net()
        train_model(
            model, (x[keep], y[keep]), planned(model, clipping=0.25, steps=1), ledger=ledger, why="a test"
        )
        sums[name] = np.concatenate([value.ravel() for value in first[0]])
    assert np.linalg.norm(sums["with"] - sums["without"]) <= 0.25 * (1 + 1e-5)


def test_the_noise_on_the_weights_has_the_planned_deviation(ledger):
    """Two-sided, on 24,000 weights without data behind them; false-alarm rate below 1e-9 (chi-square, 8 sigma)."""
    model = nn.Linear(6, 4000)
    made = planned(model, steps=1, clipping=0.5, divisor=10.0)
    before = model.weight.detach().clone()
    flat = torch.zeros(N, 6), torch.zeros(N, dtype=torch.long)
    train_model(
        model,
        flat,
        made,
        ledger=ledger,
        why="a test",
        loss=lambda out, _: out.sum(1) * 1e-9,
        optimizer=Optimizer(rate=1.0, momentum=0.0),
    )
    found = float((model.weight.detach() - before).std()) * 10.0 / 0.5
    sigma = float(made.noise_multiplier)
    assert sigma * (1 - 0.037) < found < sigma * (1.001 + 0.037)


def test_adaptive_clipping_moves_the_bound_by_a_noisy_count(ledger):
    model, shown = net(), []
    made = planned(model, steps=12, clipping=Clipping(100.0, "adaptive", pace=0.5, quantile=0.5))
    train_model(model, data(), made, ledger=ledger, why="a test", progress=shown.append)
    bounds = [one.bound for one in shown]
    assert bounds[0] == 100
    assert bounds[-1] < 60
    assert len(set(bounds)) == 12


def test_automatic_clipping_and_a_moving_average(ledger, still):
    x, y = data()
    model, twin = net(), net()
    optimizer = Optimizer(rate=0.5, momentum=0.0, average=0.9)
    made = planned(model, clipping=Clipping(1.0, "automatic"), steps=3)
    train_model(model, (x, y), made, ledger=ledger, why="a test", optimizer=optimizer)
    iterates = []
    for steps in (1, 2, 3):
        twin = net()
        short = planned(twin, clipping=Clipping(1.0, "automatic"), steps=steps)
        train_model(
            twin, (x, y), short, ledger=ledger, why="a test", optimizer=Optimizer(rate=0.5, momentum=0.0)
        )
        iterates.append(twin[0].weight.detach())
    shares = np.array([0.9**2, 0.9, 1]) * 0.1 / (1 - 0.9**3)
    wanted = sum(float(share) * one for share, one in zip(shares, iterates, strict=True))
    torch.testing.assert_close(model[0].weight.detach(), wanted, rtol=1e-4, atol=1e-6)


def test_augmented_views_are_drawn_from_the_runs_own_seed(ledger, monkeypatch):
    def jitter(inputs, generator):
        return inputs + 0.1 * torch.randn(inputs.shape, generator=generator)

    weights = []
    for _ in range(2):
        monkeypatch.setattr("privet.mechanism._secret_seed.fresh_bytes", lambda count: bytes(range(count)))
        torch.manual_seed(len(weights))
        model = net()
        optimizer = Optimizer(views=3, augment=jitter)
        train_model(model, data(), planned(model, steps=2), ledger=ledger, why="a test", optimizer=optimizer)
        weights.append(model[0].weight.detach())
    assert torch.equal(*weights)


def test_shuffled_batches_hold_every_record_once_an_epoch(ledger):
    own = []
    model = net()
    made = planned(model, batch=20, steps=6, sampling="shuffled")
    train_model(model, data(), made, ledger=ledger, why="a test", owner=own.append)
    assert [sum(one.examples for one in own[i : i + 3]) for i in (0, 3)] == [N, N]
    assert ledger.balance().spends == 1


def test_a_loader_is_refused_with_the_reason_and_a_data_set_taken(ledger):
    model = net()
    made = planned(model)
    with pytest.raises(BadTraining, match="DataLoader"):
        train_model(model, DataLoader(TensorDataset(*data()), 10), made, ledger=ledger, why="a test")
    for other in (data()[0], 3, {"x": 1}, (data()[0], data(7)[1]), (torch.zeros(0, 6), torch.zeros(0))):
        with pytest.raises(BadTraining):
            train_model(model, other, made, ledger=ledger, why="a test")
    assert ledger.balance().spends == 0
    train_model(model, TensorDataset(*data()), made, ledger=ledger, why="a test")
    assert ledger.balance().spends == 1


def test_another_model_than_the_plans_is_refused_and_an_unsafe_one_before_it_is_booked(ledger):
    with pytest.raises(BadTraining, match="other parameters"):
        train_model(nn.Linear(6, 3), data(), planned(net()), ledger=ledger, why="a test")
    model = nn.Sequential(nn.Linear(6, 3), nn.Identity())
    made = planned(model)
    model[1].forward = lambda x: x - x.mean(0)
    with pytest.raises(UnsafeModel):
        train_model(model, data(), made, ledger=ledger, why="a test")
    assert ledger.balance().spends == 0


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_lora_trains_the_adapters_and_nothing_else(ledger):
    from peft import LoraConfig, get_peft_model

    base = seeded(lambda: llama(tied=True))
    model = get_peft_model(base, LoraConfig(r=2, target_modules=["q_proj", "v_proj"]))
    before = {name: value.detach().clone() for name, value in model.named_parameters()}
    ids = torch.randint(0, 23, (12, 7), generator=torch.Generator().manual_seed(0))
    made = planned(model, records=12, batch=12, steps=2)
    trained = train_model(
        model,
        ({"input_ids": ids}, ids),
        made,
        ledger=ledger,
        why="a test",
        loss="language",
        optimizer=Optimizer("adam", rate=0.01),
    )
    moved = {name for name, value in model.named_parameters() if not torch.equal(value, before[name])}
    assert moved == set(trained.weights())
    assert all("lora" in name for name in moved)


# --- killed, and taken up again ----------------------------------------------------------------

SCRIPT = """
import os, signal, sys, torch
from pathlib import Path
from tests.protect.train.gradients.test_train_model import go_on
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


def test_many_pieces_of_a_batch_are_added_without_loss(ledger, monkeypatch):
    """Adding in 32 bits would lose some of a small gradient against a large sum."""
    kinds = []
    monkeypatch.setattr(
        gradient_noise,
        "noised",
        lambda values, sigma, generator: (
            kinds.extend(value.dtype for value in values) or tuple(np.zeros(v.shape) for v in values)
        ),
    )
    model = net()
    train_model(
        model, data(), planned(model, steps=1), ledger=ledger, why="a test", speed=StepSpeed(physical=9)
    )
    assert set(kinds) == {np.dtype("float64")}


def test_a_run_killed_between_booking_and_noting_it_does_not_pay_again(begun, ledger, tmp_path):
    path = tmp_path / "run" / "run.json"
    record = json.loads(path.read_text())
    path.write_text(json.dumps({**record, "receipt": None}))
    begun()
    assert ledger.balance().spends == 1


def test_a_folder_with_something_else_in_it_is_refused(ledger, tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.json").write_text("{}")
    model = net()
    with pytest.raises(FileProblem):
        train_model(model, data(), planned(model), ledger=ledger, why="a test", folder=tmp_path / "run")


@pytest.mark.parametrize(
    "given",
    [
        {"optimizer": "lion"},
        {"schedule": "steps"},
        {"rate": 0},
        {"momentum": 1.0},
        {"average": 1.0},
        {"views": 2},
        {"views": 0},
    ],
)
def test_a_course_that_makes_no_sense_is_refused(given):
    with pytest.raises((BadTraining, BadUsage)):
        Optimizer(**given)


@pytest.mark.parametrize("given", [{"physical": 0}, {"every": 0}, {"threads": 0}, {"engine": "fast"}])
def test_a_speed_that_makes_no_sense_is_refused(given):
    with pytest.raises((BadTraining, BadUsage)):
        StepSpeed(**given)
