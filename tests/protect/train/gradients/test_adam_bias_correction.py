"""DP-AdamBC: plain Adam where there is no noise, and the noise's variance taken out where there is."""

import numpy as np
import pytest
import torch
from tests.protect.train.gradients.runs import data, net, planned
from torch import nn

import privet as pv
from privet.protect.train.gradients import Clipping, Optimizer
from privet.protect.train.gradients._adam_bias_correction import FLOOR, CorrectedAdam

BC = Optimizer("adam_bc", rate=0.02)


def test_without_noise_it_is_adam():
    ours, theirs = nn.Parameter(torch.ones(5)), nn.Parameter(torch.ones(5))
    adam, mine = torch.optim.Adam([theirs], 0.1, eps=0.0), CorrectedAdam([ours], 0.0)
    draw = torch.Generator().manual_seed(0)
    for _ in range(20):
        theirs.grad = torch.randn(5, generator=draw)
        mine.step(theirs.grad.clone(), 0.1, 0.0)
        adam.step()
    torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)


def test_the_algorithm_of_the_paper_by_hand():
    weight = nn.Parameter(torch.zeros(2))
    mine = CorrectedAdam([weight], 0.0)
    first, second, w = np.zeros(2), np.zeros(2), np.zeros(2)
    for t, g in enumerate([[3.0, 0.1], [2.0, -0.1], [4.0, 0.2]], start=1):
        mine.step(torch.tensor(g), 0.1, 0.25)
        first, second = 0.9 * first + 0.1 * np.array(g), 0.999 * second + 0.001 * np.square(g)
        square = np.maximum(second / (1 - 0.999**t) - 0.25, FLOOR * 0.25)
        w -= 0.1 * first / (1 - 0.9**t) / np.sqrt(square)
    assert weight.detach().numpy() == pytest.approx(w, rel=1e-4)


def test_a_variance_that_changes_is_averaged_as_squares_are():
    mine = CorrectedAdam([nn.Parameter(torch.zeros(1))], 0.0)
    for variance in (1.0, 2.0, 4.0):
        mine.step(torch.ones(1), 0.1, variance)
    wanted = (1.0 * 0.999**2 + 2.0 * 0.999 + 4.0) * 0.001
    assert mine.variance == pytest.approx(wanted)


def test_a_small_gradient_in_large_noise_is_scaled_by_itself_and_not_by_the_noise():
    """Two coordinates of one tenth and one half of the noise: Adam moves them like momentum would, in proportion."""
    moved = {}
    for kind in ("plain", "corrected"):
        draw = torch.Generator().manual_seed(0)
        weight = nn.Parameter(torch.zeros(2, 4000))
        signal = torch.tensor([[0.5], [2.0]]).expand(2, 4000).reshape(-1)
        mine = CorrectedAdam([weight], 0.0)
        for _ in range(200):
            mine.step(signal + torch.randn(8000, generator=draw), 1.0, 1.0 if kind == "corrected" else 0.0)
        moved[kind] = (weight[1].mean() / weight[0].mean()).item()
    assert moved["plain"] > 1.9
    assert moved["corrected"] < 1.3, "the sign of the gradient decides, as Adam means it"


def test_a_run_is_trained_with_it_and_goes_on_where_it_was_killed(tmp_path):
    """The same folder, killed and not: the same weights to the bit."""
    found = []
    for killed in (False, True):
        model, place = net(), tmp_path / str(killed)
        made = planned(model, steps=8, clipping=Clipping(1.0, "adaptive"))
        ledger = pv.Ledger(tmp_path / f"{killed}.ledger", limit=pv.ZeroConcentratedDP(1), unit=pv.Row())

        def stop(shown, killed=killed):
            if killed and shown.step == 5:
                raise KeyboardInterrupt

        given = {"ledger": ledger, "why": "w", "optimizer": BC, "folder": place}
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("privet.mechanism._secret_seed.fresh_bytes", lambda count: bytes(range(count)))
            if killed:
                with pytest.raises(KeyboardInterrupt):
                    pv.train_model(model, data(), made, speed=pv.StepSpeed(every=2), progress=stop, **given)
                model = net()
            pv.train_model(model, data(), made, speed=pv.StepSpeed(every=2), **given)
        ledger.close()
        found.append(torch.cat([weight.detach().reshape(-1) for weight in model.parameters()]))
    assert torch.equal(*found)
    assert not torch.equal(found[0], torch.cat([one.detach().reshape(-1) for one in net().parameters()]))
