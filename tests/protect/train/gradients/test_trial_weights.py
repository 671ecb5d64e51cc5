"""Other weights for a moment: always the same, and gone afterwards, whatever happens in between."""

import pytest
import torch
from torch import nn

from privet.protect.train.gradients._trial_weights import _stirred, fixed, is_same, moved


def weights():
    return {
        "a": nn.Parameter(torch.tensor([[1.0, 2.0], [3.0, 4.0]])),
        "zero": nn.Parameter(torch.zeros(3, 4)),
    }


@pytest.mark.parametrize("way", [moved, fixed])
def test_weights_are_back_though_something_failed(way):
    held = weights()
    before = {name: value.detach().clone() for name, value in held.items()}

    def fails():
        with way(held):
            assert not torch.equal(held["a"], before["a"])
            raise RuntimeError("boom")

    with pytest.raises(RuntimeError):
        fails()
    assert all(torch.equal(held[name], value) for name, value in before.items())


def test_fixed_weights_are_the_same_whatever_was_trained():
    one, other = weights(), weights()
    with torch.no_grad():
        other["a"].mul_(100)
    with fixed(one), fixed(other):
        assert torch.equal(one["a"], other["a"])


def test_moved_weights_leave_zero_and_stay_near():
    held = weights()
    with moved(held):
        assert bool((held["zero"] != 0).all())
        assert float((held["a"] - torch.tensor([[1.0, 2.0], [3.0, 4.0]])).abs().max()) < 1


def test_no_generator_is_drawn_from():
    torch.manual_seed(7)
    state = torch.get_rng_state()
    drawn = _stirred(10_000, 3)
    assert torch.equal(torch.get_rng_state(), state)
    assert float(drawn.mean()) == pytest.approx(0, abs=0.05)
    assert float(drawn.std()) == pytest.approx(1, abs=0.05)
    assert not torch.equal(drawn, _stirred(10_000, 4))


def test_probes_of_one_computation_agree_so_far():
    assert is_same([1.0, float("nan")], [1.0005, float("nan")])
    assert not is_same([1.0], [1.01])
    assert not is_same([1.0], [1.0, 2.0])
    assert not is_same([1.0], [float("nan")])
