"""Gradient inversion: exact where the first layer is dense, found where it is not, lost in noise."""

import numpy as np
import pytest
import torch

from privet.attacks._attack_registry import Case, attacks
from privet.attacks.updates import Update
from privet.attacks.updates._dense_inversion import candidates, label, one_record
from privet.attacks.updates._federated_update import matched
from privet.errors import BadAttack

torch.set_num_threads(1)
KNOWN = {attack.name: attack.run for attack in attacks("update")}


def dense(seed: int = 0, activation: type[torch.nn.Module] = torch.nn.ReLU) -> torch.nn.Module:
    torch.manual_seed(seed)
    return torch.nn.Sequential(torch.nn.Linear(20, 32), activation(), torch.nn.Linear(32, 4)).double()


def gradients(model, records, labels) -> dict[str, np.ndarray]:
    model.zero_grad()
    torch.nn.functional.cross_entropy(model(records), labels).backward()
    return {name: value.grad.numpy().copy() for name, value in model.named_parameters()}


def people(number: int, seed: int = 1) -> tuple[torch.Tensor, torch.Tensor]:
    draw = torch.Generator().manual_seed(seed)
    return (
        torch.randn(number, 20, dtype=torch.float64, generator=draw),
        torch.randint(0, 4, (number,), generator=draw),
    )


def defended(found: dict[str, np.ndarray], multiplier: float, draw) -> dict[str, np.ndarray]:
    """Clipped to one, and noise of the multiplier's size on every coordinate."""
    length = np.sqrt(sum((one**2).sum() for one in found.values()))
    return {
        name: one / max(1, length) + multiplier * draw.normal(size=one.shape) for name, one in found.items()
    }


@pytest.mark.parametrize("activation", [torch.nn.ReLU, torch.nn.Tanh])
def test_one_record_is_read_off_exactly(activation) -> None:
    model = dense(activation=activation)
    records, labels = people(20)
    for i in range(20):
        found = gradients(model, records[i : i + 1], labels[i : i + 1])
        assert np.abs(one_record(found) - records[i].numpy()).max() <= 1e-12
        assert label(found) == labels[i]


def test_labels_are_read_off_without_a_bias_too() -> None:
    torch.manual_seed(3)
    model = torch.nn.Sequential(
        torch.nn.Linear(20, 32), torch.nn.ReLU(), torch.nn.Linear(32, 4, bias=False)
    ).double()
    records, labels = people(10)
    assert all(label(gradients(model, records[i : i + 1], labels[i : i + 1])) == labels[i] for i in range(10))


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


def test_a_neuron_that_one_record_moves_gives_it_away() -> None:
    model = dense(4)
    with torch.no_grad():
        model[0].bias -= 1.0  # neurons are moved by few records
    records, labels = people(6, seed=5)
    update = Update(gradients(model, records, labels), records=6)
    found = candidates(update.gradients, 24)
    errors = [np.abs(found - record.numpy()).max(axis=1).min() for record in records]
    assert sum(error < 1e-8 for error in errors) >= 2
    assert KNOWN["gradient-inversion-dense"](update, Case(members=records.numpy())).success.value > 0


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


def test_each_guess_is_used_once() -> None:
    truth = np.eye(3)
    found = matched(np.array([[0.0, 1.0, 0.0], [1.0, 0.1, 0.0]]), truth)
    assert [one.cosine for one in found] == pytest.approx([0.99504, 1.0, 0.0], abs=1e-4)


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
