"""Ready-made functions through the verb: every setting has an option, and what does not belong is refused by name."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import get_args

import pytest
from pydantic import ValidationError
from tests.conformance.doors import declared, furnished

from privet.artifact import ReleasedOutput
from privet.dataset import DataSet
from privet.errors import BadFunction
from privet.guarantee import PacPrivacy
from privet.protect.pac import PacFunction
from privet.verbs import PacOptions, PacVerb, Request, carried_out
from privet.verbs._pac_functions_asked import SETTINGS, FunctionName, function_of

# What only a program can say: arrays of directions, objects that learn, and finer points.
PROGRAMS_ALONE = {"pca": {"reference"}, "kmeans": {"pull"}, "responses": {"estimator", "labels"}}


@pytest.fixture
def ward(tmp_path, monkeypatch) -> Path:
    furnished(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def options(**said) -> PacOptions:
    return PacOptions.model_validate({"nats": "1/4", **said})


@pytest.mark.parametrize("name", get_args(FunctionName))
def test_every_setting_of_a_function_is_an_option(name) -> None:
    method = name.replace("-", "_")
    known = set(inspect.signature(getattr(PacFunction, method)).parameters)
    assert known - set(SETTINGS) == PROGRAMS_ALONE.get(method, set())


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ({"function": "kmeans", "columns": ["age"]}, "kmeans needs clusters"),
        ({"function": "kmeans", "clusters": 3}, "kmeans needs columns"),
        ({"function": "kmeans", "clusters": 3, "columns": ["age"], "depth": 2}, "kmeans has no depth"),
        ({"function": "svm", "columns": ["age"]}, "svm needs target"),
        ({"function": "svm", "columns": ["age"], "target": "age"}, "named twice"),
        ({"count": True, "clusters": 3}, "for a function alone"),
        ({"function": "covariance", "columns": ["age"], "count": True}, "by itself"),
        ({"function": "covariance", "columns": ["age"], "bounds": {"dose": "0:1"}}, "asked about"),
        ({"function": "guess", "columns": ["age"]}, "kmeans"),
    ],
)
def test_what_does_not_belong_together_is_refused(said, fault) -> None:
    with pytest.raises(ValidationError, match=fault):
        options(**said)


def test_a_function_is_released_from_a_bare_file(ward) -> None:
    (ward / "start.csv").write_text("age\n20\n50\n80\n", encoding="utf-8")
    said = options(
        function="kmeans", columns=["age"], clusters=3, start="start.csv", bounds={"age": "0:100"}, worlds=16
    )
    done = carried_out(PacVerb(), Request("ward.csv", said, unit="person", max_rows=1), to=ward / "out.json")
    assert done.facts["labels"] == ["centre 1: age", "centre 2: age", "centre 3: age"]
    assert ReleasedOutput.load(ward / "out.json").promise == PacPrivacy("1/4")


def test_every_ready_made_function_is_known() -> None:
    made = {name for name, one in vars(PacFunction).items() if isinstance(one, staticmethod)}
    assert made == {name.replace("-", "_") for name in get_args(FunctionName)}


def test_means_are_a_function_too_and_responses_need_a_program(ward) -> None:
    means = options(function="means", columns=["age"], bounds={"age": "0:100"}, worlds=16)
    done = carried_out(PacVerb(), Request("ward.csv", means, unit="person", max_rows=1))
    assert done.facts["labels"] == ["mean of age"]
    with pytest.raises(BadFunction, match="Python object") as refused:
        function_of(options(function="responses", columns=["age"]), ward)
    assert "PacFunction.responses(" in refused.value.hint


def test_a_public_file_is_read_beside_the_declaration(ward) -> None:
    (ward / "points.csv").write_text("age\n30\n", encoding="utf-8")
    said = options(function="forest", columns=["age"], target="back", points="points.csv", trees=3)
    assert function_of(said, ward).settings["points"].rows.num_rows == 1


def test_a_policy_lacks_what_is_not_stated_of_the_columns(ward) -> None:
    data = DataSet.read(declared(ward))
    purpose = data.purposes["beds"]
    good = options(function="logistic-regression", columns=["age", "area"], target="back")
    assert PacVerb().gaps(good, data.declaration, purpose) == []
    assert PacVerb().columns(good, data.declaration, purpose) == ("age", "area", "back")
    lacking = options(function="logistic-regression", columns=["age"], target="illness")
    assert [part for part, _ in PacVerb().gaps(lacking, data.declaration, purpose)] == ["columns"]
    said = options(function="logistic-regression", columns=["age"], target="illness", classes="a,b")
    assert PacVerb().gaps(said, data.declaration, purpose) == []
