"""Records whose gradient is the recorded one."""

import numpy as np
import pytest
import torch
from tests.attacks.updates.networks import gradients

from privet.attacks.updates._federated_update import Update
from privet.attacks.updates._gradient_matching import _apart, _variation, searched
from privet.errors import BadAttack


def pair(*values: float) -> list[torch.Tensor]:
    return [torch.tensor(values)]


def test_gradients_that_point_alike_are_at_no_cosine_distance() -> None:
    assert float(_apart(pair(1.0, 2.0), pair(3.0, 6.0), "cosine")) == pytest.approx(0, abs=1e-6)
    assert float(_apart(pair(1.0, 0.0), pair(0.0, 5.0), "cosine")) == pytest.approx(1)
    assert float(_apart(pair(1.0, 2.0), pair(3.0, 6.0), "distance")) == pytest.approx(20)


def test_variation_by_hand() -> None:
    assert float(_variation(torch.tensor([[0.0, 1.0, 3.0]]))) == pytest.approx(1.5)
    image = torch.tensor([[[0.0, 1.0], [2.0, 3.0]]])
    assert float(_variation(image)) == pytest.approx(1 + 2)


def test_a_record_of_a_small_network_is_found_again() -> None:
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 3)).double()
    record = torch.tensor([[0.5, -1.0, 0.3, 0.8]], dtype=torch.float64)
    update = Update(gradients(model, record, torch.tensor([2])), model=model, shape=(4,))
    found = searched(update, by="distance", steps=60, restarts=2)
    assert found.shape == (1, 4)
    assert found[0] == pytest.approx(record.numpy()[0], abs=0.05)


def test_what_a_search_needs() -> None:
    update = Update({"w": np.ones((2, 2))})
    with pytest.raises(BadAttack, match="needs the model"):
        searched(update)
    with pytest.raises(BadAttack, match="no such search"):
        searched(Update({"w": np.ones((2, 2))}, model=torch.nn.Linear(2, 2), shape=(2,)), by="luck")
