"""Model inversion: a class is found, and it counts as a leak only where a training record is nearest."""

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from privet.attacks._attack_registry import Case, attacks
from privet.attacks._attack_target import target_of
from privet.attacks.models._model_inversion import by_gradient, by_search
from privet.errors import BadAttack

KNOWN = {attack.name: attack.run for attack in attacks("model") if attack.name.startswith("inversion")}
CENTRES = np.array([[2.0, -1.0, 0.0, 1.0], [-2.0, 1.0, 1.0, 0.0], [0.0, 2.0, -2.0, -1.0]])


def classes(seed: int, records: int = 300) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(seed)
    labels = draw.integers(0, 3, records)
    return CENTRES[labels] + 0.5 * draw.normal(size=(records, 4)), labels


def test_search_and_gradients_find_the_surest_corner() -> None:
    """Of a linear model the surest record lies in a corner of the ranges that the weights name."""
    low, high = np.full(4, -3.0), np.full(4, 3.0)
    features, labels = classes(1)
    model = LogisticRegression().fit(features, labels)
    found = by_search(target_of(model), 3, low, high)
    for c in range(3):
        chance = model.predict_proba(found[c : c + 1])[0, c]
        assert chance >= model.predict_proba(features)[:, c].max() - 1e-3
    layer = torch.nn.Linear(4, 3).double()
    with torch.no_grad():
        layer.weight.copy_(torch.tensor(model.coef_))
        layer.bias.copy_(torch.tensor(model.intercept_))
    inverted = by_gradient(layer, 3, low, high)
    assert (np.abs(inverted) <= 3).all()
    assert (model.predict_proba(inverted).diagonal() > 0.99).all()
    assert layer.weight.grad is None


def test_class_means_are_resembled() -> None:
    features, labels = classes(2)
    model = LogisticRegression().fit(features[:150], labels[:150])
    case = Case(members=(features[:150], labels[:150]), control=(features[150:], labels[150:]))
    found = KNOWN["inversion-search"](model, case)
    rows = found.details["classes"]
    assert [row["class"] for row in rows] == [0, 1, 2]
    assert all(row["correlation with the class mean"] > 0.7 for row in rows)
    assert all(row["distance to the nearest training record"] > 0 for row in rows)
    assert found.success.high == pytest.approx(1, abs=0.3)
    assert not found.beats_baseline  # three classes cannot tell a leak from chance, and do not


def test_a_lookup_gives_its_records_away() -> None:
    """Ten classes of people, answered surely only where somebody stands: the inversions are the people."""
    draw = np.random.default_rng(3)
    features = draw.integers(0, 9, size=(400, 3)).astype(float)
    labels = np.arange(400) % 10

    def ask(x):
        near = np.abs(x[:, None, :] - features[None, :200]).sum(axis=2)
        votes = np.exp(-3 * near) @ np.eye(10)[labels[:200]] + 1e-6
        return votes / votes.sum(axis=1, keepdims=True)

    case = Case(
        members=(features[:200], labels[:200]),
        control=(features[200:], labels[200:]),
        settings={"ranges": (0.0, 8.0)},
    )
    found = KNOWN["inversion-search"](ask, case)
    assert found.success.value > 0.5
    near = [row["distance to the nearest training record"] for row in found.details["classes"]]
    assert np.median(near) < 0.5


def test_images_keep_their_shape() -> None:
    draw = np.random.default_rng(4)
    images, labels = draw.random((60, 1, 4, 4)).astype(np.float32), np.arange(60) % 2
    torch.manual_seed(4)
    module = torch.nn.Sequential(
        torch.nn.Conv2d(1, 3, 2), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(27, 2)
    )
    case = Case(members=(images[:30], labels[:30]), control=(images[30:], labels[30:]))
    found = KNOWN["inversion-gradient"](module, case)
    assert all(row["probability"] > 0.5 for row in found.details["classes"])


def test_what_cannot_be_inverted_is_refused() -> None:
    features, labels = classes(5)
    model = KNeighborsClassifier().fit(features, labels)
    case = Case(members=(features, labels), control=(features, labels))
    with pytest.raises(BadAttack, match="PyTorch"):
        KNOWN["inversion-gradient"](model, case)
    with pytest.raises(BadAttack, match="labels"):
        KNOWN["inversion-search"](model, Case(members=features, control=features))
