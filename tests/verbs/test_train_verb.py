"""Training as a verb: what it learns from, and what has to be said before its price is known."""

from types import SimpleNamespace

import pytest

import privet as pv
from privet.dataset import DataSet
from privet.errors import UnitNotStated
from privet.source import Role
from privet.verbs import Request
from privet.verbs._train_verb import MOST_ROWS, TrainOptions, TrainVerb, _features


def options(**more):
    return TrainOptions(**{"target": "y", "epsilon": 1, **more})


def column(role, *, bounds=None, values=None):
    return SimpleNamespace(role=role, bounds=bounds, values=values)


def declaration(*, max_rows=3, **columns):
    return SimpleNamespace(
        columns=columns, dataset=SimpleNamespace(unit=SimpleNamespace(column="id", max_rows=max_rows))
    )


def test_it_learns_from_the_purposes_columns_that_name_nobody():
    declared = declaration(
        id=column("quasi"),
        age=column("quasi"),
        name=column("direct"),
        note=column("free text"),
        odd=column("unknown"),
        y=column("sensitive"),
    )
    purpose = SimpleNamespace(columns=["id", "age", "name", "note", "odd"])
    assert TrainVerb().columns(options(), declared, purpose) == ("age", "y")
    assert TrainVerb().columns(options(columns=["note"]), declared, purpose) == ("note", "y")
    assert _features(("age", "y"), options()) == ["age"]
    assert _features(None, options(columns=["a"])) == ["a"]


def test_everything_that_its_price_depends_on_has_to_be_said():
    purpose = SimpleNamespace(columns=["age"])
    verb = TrainVerb()
    known = declaration(age=column("quasi", bounds=[0, 9]), y=column("sensitive", values=["a", "b"]))
    assert verb.gaps(options(records=100), known, purpose) == []
    assert len(verb.gaps(options(), known, purpose)) == 1
    lacking = declaration(age=column("quasi"), y=column("sensitive"), max_rows=None)
    assert len(verb.gaps(options(), lacking, purpose)) == 4
    assert verb.gaps(options(schema="s.yaml"), lacking, purpose) == []


def test_the_promise_is_the_limit_of_a_ledger_made_for_it():
    assert TrainVerb().own_limit(options(epsilon="0.5")) == pv.ApproxDP("0.5", "1e-6")
    for said in (
        {"epsilon": 0},
        {"delta": 1},
        {"records": 0},
        {"holdout": 1},
        {"model": "magic"},
        {"class_weights": {"a": 0}},
    ):
        with pytest.raises(ValueError, match="validation error"):
            options(**said)


def test_columns_called_like_names_are_hidden_by_their_names_alone(tmp_path):
    (tmp_path / "rows.csv").write_text("patient_id,email,age\n1,a,3\n2,b,4\n")
    data = DataSet.of(str(tmp_path / "rows.csv"))
    with pytest.raises(UnitNotStated):
        TrainVerb().bare_table(data, Request("rows.csv", options()))
    table = TrainVerb().bare_table(data, Request("rows.csv", options(), unit="patient_id"))
    assert table.unit.max_rows == MOST_ROWS
    assert table.roles.get("email") is Role.DIRECT, "though its values are no addresses"
    assert "age" not in table.roles
