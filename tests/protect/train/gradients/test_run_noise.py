"""Where a run's noise comes from: independent draws, or a stream of correlated noise with the plan's own strategy."""

import numpy as np
import pytest
import torch
from tests.protect.train.gradients.runs import data, net, planned

import privet as pv
from privet.errors import BadTraining, PermitMismatch
from privet.mechanism import CorrelatedStream, NoiseStream, SecretSeed
from privet.mechanism import _correlated_noise as correlated_noise
from privet.mechanism import _secret_seed as secret_seed
from privet.protect.train.gradients import BandedInverseNoise, BandedNoise, StepSpeed, train_model
from privet.protect.train.gradients._run_noise import noise_stream

RUN = "ab" * 32


def opened(made, start=0, event=None):
    seed = SecretSeed.fresh()
    with pv.Ledger.in_memory(limit=pv.ZeroConcentratedDP(10), unit=pv.Row()) as ledger:
        permit = ledger.charge(event or made.event, why="a test", question=seed.question(RUN))
        return noise_stream(made, permit, seed, RUN, start)


def test_each_plan_has_its_stream():
    plain = opened(planned(net(), sampling="shuffled", batch=20))
    assert isinstance(plain, NoiseStream)
    made = planned(net(), sampling="epochs", batch=20, steps=9, noise="correlated")
    stream = opened(made, start=2)
    assert isinstance(stream, CorrelatedStream)
    assert (stream.steps, stream.taken, stream.run.separation) == (9, 2, 3)
    assert stream.run.strategy is made.rounds.strategy


def test_a_booking_of_less_than_the_plans_noise_is_refused():
    made = planned(net(), sampling="epochs", batch=20, steps=9, noise="correlated")
    less = pv.train.plan(
        net(), pv.ZeroConcentratedDP("0.5"), records=60, batch=60, steps=3, sampling="full"
    ).event
    with pytest.raises(PermitMismatch):
        opened(made, event=less)


# --- stopped, and taken up again ----------------------------------------------------------------


class Stopped(Exception):
    pass


def stopping(shown):
    if shown.step == 6:
        raise Stopped


def go(ledger, folder, noise, progress=None, **given):
    model = net()
    made = planned(model, **{"sampling": "epochs", "batch": 20, "steps": 9, "noise": noise, **given})
    train_model(
        model,
        data(),
        made,
        ledger=ledger,
        why="a test",
        folder=folder,
        speed=StepSpeed(every=4),
        progress=progress,
    )
    return [weight.detach().clone() for weight in model.parameters()]


@pytest.mark.parametrize(
    "noise", ["correlated", BandedNoise(5), BandedInverseNoise(3)], ids=["buffered", "banded", "inverse"]
)
def test_a_stopped_run_goes_on_with_the_very_same_noise_and_pays_once(tmp_path, monkeypatch, noise):
    monkeypatch.setattr(secret_seed, "fresh_bytes", lambda count: bytes(range(count)))
    with pv.Ledger.in_memory(limit=pv.ZeroConcentratedDP(50), unit=pv.Row()) as ledger:
        whole = go(ledger, tmp_path / "whole", noise)
        with pytest.raises(Stopped):
            go(ledger, tmp_path / "stopped", noise, stopping)
        with pytest.raises(BadTraining, match="another run: plan"):
            go(ledger, tmp_path / "stopped", BandedNoise(4))
        with pytest.raises(BadTraining, match="another run: plan"):
            go(ledger, tmp_path / "stopped", noise, batch=15)
        again = go(ledger, tmp_path / "stopped", noise)
        assert all(torch.equal(one, other) for one, other in zip(whole, again, strict=True))
        assert ledger.balance().spends == 2
        assert not (tmp_path / "stopped" / "seed").exists()


def test_people_take_part_together_and_once_in_a_round(monkeypatch):
    """Twenty people of three records: batches are of people, and what a person adds is clipped as one."""
    masks = []
    mask = correlated_noise.CorrelatedStep.mask
    monkeypatch.setattr(
        correlated_noise.CorrelatedStep,
        "mask",
        lambda self, size: masks.append(mask(self, size)) or masks[-1],
    )
    model, unit = net(), pv.Person("patient", max_rows=3)
    made = planned(model, records=20, batch=5, steps=9, sampling="epochs", noise="correlated", unit=unit)
    with pv.Ledger.in_memory(limit=pv.ZeroConcentratedDP(50), unit=unit) as ledger:
        train_model(model, data(), made, ledger=ledger, why="a test", people=torch.arange(60) % 20)
    turns = np.array(masks[-9:])
    assert turns.shape == (9, 20)
    assert (turns[:4].sum(axis=0) == 1).all()
    assert (turns[4:8] == turns[:4]).all()
    assert (turns[8] == turns[0]).all()
