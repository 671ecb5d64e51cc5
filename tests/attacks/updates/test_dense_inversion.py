"""Records read off the gradient of a dense first layer."""

import numpy as np
import pytest
import torch
from tests.attacks.updates.networks import dense, gradients, people

from privet.attacks._attack_registry import Case
from privet.attacks.updates import Update
from privet.attacks.updates._dense_inversion import candidates, label, layers, one_record
from privet.attacks.updates._gradient_inversion import dense as attack
from privet.errors import BadAttack


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


def test_a_neuron_that_one_record_moves_gives_it_away() -> None:
    model = dense(4)
    with torch.no_grad():
        model[0].bias -= 1.0  # neurons are moved by few records
    records, labels = people(6, seed=5)
    update = Update(gradients(model, records, labels), records=6)
    found = candidates(update.gradients, 24)
    errors = [np.abs(found - record.numpy()).max(axis=1).min() for record in records]
    assert sum(error < 1e-8 for error in errors) >= 2
    assert attack(update, Case(members=records.numpy())).success.value > 0


def test_layers_are_matrices_with_the_vector_beside_them() -> None:
    found = layers(
        {
            "conv": np.ones((2, 1, 3)),
            "w": np.ones((3, 2)),
            "b": np.ones(3),
            "v": np.ones((4, 3)),
            "odd": np.ones(7),
        }
    )
    assert [(weight.shape, None if bias is None else bias.shape) for weight, bias in found] == [
        ((3, 2), (3,)),
        ((4, 3), None),
    ]


def test_a_record_by_hand() -> None:
    """The weight gradient is the outer product of the bias gradient and the record."""
    bias, record = np.array([2.0, 0.0, -1.0]), np.array([5.0, -3.0])
    assert one_record({"w": np.outer(bias, record), "b": bias}) == pytest.approx(record)


def test_of_several_quotients_those_that_agree_come_first() -> None:
    """Neurons 0 and 2 saw the same record alone; neuron 1 is louder, and saw another."""
    weight = np.array([[1.0, 2.0], [50.0, 10.0], [2.0, 4.0], [0.0, 0.0]])
    found = candidates({"w": weight, "b": np.array([1.0, 5.0, 2.0, 0.0])}, 2)
    assert found == pytest.approx(np.array([[1.0, 2.0], [10.0, 2.0]]))
    assert len(candidates({"w": weight, "b": np.array([1.0, 5.0, 2.0, 0.0])}, 1)) == 1


def test_what_cannot_be_read_off_is_refused() -> None:
    with pytest.raises(BadAttack, match="not dense"):
        one_record({"weight": np.zeros((3, 1, 2, 2))})
    with pytest.raises(BadAttack, match="no neuron"):
        one_record({"weight": np.zeros((3, 2)), "bias": np.zeros(3)})
    with pytest.raises(BadAttack, match="no dense layer"):
        label({"weight": np.zeros((3, 1, 2, 2))})
