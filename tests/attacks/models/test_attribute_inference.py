"""Attribute inference: what follows from the rest of a record is not called a leak."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from privet.artifact._risk_estimate import Verdict
from privet.attacks._attack_registry import Case, attacks
from privet.attacks.models._candidate_values import as_codes
from privet.errors import BadAttack
from privet.guarantee._promise_registry import PureDP

KNOWN = {attack.name: attack.run for attack in attacks("model") if attack.name.startswith("attribute")}
SIZE = 400


def noisy(seed: int, records: int = 2 * SIZE) -> tuple[np.ndarray, np.ndarray]:
    """No attribute follows from the others; the label follows one of them, not attribute 3."""
    draw = np.random.default_rng(seed)
    features = draw.integers(0, 3, size=(records, 8)).astype(float)
    return features, ((features[:, 0] == 1) ^ (draw.random(records) < 0.3)).astype(int)


def case_of(features, labels, **given) -> Case:
    settings = {"attribute": 3, **given.pop("settings", {})}
    return Case(
        members=(features[:SIZE], labels[:SIZE]),
        control=(features[SIZE:], labels[SIZE:]),
        settings=settings,
        **given,
    )


def test_a_tree_that_learned_by_heart_gives_attributes_away() -> None:
    features, labels = noisy(1)
    target = DecisionTreeClassifier(random_state=0).fit(features[:SIZE], labels[:SIZE])
    found = KNOWN["attribute-confidence"](target, case_of(features, labels, promise=PureDP("0.01")))
    assert found.beats_baseline
    assert found.details["members minus others"]["low"] > 0
    assert found.details["attack minus imputation"]["low"] > 0
    assert found.success.low > found.control.value
    assert found.bound == pytest.approx(np.exp(0.01) * found.control.high, rel=1e-6)


@pytest.mark.parametrize("name", sorted(KNOWN))
def test_an_innocent_model_gives_members_away_no_more_than_others(name: str) -> None:
    """Trained on other people: each interval misses nought with a chance of 1e-6."""
    for seed in range(2):
        features, labels = noisy(10 + seed, 3 * SIZE)
        target = LogisticRegression().fit(features[2 * SIZE :], labels[2 * SIZE :])
        case = case_of(features[: 2 * SIZE], labels[: 2 * SIZE], confidence=1 - 1e-6, promise=PureDP("0.1"))
        found = KNOWN[name](target, case)
        assert (
            found.details["members minus others"]["low"] < 0 < found.details["members minus others"]["high"]
        )
        assert found.notes
        assert found.verdict is not Verdict.CONTRADICTS


@pytest.mark.parametrize("name", sorted(KNOWN))
def test_what_follows_from_the_record_is_not_credited_to_the_model(name: str) -> None:
    features, labels = noisy(20)
    features[:, 3] = features[:, 5]  # anybody who knows one knows the other
    target = LogisticRegression().fit(features[:SIZE], labels[:SIZE])
    found = KNOWN[name](target, case_of(features, labels))
    assert found.baseline > 0.99
    assert not found.beats_baseline
    if name == "attribute-learned":
        assert found.success.value > 0.99


def test_map_follows_the_model_and_the_prior() -> None:
    """The label is the attribute: the model's answer to each candidate tells which it is."""
    features, _ = noisy(30)
    labels = (features[:, 3] == 2).astype(int)
    features = features.copy()
    target = LogisticRegression(C=100).fit(np.eye(3)[features[:SIZE, 3].astype(int)], labels[:SIZE])

    def ask(x):
        return target.predict_proba(np.eye(3)[x[:, 3].astype(int)])

    found = KNOWN["attribute-map"](ask, case_of(features, labels))
    right_when_two = labels[:SIZE].mean() + (1 - labels[:SIZE].mean()) / 2
    assert found.success.value == pytest.approx(right_when_two, abs=0.06)


def test_tables_with_text_and_stated_values() -> None:
    features, labels = noisy(40)
    frame = pd.DataFrame(features.astype(int), columns=list("abcdefgh")).astype({"d": str})
    frame["ill"] = labels
    encode = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), list("abcdefgh")))
    target = make_pipeline(encode, DecisionTreeClassifier(random_state=0))
    target.fit(frame[:SIZE].drop(columns="ill"), labels[:SIZE])
    case = Case(
        members=frame[:SIZE],
        control=frame[SIZE:],
        settings={"attribute": "d", "label": "ill", "values": ["0", "1", "2"]},
    )
    found = KNOWN["attribute-confidence"](target, case)
    assert found.success.value > found.baseline
    assert found.details["values"] == 3


def test_values_are_few_and_known() -> None:
    with pytest.raises(BadAttack, match="between 2 and"):
        as_codes(np.linspace(0, 1, 200))
    with pytest.raises(BadAttack, match="not among the stated"):
        as_codes(np.array([1, 2, 3]), [1, 2])
    features, labels = noisy(50)
    target, blind = LogisticRegression().fit(features, labels), {"attribute": 3}
    with pytest.raises(BadAttack, match="labels"):
        KNOWN["attribute-map"](target, Case(members=features, control=features, settings=blind))
