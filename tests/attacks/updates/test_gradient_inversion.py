"""Gradient inversion: exact where the first layer is dense, found where it is not, lost in noise."""

import numpy as np
import pytest
import torch
from tests.attacks.updates.networks import defended, dense, gradients, people

from privet.attacks._attack_registry import Case, attacks
from privet.attacks.updates import Update
from privet.attacks.updates._dense_inversion import one_record
from privet.errors import BadAttack

torch.set_num_threads(1)
KNOWN = {attack.name: attack.run for attack in attacks("update")}


def test_clipping_alone_protects_nobody_and_noise_does() -> None:
    model, draw = dense(), np.random.default_rng(1)
    records, labels = people(12)
    plain = [gradients(model, records[i : i + 1], labels[i : i + 1]) for i in range(12)]
    found = {}
    for multiplier in (0.0, 0.05, 1.0):
        updates = [Update(defended(one, multiplier, draw)) for one in plain]
        found[multiplier] = KNOWN["gradient-inversion-dense"](updates, Case(members=records.numpy()))
    assert found[0.0].success.value == pytest.approx(1)
    assert found[0.0].details["median psnr"] > 200
    assert found[1.0].success.value == pytest.approx(0)
    assert found[1.0].details["mean cosine"] < 0.3
    assert (
        found[0.0].details["mean cosine"]
        > found[0.05].details["mean cosine"]
        > found[1.0].details["mean cosine"]
    )
    assert found[0.05].details["median psnr"] > found[1.0].details["median psnr"]


@pytest.mark.parametrize(("by", "steps"), [("cosine", 300), ("distance", 120)])
def test_a_convolution_is_inverted_by_search(by: str, steps: int) -> None:
    torch.manual_seed(6)
    model = torch.nn.Sequential(
        torch.nn.Unflatten(1, (1, 20)),
        torch.nn.Conv1d(1, 6, 5),
        torch.nn.Sigmoid(),
        torch.nn.Flatten(),
        torch.nn.Linear(96, 4),
    ).double()
    records, labels = people(1, seed=7)
    plain = gradients(model, records, labels)
    settings = {"model": model, "by": by, "steps": steps, "restarts": 1}
    case = Case(members=records.numpy(), settings=settings)
    found = KNOWN["gradient-inversion"](Update(plain), case)
    assert found.details["mean cosine"] > 0.99
    noisy = Update(defended(plain, 1.0, np.random.default_rng(8)))
    lost = KNOWN["gradient-inversion"](noisy, case)
    assert lost.details["mean cosine"] < 0.9
    assert lost.details["median psnr"] < found.details["median psnr"] - 20


def test_one_guess_for_everybody_is_the_baseline() -> None:
    model = dense()
    records, labels = people(8)
    updates = [Update(gradients(model, records[i : i + 1], labels[i : i + 1])) for i in range(8)]
    alike = np.ones((8, 20))
    found = KNOWN["gradient-inversion-dense"](updates, Case(members=records.numpy(), control=alike))
    assert found.baseline == 0
    assert found.beats_baseline
    shifted = KNOWN["gradient-inversion-dense"](
        [Update(gradients(model, records[i : i + 1] + 50, labels[i : i + 1])) for i in range(8)],
        Case(members=records.numpy() + 50, control=alike),
    )
    assert shifted.baseline == 1
    assert not shifted.beats_baseline


def test_what_cannot_be_inverted_is_refused() -> None:
    with pytest.raises(BadAttack, match="at least one record"):
        Update({})
    with pytest.raises(BadAttack, match="not dense"):
        one_record({"weight": np.zeros((3, 1, 2, 2))})
    with pytest.raises(BadAttack, match="no neuron"):
        one_record({"weight": np.zeros((3, 2)), "bias": np.zeros(3)})
    update = Update({"weight": np.ones((3, 2)), "bias": np.ones(3)})
    with pytest.raises(BadAttack, match="records behind"):
        KNOWN["gradient-inversion-dense"](update, Case(members=np.zeros((2, 2))))
    with pytest.raises(BadAttack, match="needs the model"):
        KNOWN["gradient-inversion"](update, Case(members=np.zeros((1, 2))))
