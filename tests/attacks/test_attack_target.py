"""Anything that gives probabilities is a target."""

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression

from privet.attacks._attack_records import AttackRecords, records_of
from privet.attacks._attack_target import label_of, target_of
from privet.errors import BadAttack

DRAW = np.random.default_rng(1)
FEATURES = DRAW.normal(size=(40, 3))
LABELS = (FEATURES[:, 0] > 0).astype(int)


def test_estimators_say_their_classes() -> None:
    names = np.array(["no", "yes"], object)[LABELS]
    target = target_of(LogisticRegression().fit(FEATURES, names))
    assert target.codes(names).tolist() == LABELS.tolist()
    assert target.codes(np.array(["never seen"])).tolist() == [-1]
    assert target.probabilities(AttackRecords(FEATURES)).shape == (40, 2)


def test_modules_give_the_softmax_of_their_logits() -> None:
    module = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Dropout(0.5)).train()
    found = target_of(module).probabilities(AttackRecords(FEATURES))
    expected = torch.softmax(module[0](torch.tensor(FEATURES, dtype=torch.float32)).double(), dim=1)
    assert np.allclose(found, expected.detach().numpy(), atol=1e-6)  # no dropout when asked
    assert module.training


def test_one_logit_is_the_second_class() -> None:
    module = torch.nn.Linear(3, 1).double()
    found = target_of(module).probabilities(AttackRecords(FEATURES))
    expected = torch.sigmoid(module(torch.tensor(FEATURES))).detach().numpy()[:, 0]
    assert np.allclose(found[:, 1], expected)


def test_functions_are_targets_and_one_column_is_the_second_class() -> None:
    found = target_of(lambda x: np.full(len(x), 0.3)).probabilities(AttackRecords(FEATURES))
    assert np.allclose(found, [[0.7, 0.3]] * 40)


def test_a_released_model_takes_tables_and_names_its_label() -> None:
    class Released:
        """As a released model is asked: a table in, classes as text."""

        classes = ("0", "1")
        target = type("Predicted", (), {"name": "ill"})

        def predict_proba(self, data):
            chance = 1 / (1 + np.exp(-np.asarray(data["x"])))
            return np.column_stack([1 - chance, chance])

    import pandas as pd

    frame = pd.DataFrame({"x": FEATURES[:, 0], "ill": LABELS})
    records = records_of(frame, label_of(Released(), None))
    target = target_of(Released())
    assert records.columns == ("x",)
    assert target.codes(records.labels).tolist() == LABELS.tolist()
    assert target.probabilities(records).shape == (40, 2)


@pytest.mark.parametrize(
    "thing",
    [lambda x: np.full((len(x), 2), 3.0), lambda x: np.full((len(x), 2), np.nan)],
    ids=["large", "nan"],
)
def test_what_is_no_probability_is_refused(thing) -> None:
    with pytest.raises(BadAttack, match="not probabilities"):
        target_of(thing).probabilities(AttackRecords(FEATURES))


def test_what_is_no_model_is_refused() -> None:
    with pytest.raises(BadAttack, match="no model"):
        target_of("a name")
    with pytest.raises(BadAttack, match="not numbers"):
        target_of(lambda x: x).codes(np.array(["yes"]))
