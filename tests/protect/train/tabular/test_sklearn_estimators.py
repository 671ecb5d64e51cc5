"""The estimators keep scikit-learn's rules, except those that ask for the same answer twice."""

import numpy as np
import pytest

import privet as pv

checks = pytest.importorskip("sklearn.utils.estimator_checks")

# Why a rule cannot hold for a fit that draws fresh noise each time.
RANDOM = "two fits draw different noise, so they differ"
EXEMPT = {
    "check_classifier_data_not_an_array": RANDOM,
    "check_fit_idempotent": RANDOM,
    "check_regressor_data_not_an_array": RANDOM,
    "check_regressors_int": RANDOM,
    "check_supervised_y_2d": RANDOM,
}


def estimators():
    return [
        pv.PrivateClassifier(8.0, 1e-3, bounds=(-10, 10), classes="public", records="public"),
        pv.PrivateRegressor(8.0, 1e-3, bounds=(-10, 10), target_bounds=(-300, 300), records="public"),
    ]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("at", [0, 1], ids=["classifier", "regressor"])
def test_rules_of_estimators(at):
    broken = []
    for estimator, check in checks.estimator_checks_generator(estimators()[at], legacy=True):
        name = getattr(check, "func", check).__name__
        if name in EXEMPT:
            continue
        try:
            check(estimator)
        except pytest.skip.Exception:
            continue
        except Exception as problem:  # noqa: BLE001  every check raises its own kinds
            if type(problem).__name__ != "SkipTest":
                broken.append((name, repr(problem)[:200]))
    assert broken == []


def test_it_learns_and_answers_in_its_classes(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (2_000, 3))
    y = np.where(x[:, 0] + x[:, 1] > 0, "up", "down")
    with pv.Ledger(tmp_path / "l", limit=pv.ApproxDP(3, "1e-4")) as ledger:
        found = pv.PrivateClassifier(
            2, 1e-5, bounds=(-1, 1), classes=["down", "up"], records=2_000, ledger=ledger
        ).fit(x, y)
        assert float(ledger.balance().remaining["epsilon"]) == pytest.approx(1, abs=1e-3)
    assert found.score(x, y) > 0.9
    assert set(found.predict(x)) == {"down", "up"}
    assert found.predict_proba(x).shape == (2_000, 2)


def test_groups_are_persons():
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (1_000, 2))
    found = pv.PrivateRegressor(4, 1e-4, bounds=(-1, 1), target_bounds=(-2, 2), records=250).fit(
        x, x[:, 0], groups=np.repeat(np.arange(250), 4)
    )
    assert found.model_.unit["column"] == "owner"
    assert found.score(x, x[:, 0]) > 0.3
