"""Our own DP-SGD under the audit: what the loop really drew and added, written down step by step."""

import numpy as np
import pytest
import torch
from torch import nn

import privet as pv
from privet.artifact._risk_estimate import Verdict
from privet.attacks.dp_audit import Recorder, TrainingClaim
from privet.mechanism._gradient_noise import NoiseStep
from privet.protect.train.gradients import plan, train_model

RECORDS, STEPS = 400, 40
PROMISE = pv.ApproxDP(2, "1e-5")


def _copies(parts):
    """The loop divides what it released in place."""
    return [np.array(part, float) for part in parts]


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Trains, with what each step draws written down on the way."""

    def train(seen: str = "a"):
        model = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 2))
        made = plan(model, PROMISE, records=RECORDS, batch=80, steps=STEPS)
        kept: list[dict] = []
        mask, noised = NoiseStep.mask, NoiseStep.noised

        def seeing_mask(self, size):
            found = mask(self, size)
            kept.append({"batch": np.flatnonzero(found)})
            return found

        def seeing_noised(self, sums, clip, *, part=0):
            released = noised(self, sums, clip, part=part)
            kept[-1].update(exact=_copies(sums), noisy=_copies(released), clip=clip)
            return released

        with monkeypatch.context() as patched:
            patched.setattr(NoiseStep, "mask", seeing_mask)
            patched.setattr(NoiseStep, "noised", seeing_noised)
            x = torch.randn(RECORDS, 6)
            with pv.Ledger(
                tmp_path / f"{seen}.ledger", limit=pv.ApproxDP(3, "1e-4"), unit=pv.Row()
            ) as ledger:
                train_model(model, (x, (x[:, 0] > 0).long()), made, ledger=ledger, why="a test")
        claim = TrainingClaim(float(made.noise_multiplier), kept[0]["clip"], float(made.q), STEPS, 1e-5)
        recorder = Recorder(claim, RECORDS)
        for one in kept:
            recorder.step(one["noisy"], exact=one["exact"], batch=one["batch"])
        return recorder.observed()

    return train


def test_our_training_does_what_it_claims(run) -> None:
    """Seven checks at one in ten thousand each; clipping is checked by its own tests, on exact sums.

    A run that is accused is tried once more: a right one is accused twice less than once in 10⁶ times.
    """
    for attempt in ("first", "second"):
        found = pv.attack(run(f"{attempt} a"), promise=PROMISE, again=run(f"{attempt} b"))
        if found.contradicted == ():
            break
    assert found.contradicted == ()
    for name in ("noise-scale", "noise-independence", "participation", "steps", "accounting", "freshness"):
        assert found[name].verdict is Verdict.WITHIN, found[name].sentence()
    assert found["clipping"].verdict is Verdict.INCONCLUSIVE
