"""Least squares from noisy sums: exact where the noise is off, silent where the noise hides the predictors."""

import numpy as np
import pytest
from tests.protect.query.estimators.measurements import asked_of, open_numbers, rows_of_numbers

import privet as pv
from privet.protect.query.estimators._moment_vectors import Moments
from privet.protect.query.estimators._regression import _least_eigenvalue
from privet.protect.query.noise_plan import make_plan as planned


def test_without_noise_a_regression_is_least_squares(no_noise, ledger):
    rows = rows_of_numbers()
    answer = asked_of(open_numbers().group_by("g").agg(b=pv.regression("y", on=["x", "z"])), ledger)
    assert answer["g"] == ("a",) * 3 + ("b",) * 3
    assert answer["term"] == ("(intercept)", "x", "z") * 2
    for at, group in enumerate("ab"):
        kept = rows["g"] == group
        table = np.column_stack([np.ones(kept.sum()), rows["x"][kept], rows["z"][kept]])
        expected = np.linalg.lstsq(table, rows["y"][kept], rcond=None)[0]
        assert answer["b"][3 * at : 3 * at + 3] == pytest.approx(expected, rel=2e-3)
    again = pv.ReleasedAnswer.from_json(answer.to_json())
    assert (again.keys, again["b"]) == (answer.keys, answer["b"])


def test_unknown_keys_are_shown_with_every_term(ledger):
    hidden = open_numbers(keys=None).group_by("g").agg(b=pv.regression("y", on="x"))
    answer = asked_of(hidden, ledger, pv.ApproxDP(20, 1e-6))
    assert answer["g"] == ("a", "a", "b", "b")
    assert answer["term"] == ("(intercept)", "x") * 2


def test_the_line_follows_from_covariances_in_the_users_units():
    plan = planned(open_numbers().agg(b=pv.regression("y", on="x")), pv.PureDP(1), accounting="basic")
    (reading,) = plan.readings
    # In units of half ranges (5 and 20): x has variance 0.2 around 0.4, y goes with it by 0.1 around -0.5.
    moments = Moments(np.array([50.0]), np.array([[0.4, -0.5]]), np.array([[[0.2, 0.1], [0.1, 0.3]]]))
    ((constant, slope),) = reading.formula(moments)
    assert slope == pytest.approx(0.1 / 0.2 * 20 / 5)
    assert constant == pytest.approx(-0.5 * 20 - slope * (5 + 0.4 * 5))
    assert reading.labels() == {"term": ("(intercept)", "x")}


def test_predictors_without_spread_have_no_line():
    flat = Moments(np.array([50.0]), np.zeros((1, 2)), np.array([[[-0.1, 0.1], [0.1, 0.3]]]))
    assert _least_eigenvalue(flat).tolist() == pytest.approx([-0.1])
    plan = planned(open_numbers().agg(b=pv.regression("y", on="x")), pv.PureDP(1), accounting="basic")
    assert np.isnan(plan.readings[0].formula(flat)).all()
    gone = Moments(np.array([0.0]), np.full((1, 2), np.nan), np.full((1, 2, 2), np.nan))
    assert _least_eigenvalue(gone)[0] < 0


@pytest.mark.usefixtures("no_noise")
def test_where_the_predictors_do_not_vary_nothing_is_told(ledger):
    flat = {name: values[:60] for name, values in rows_of_numbers().items()} | {"x": np.full(60, 5.0)}
    answer = asked_of(open_numbers(flat).agg(b=pv.regression("y", on="x")), ledger, pv.PureDP(1))
    assert answer["b"] == (None, None)
