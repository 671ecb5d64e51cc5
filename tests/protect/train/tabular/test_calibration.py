"""Probabilities of models fitted by clipped gradients: what clipping does to them is taken back out, by a public rule."""

import numpy as np
import pyarrow as pa
import pytest

import privet as pv
from privet.artifact._fitted_weights import ModelTarget, probabilities
from privet.protect.train.tabular._evaluation import area_under_curve, calibration_error

TWO, THREE = ModelTarget("y", ("no", "yes")), ModelTarget("y", ("a", "b", "c"))


def at_rest(share, balance):
    """The probability at which a group with this share of ones comes to rest, where rows count as they do clipped."""
    low, high = 0.0, 1.0
    for _ in range(200):
        p = (low + high) / 2
        pull = (1 - share) * p / (1 + p / balance) - share * (1 - p) / (1 + (1 - p) / balance)
        low, high = (low, p) if pull > 0 else (p, high)
    return (low + high) / 2


@pytest.mark.parametrize("balance", [0.15, 0.5, 2.0])
@pytest.mark.parametrize("share", [0.02, 0.3, 0.5, 0.9])
def test_where_clipped_residuals_cancel_the_share_is_found_again(share, balance):
    p = at_rest(share, balance)
    scores = np.array([[np.log(p / (1 - p))]])
    assert probabilities(TWO, scores, (), balance)[0, 1] == pytest.approx(share, abs=1e-9)


def test_three_classes_at_rest():
    shares, balance = np.array([0.6, 0.3, 0.1]), 0.3
    p = shares.copy()
    for _ in range(20_000):  # gradient steps of a group whose rows are clipped in the smooth way
        away = p[None, :] - np.eye(3)
        count = 1 / (1 + np.linalg.norm(away, axis=1) / balance)
        p = p * np.exp(-0.5 * (shares * count) @ away)
        p /= p.sum()
    found = probabilities(THREE, np.log(p)[None, :], (), balance)[0]
    assert found == pytest.approx(shares, abs=1e-6)
    assert np.abs(p - shares).max() > 0.05, "there is something to take out"


def test_order_and_likelier_class_stay():
    scores = np.linspace(-9, 9, 401)[:, None]
    plain, found = (probabilities(TWO, scores, (), balance)[:, 1] for balance in (None, 0.2))
    assert np.all(np.diff(found) > 0)
    assert np.array_equal(found > 0.5, plain > 0.5)
    assert np.all(np.abs(found - 0.5) <= np.abs(plain - 0.5) + 1e-12), "never surer than before"


def test_class_weights_alone_are_divided_out():
    scores, weights = np.array([[0.3], [-2.0]]), (0.5, 1.5)
    plain = probabilities(TWO, scores)
    wanted = plain / np.array(weights)
    assert probabilities(TWO, scores, weights) == pytest.approx(wanted / wanted.sum(axis=1, keepdims=True))


def noisy_table(many, seed):
    draw = np.random.default_rng(seed)
    x, c = draw.uniform(-1, 1, many), draw.integers(0, 3, many)
    share = 1 / (1 + np.exp(-(1.2 * x + 0.8 * (c - 1) - 0.5)))
    columns = {f"n{at}": draw.uniform(0, 1, many) for at in range(5)}
    return pa.table({"x": x, "c": c, **columns, "y": np.where(draw.uniform(size=many) < share, "yes", "no")})


def test_trained_models_are_calibrated_without_losing_order(tmp_path):
    rows, test = noisy_table(6_000, 1), noisy_table(6_000, 2)
    schema = {f"n{at}": {"kind": "number", "lower": 0, "upper": 1} for at in range(5)} | {
        "x": {"kind": "number", "lower": -1, "upper": 1},
        "c": {"kind": "category", "values": ["0", "1", "2"]},
        "y": {"kind": "category", "values": ["no", "yes"]},
    }
    promise = pv.ApproxDP(2, "1e-5")
    with pv.Ledger(tmp_path / "b", limit=promise) as ledger:
        model = pv.train(
            pv.open_table(rows, unit=pv.Row()),
            promise,
            target="y",
            ledger=ledger,
            schema=schema,
            records=6_000,
        )
    truth, scores = model.target.encode(test["y"]).astype(int), model.scores(test)
    before, after = probabilities(TWO, scores), model.predict_proba(test)
    # 0.10 before and 0.02 after, on average; single runs stray by 0.01.
    assert calibration_error(after, truth) < 0.05 < calibration_error(before, truth)
    found = area_under_curve(after[:, 1], truth == 1)
    assert found == pytest.approx(area_under_curve(before[:, 1], truth == 1), abs=1e-3)  # ties may break
