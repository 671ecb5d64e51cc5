"""Released models are trained again without Python: LiRA on a folder, and what was trained without noise is caught."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from sklearn.linear_model import LogisticRegression

import privet as pv
from privet.artifact._feature_encoding import CategoryColumn, Features, NumberColumn
from privet.artifact._fitted_weights import FittedWeights, ModelTarget
from privet.artifact._released_answer import Provenance
from privet.artifact._released_model import ReleasedModel
from privet.artifact._risk_estimate import Verdict
from privet.attacks import _shadow_models as shadows
from privet.attacks._attack_records import AttackRecords, records_of
from privet.attacks._retrained_models import Indicators
from privet.attacks._shadow_models import complementary, train_shadows
from privet.attacks._training_recipe import recipe_for

NUMBERS = [NumberColumn(f"n{at}", -3, 3, bins=16) for at in range(10)]
FEATURES = Features((*NUMBERS, CategoryColumn("w", ("a", "b"))))


def people(number: int, seed: int) -> pa.Table:
    draw = np.random.default_rng(seed)
    numbers = {f"n{at}": draw.normal(size=number) for at in range(10)}
    ill = numbers["n0"] + draw.normal(0, 2, number) > 0
    return pa.table({**numbers, "w": draw.choice(["a", "b"], number), "ill": np.where(ill, "yes", "no")})


def released(weights: np.ndarray, intercept: float, promise=None) -> ReleasedModel:
    return ReleasedModel(
        fitted=FittedWeights(
            "additive", {"shapes": weights.reshape(-1, 1), "intercept": np.array([intercept])}
        ),
        features=FEATURES,
        target=ModelTarget("ill", ("no", "yes")),
        promise=promise or pv.ApproxDP("0.2", "1e-6"),
        unit={"unit": "row"},
        receipt=None,
        provenance=Provenance("", "", "", {}, ()),
    )


@pytest.fixture(scope="module")
def broken():
    """A model that claims epsilon 0.2 and was fitted without any noise to 200 people."""
    members = people(200, 1)
    plain = LogisticRegression(C=10, max_iter=500).fit(
        Indicators(FEATURES)(members), members["ill"].to_pylist()
    )
    return released(plain.coef_[0], float(plain.intercept_[0])), members


def test_a_model_without_noise_is_caught_from_its_folder(broken, tmp_path) -> None:
    model, members = broken
    found = pv.attack(
        model.save(tmp_path / "model"), members=members, control=people(200, 2), attacks=["membership-lira"]
    )["membership-lira"]
    assert found.verdict is Verdict.CONTRADICTS, found.sentence()
    assert found.success.low > 0.7
    assert any("trained without noise" in note for note in found.notes)


def test_a_model_that_saw_nobody_is_left_alone() -> None:
    flat = released(np.zeros(FEATURES.levels), 0.0)
    found = pv.attack(flat, members=people(200, 1), control=people(200, 2), shadows=4)
    assert {"membership-lira", "membership-lira-offline", "membership-rmia", "membership-shadow"} <= {
        one.attack for one in found
    }
    assert found.contradicted == ()


def test_twins_at_once_are_twins_alone() -> None:
    recipe = recipe_for(released(np.zeros(FEATURES.levels), 0.0))
    records = records_of(people(150, 3), "ill")
    inside = complementary(2, 150)
    quick = train_shadows(recipe, records, inside)
    plain = train_shadows(replace(recipe, ridge=None, digest=None), records, inside)
    # scikit-learn stops earlier.
    assert np.abs(quick.log_odds - plain.log_odds).max() < 0.2


def test_a_large_table_is_not_laid_out_in_full(monkeypatch) -> None:
    recipe = recipe_for(released(np.zeros(FEATURES.levels), 0.0))
    records, inside = records_of(people(60, 3), "ill"), complementary(2, 60)
    quick = train_shadows(replace(recipe, digest=None), records, inside)
    monkeypatch.setattr(shadows, "_DENSE", 100)
    monkeypatch.setattr(shadows, "_linear", None)  # would fail
    slow = train_shadows(replace(recipe, digest=None), records, inside)
    assert np.corrcoef(quick.log_odds.ravel(), slow.log_odds.ravel())[0, 1] > 0.99


def test_networks_have_twins_and_numbers_have_none() -> None:
    model = released(np.zeros(FEATURES.levels), 0.0)
    network = replace(model, fitted=FittedWeights("network", {"hidden": np.zeros((FEATURES.levels, 4))}))
    trained = recipe_for(network).train(people(80, 4), np.array(["no", "yes"] * 40), 1)
    assert trained.predict_proba(people(5, 5)).shape == (5, 2)
    assert trained.fitted.hidden_layer_sizes == (4,)
    assert recipe_for(replace(model, target=ModelTarget("days", (), 0, 9))) is None
    assert recipe_for(network).digest != recipe_for(model).digest


def test_boosted_trees_have_twins_that_see_columns_together() -> None:
    model = released(np.zeros(FEATURES.levels), 0.0)
    forest = replace(model, fitted=FittedWeights("trees", {"splits": np.zeros((50, 3, 3))}))
    recipe = recipe_for(forest)
    members = people(600, 4)
    signs = np.array(members["n1"]) * np.array(members["n2"]) > 0
    trained = recipe.train(members, np.where(signs, "yes", "no"), 1)
    fresh = people(600, 5)
    wanted = np.array(fresh["n1"]) * np.array(fresh["n2"]) > 0
    assert ((trained.predict_proba(fresh)[:, 1] > 0.5) == wanted).mean() > 0.8
    assert recipe.ridge is None
    assert recipe.digest not in (recipe_for(model).digest, None)


def test_labels_that_are_missing_or_unknown_are_left_out_and_said() -> None:
    members, control = people(60, 6), people(60, 7)
    holes = members.set_column(11, "ill", pa.array([None, "maybe", *members["ill"].to_pylist()[2:]]))
    found = pv.attack(
        released(np.zeros(FEATURES.levels), 0.0),
        members=holes,
        control=control,
        attacks=["membership-lira"],
        shadows=2,
    )["membership-lira"]
    assert found.details["members"] == 58
    assert any("2 records without a label" in note for note in found.notes)
    assert isinstance(records_of(holes, "ill"), AttackRecords)
