"""The card of a model: every figure on it is the model's own."""

from types import SimpleNamespace

import pytest

from privet.artifact._feature_encoding import CategoryColumn, Features, NumberColumn
from privet.artifact._fitted_weights import FittedWeights, ModelTarget
from privet.artifact._model_card import card_text
from privet.guarantee import ApproxDP, Person, unit_to_json


@pytest.fixture
def model():
    return SimpleNamespace(
        promise=ApproxDP(1, "1e-6"),
        receipt=None,
        unit=unit_to_json(Person("id", max_rows=3)),
        target=ModelTarget("ill", ("no", "yes")),
        features=Features((NumberColumn("age", 18, 90, 8), CategoryColumn("ward", ("ICU", "ER")))),
        fitted=FittedWeights("additive", {}, {"clip_norm": 0.5, "rounds": 30, "weights": [1, 2]}),
        provenance=SimpleNamespace(data="patients"),
        metrics={},
        notes=(),
        standing=None,
    )


def test_promise_making_columns_and_limits_are_told(model):
    card = card_text(model)
    assert card.startswith("# A model of ill\n")
    assert model.promise.sentence_about(Person("id", max_rows=3)) in card
    assert "It was not booked in a ledger." in card
    assert "- clip norm: 0.5\n- rounds: 30\n" in card
    assert "- weights" not in card
    assert "- age: 18 to 90 in 8 bins (linear); values outside count as the nearest end" in card
    assert "- ward: one of 2 values; all others are one more" in card
    assert "It predicts ill: no, yes." in card
    assert "Not measured" in card
    assert card.endswith("\n")
    model.standing = SimpleNamespace(sentence=lambda: "Claimed, not signed.")
    assert "Claimed, not signed." in card_text(model)


def test_a_booking_figures_and_notes_are_told_where_there_are_any(model):
    model.receipt = SimpleNamespace(entry=7, ledger="f" * 64, at="2026-03-04", why="a trial")
    model.metrics = {"accuracy": 0.81234}
    model.notes = ("Only for adults.",)
    model.target = ModelTarget("days", (), 0.0, 60.0)
    model.unit = None
    card = card_text(model)
    assert f"Booked as entry 7 of ledger {'f' * 16}, 2026-03-04: a trial." in card
    assert "- accuracy: 0.8123\n" in card
    assert "Not measured" not in card
    assert "- Only for adults." in card
    assert "It predicts days: 0 to 60." in card
    assert "nobody: no unit was stated" in card
