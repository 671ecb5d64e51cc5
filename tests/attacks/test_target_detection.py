"""What kind of thing is attacked, and what it says of itself."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pytest
import torch
from sklearn.linear_model import LogisticRegression
from tests.attacks.dp_audit.toy import Toy

import privet as pv
from privet.attacks._attack_registry import KINDS
from privet.attacks._target_detection import (
    asked_of,
    implied,
    is_released_answer,
    kind_of,
    opened,
    own_promise,
    records_for,
    rows,
)
from privet.attacks.dp_audit import CanaryRun, Neighbours
from privet.attacks.statistics import Answered
from privet.attacks.updates import Update
from privet.errors import BadAttack


class Guesses:
    """A model of somebody else's."""

    def predict_proba(self, features: np.ndarray) -> np.ndarray:
        return np.full((len(features), 2), 0.5)


def test_things_are_recognised(tmp_path) -> None:
    run = Toy(canaries=5)(np.ones(5, bool))
    frame = pd.DataFrame({"a": [1, 2]})
    told = CanaryRun(np.ones((1, 4), bool), np.zeros((1, 4)))
    for thing, kind in (
        (run, "run"),
        (told, "canaries"),
        (Neighbours(np.zeros, np.zeros), "mechanism"),
        (Answered(np.ones((1, 2), bool), np.ones(1)), "statistics"),
        (Update({"w": np.ones((1, 1))}), "update"),
        ([Update({"w": np.ones((1, 1))})], "update"),
        (frame, "table"),
        (pa.table({"a": [1]}), "table"),
        (pv.open_table(frame), "table"),
        (pv.Collection("a", pv.OneOf([1, 2]), pv.LocalDP(1)), "client"),
        ([pv.LocalClient(list, [1, 2])], "client"),
        (Guesses(), "model"),
        (lambda features: features, "model"),
    ):
        assert kind_of(thing) == kind
        assert kind in KINDS
    with pytest.raises(BadAttack, match="no attack on a thing of type int"):
        kind_of(3)
    pyarrow.csv.write_csv(pa.table({"a": [1, 2]}), tmp_path / "t.csv")
    assert kind_of(opened(tmp_path / "t.csv")) == "table"
    with pytest.raises(BadAttack, match="neither a folder"):
        opened(tmp_path / "nothing.csv")


def test_what_a_model_implies() -> None:
    fitted = LogisticRegression().fit([[0], [1]], [0, 1])
    assert implied(fitted, "model").keys() == {"recipe"}
    assert implied(torch.nn.Linear(1, 1), "model") == {"differentiable": True}
    assert implied(lambda features: features, "model") == {}
    network = torch.nn.Linear(1, 1)
    assert implied(Update({"w": np.ones((1, 1))}, model=network), "update") == {"model": network}
    assert implied(Update({"w": np.ones((1, 1))}), "update") == {}


def test_a_promise_is_one_only_if_it_is_one() -> None:
    class Thing:
        promise = "epsilon 1"

    assert own_promise(Thing()) is None
    Thing.promise = pv.PureDP(1)
    assert own_promise(Thing()) == pv.PureDP(1)
    assert own_promise(3) is None


def test_records_of_files_are_frames_for_models_of_others(tmp_path) -> None:
    path = tmp_path / "t.csv"
    pyarrow.csv.write_csv(pa.table({"a": [1, 2]}), path)
    assert isinstance(records_for(Guesses(), path), pd.DataFrame)
    assert isinstance(rows(path), pa.Table)
    given = np.ones((2, 1))
    assert records_for(Guesses(), given) is given


def test_a_file_that_is_no_record_is_a_table(tmp_path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps({"a": n}) + "\n" for n in range(3)))
    assert kind_of(opened(path)) == "table"
    with pytest.raises(BadAttack, match=r"model\.pkl is neither"):
        opened(tmp_path / "model.pkl")


def test_answers_are_asked_about_one_value_of_a_secret() -> None:
    assert not is_released_answer([])
    assert not is_released_answer([1])
    for secret, value, members in (
        (None, "yes", pa.table({"a": [1]})),
        ("a", None, pa.table({"a": [1]})),
        ("a", 1, None),
    ):
        with pytest.raises(BadAttack, match="one value of a secret column"):
            asked_of([], members, secret, value)
