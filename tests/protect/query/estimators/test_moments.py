"""Variances, covariances and correlations: exact where the noise is off, honest where it is not."""

import numpy as np
import pyarrow as pa
import pytest
from tests.protect.query.estimators.measurements import asked_of, open_numbers, rows_of_numbers

import privet as pv
from privet.protect.query.estimators._moment_vectors import Moments
from privet.protect.query.noise_plan import make_plan
from privet.protect.query.noise_plan import make_plan as planned


def test_without_noise_every_moment_is_the_exact_one(no_noise, ledger):
    rows = rows_of_numbers()
    answer = asked_of(
        open_numbers()
        .group_by("g")
        .agg(
            mean=pv.mean("x"),
            sample=pv.variance("x"),
            all_of_it=pv.variance("x", sample=False),
            sd=pv.deviation("x"),
            cov=pv.covariance("x", "y"),
            turned=pv.covariance("y", "x", sample=False),
            r=pv.correlation("x", "y"),
        ),
        ledger,
    )
    for at, group in enumerate(answer["g"]):
        x, y = (rows[name][rows["g"] == group] for name in "xy")
        expected = {
            "mean": x.mean(),
            "sample": x.var(ddof=1),
            "all_of_it": x.var(),
            "sd": x.std(ddof=1),
            "cov": np.cov(x, y)[0, 1],
            "turned": np.cov(x, y, ddof=0)[0, 1],
            "r": np.corrcoef(x, y)[0, 1],
        }
        for name, value in expected.items():
            assert answer[name][at] == pytest.approx(value, rel=1e-4), name


def test_without_noise_a_matrix_has_every_pair_once(no_noise, ledger):
    rows = rows_of_numbers()
    answer = asked_of(open_numbers().agg(c=pv.covariance_matrix(["x", "y", "z"])), ledger)
    expected = np.cov([rows["x"], rows["y"], rows["z"]])
    names = ["x", "y", "z"]
    assert len(answer) == 6
    for first, second, value in zip(answer["first"], answer["second"], answer["c"], strict=True):
        assert value == pytest.approx(expected[names.index(first), names.index(second)], rel=1e-3, abs=1e-4)


def test_a_person_with_many_rows_counts_as_an_average_up_to_the_cap(no_noise, ledger):
    many = {"id": [0] * 1000 + list(range(1, 100)), "x": [0.0, 10.0] * 500 + [5.0] * 99}
    opened = pv.open_table(pa.table(many), unit=pv.Person("id", max_rows=2), bounds={"x": (0, 10)}, name="t")
    answer = asked_of(opened.agg(v=pv.variance("x", sample=False), m=pv.mean("x")), ledger)
    assert answer["m"][0] == pytest.approx(5, abs=1e-3)
    assert answer["v"][0] == pytest.approx(25 * 2 / 101, rel=1e-3)


def test_rows_can_be_the_units(ledger):
    plain = asked_of(open_numbers(unit=pv.Row()).group_by("g").agg(v=pv.variance("x")), ledger, pv.PureDP(20))
    assert plain["v"] == pytest.approx((8.3, 8.3), abs=1.5)


def test_groups_of_few_rows_say_nothing(no_noise, ledger):
    few = {name: values[:20] for name, values in rows_of_numbers().items()}
    query = open_numbers(few).group_by("g").agg(v=pv.variance("x"), r=pv.correlation("x", "y"))
    answer = asked_of(query, ledger, pv.PureDP("0.1"))
    assert answer["v"] == (None, None)
    assert answer["r"] == (None, None)
    lines = asked_of(open_numbers(few).agg(b=pv.regression("y", on="x")), ledger, pv.PureDP("0.1"))
    assert lines["b"] == (None, None)
    assert "too few to tell" in str(lines)


def test_no_answer_leaves_what_the_bounds_admit(ledger):
    flat = {"id": np.arange(60), "x": np.full(60, 5.0), "y": np.full(60, 1.0)}
    opened = pv.open_table(
        pa.table(flat), unit=pv.Person("id", max_rows=1), bounds={"x": (0, 10), "y": (-20, 20)}, name="t"
    )
    query = opened.agg(v=pv.variance("x"), s=pv.deviation("x"), c=pv.covariance("x", "y"))
    for _ in range(12):
        answer = pv.release(query, pv.PureDP(3), ledger=ledger, why="test", again=True)
        for name, most in {"v": 25 * 1.1, "s": 5.3, "c": 110}.items():
            ((low, high),) = answer.error(name)
            assert (-most if name == "c" else 0) <= low <= answer[name][0] <= high <= most


def test_explain_states_errors_bias_and_origin():
    query = open_numbers().group_by("g").agg(v=pv.variance("x"), r=pv.correlation("x", "y"))
    told = str(pv.explain(query, pv.PureDP(1)))
    assert "v: ± " in told
    assert "r: ± " in told
    assert "at 1,000 rows" in told
    assert "spread by a quarter of the range" in told
    assert "variances come out too small" in told
    assert "A variance below zero is shown as zero" in told
    assert "Clamp x to [0, 10] (stated by the caller)" in told
    lines = str(pv.explain(open_numbers().agg(b=pv.regression("y", on=["x", "z"])), pv.PureDP(1)))
    assert "b, (intercept): ±" in lines
    assert "b, z: ±" in lines
    assert "ridge" in lines


def test_expected_errors_are_near_those_that_come_out(ledger):
    """A group like the one supposed: half-way off the middle, spread by a quarter of the range."""
    x = np.clip(np.random.default_rng(1).choice([5.0, 10.0], 5000), 0, 10)
    opened = pv.open_table(
        pa.table({"id": np.arange(5000), "x": x}),
        unit=pv.Person("id", max_rows=1),
        bounds={"x": (0, 10)},
        name="t",
    )
    plan = make_plan(opened.agg(v=pv.variance("x")), pv.PureDP(1), accounting="basic")
    expected = plan.readings[0].width(plan.noise, 0.95, 5000)
    answer = asked_of(opened.agg(v=pv.variance("x")), ledger, pv.PureDP(1))
    ((low, high),) = answer.error("v")
    assert (high - low) / 2 == pytest.approx(expected, rel=0.3)


def reading_of(aggregate):
    plan = planned(open_numbers().agg(a=aggregate), pv.PureDP(1), accounting="basic")
    return plan.readings[0], plan.noise


def test_a_variance_is_cut_at_what_the_bounds_admit():
    reading, _ = reading_of(pv.variance("x", sample=False))
    rows = np.array([100.0, 100.0, 100.0])
    means = np.zeros((3, 1))
    covariances = np.array([-0.5, 0.25, 7.0]).reshape(3, 1, 1)
    values = reading.formula(Moments(rows, means, covariances))
    assert values[:, 0] == pytest.approx([-12.5, 6.25, 175])
    limited = reading.limited(values, Moments(rows, means, covariances))
    assert limited[:, 0] == pytest.approx([0, 6.25, 25]), "Popoviciu: a quarter of the squared range"


def test_a_sample_of_one_has_no_variance_and_two_have_twice_that_of_all():
    reading, _ = reading_of(pv.variance("x"))
    moments = Moments(np.array([1.0, 2.0]), np.zeros((2, 1)), np.full((2, 1, 1), 0.04))
    assert reading.formula(moments)[:, 0] == pytest.approx([np.nan, 2], nan_ok=True)


def test_a_correlation_without_spread_is_undefined_and_never_beyond_one():
    reading, _ = reading_of(pv.correlation("x", "y"))
    covariances = np.array([[[1.0, 2.0], [2.0, 1.0]], [[0.0, 0.0], [0.0, 1.0]], [[4.0, 1.0], [1.0, 1.0]]])
    moments = Moments(np.full(3, 9.0), np.zeros((3, 2)), covariances)
    found = reading.limited(reading.formula(moments), moments)[:, 0]
    assert found == pytest.approx([1, np.nan, 0.5], nan_ok=True)


def test_errors_shrink_with_rows_and_grow_with_noise():
    reading, noise = reading_of(pv.variance("x"))
    widths = [reading.width(noise, 0.95, rows) for rows in (100, 1000, 10_000)]
    assert widths[0] > 5 * widths[1] > 25 * widths[2]
    assert reading.width(noise, 0.99, 1000) > widths[1]
