"""One thread, a loss that keeps huge values huge, a ledger, and noise that can be switched off."""

import numpy as np
import pytest
import torch

import privet as pv
from privet.mechanism import _gradient_noise as gradient_noise
from privet.protect.train.gradients import _per_example_loss as objectives


@pytest.fixture(autouse=True)
def one_thread(monkeypatch):
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    monkeypatch.setitem(
        objectives.NAMED,
        "squared_of_class",
        lambda out, y: (out - torch.eye(3)[y]).square().sum(1),
    )
    yield
    torch.set_num_threads(before)


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
