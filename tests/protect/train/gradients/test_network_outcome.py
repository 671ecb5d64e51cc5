"""What a run knows of its network at its end, and that only that network is released."""

import copy
from dataclasses import replace

import pytest
import torch
from tests.protect.train.gradients.networks import trained

from privet.artifact import NetworkInput
from privet.errors import BadModel
from privet.protect.train.gradients._network_outcome import NetworkOutcome, state_digest


def test_a_network_that_was_trained_further_is_not_released(tmp_path):
    model = copy.deepcopy(trained().model)
    same = replace(trained(), model=model)
    same.save(tmp_path / "n")
    with torch.no_grad():
        model[0].weight[0, 0] += 1e-6
    for leave in (lambda: same.save(tmp_path / "n"), same.released, lambda: same.predict(torch.zeros(1, 6))):
        with pytest.raises(BadModel, match="no longer what the run ended with"):
            leave()


def test_buffers_count_too():
    model = copy.deepcopy(trained().model)
    before = state_digest(model)
    model.register_buffer("seen", torch.zeros(2), persistent=False)
    assert state_digest(model) != before


@pytest.mark.parametrize(
    ("inputs", "form", "names"),
    [
        (torch.zeros(5, 2, 3), "one", [""]),
        ((torch.zeros(5, 2, 3), torch.zeros(5, 2, 3)), "several", ["0", "1"]),
        ({"ids": torch.zeros(5, 2, 3)}, "named", ["ids"]),
    ],
)
def test_inputs_are_described_by_one_record(inputs, form, names):
    made = NetworkOutcome.of(trained().model, inputs, "squared")
    assert made.form == form
    assert made.inputs == tuple(NetworkInput(name, "float32", (2, 3)) for name in names)
