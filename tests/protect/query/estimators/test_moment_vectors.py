"""Variances, covariances, correlations and regressions: exact where the noise is off, honest where it is not."""

import math

import numpy as np
import pyarrow as pa
import pytest

import privet as pv
from privet.guarantee._events import DiscreteGaussian, DiscreteLaplace
from privet.protect.query._release_plan import make_plan
from privet.protect.query._simulated_intervals import DRAWS, simulated_noise

BOUNDS = {"x": (0, 10), "y": (-20, 20), "z": (0, 1)}


def _rows(seed=3, count=900):
    draw = np.random.default_rng(seed)
    x = draw.uniform(0, 10, count)
    z = draw.uniform(0, 1, count)
    y = 2 * x - 8 * z - 6 + draw.normal(0, 1, count)
    return {"id": np.arange(count), "g": np.where(np.arange(count) % 3, "a", "b"), "x": x, "y": y, "z": z}


def _open(columns=None, **how):
    how = {"unit": pv.Person("id", max_rows=1, max_groups=1), "keys": {"g": ["a", "b"]}} | how
    return pv.open_table(pa.table(columns or _rows()), bounds=BOUNDS, name="t", **how)


def _asked(query, ledger, promise=None):
    return pv.release(query, promise or pv.PureDP(500), ledger=ledger, why="test")


def test_without_noise_every_moment_is_the_exact_one(no_noise, ledger):
    rows = _rows()
    answer = _asked(
        _open()
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


def test_without_noise_a_regression_is_least_squares(no_noise, ledger):
    rows = _rows()
    answer = _asked(_open().group_by("g").agg(b=pv.regression("y", on=["x", "z"])), ledger)
    assert answer["g"] == ("a",) * 3 + ("b",) * 3
    assert answer["term"] == ("(intercept)", "x", "z") * 2
    for at, group in enumerate("ab"):
        kept = rows["g"] == group
        table = np.column_stack([np.ones(kept.sum()), rows["x"][kept], rows["z"][kept]])
        expected = np.linalg.lstsq(table, rows["y"][kept], rcond=None)[0]
        assert answer["b"][3 * at : 3 * at + 3] == pytest.approx(expected, rel=2e-3)
    again = pv.ReleasedAnswer.from_json(answer.to_json())
    assert (again.keys, again["b"]) == (answer.keys, answer["b"])


def test_without_noise_a_matrix_has_every_pair_once(no_noise, ledger):
    rows = _rows()
    answer = _asked(_open().agg(c=pv.covariance_matrix(["x", "y", "z"])), ledger)
    expected = np.cov([rows["x"], rows["y"], rows["z"]])
    names = ["x", "y", "z"]
    assert len(answer) == 6
    for first, second, value in zip(answer["first"], answer["second"], answer["c"], strict=True):
        assert value == pytest.approx(expected[names.index(first), names.index(second)], rel=1e-3, abs=1e-4)


def test_only_rows_with_both_values_count_and_values_outside_are_clamped(no_noise, ledger):
    awkward = {
        "id": list(range(8)),
        "x": [1.0, math.nan, 3.0, math.inf, -5.0, None, 10.0, 0.0],
        "y": [5.0, 1.0, None, 30.0, -math.inf, 2.0, math.nan, 20.0],
    }
    table = pa.table(
        {
            "id": awkward["id"],
            "x": pa.array(awkward["x"], pa.float64()),
            "y": pa.array(awkward["y"], pa.float64()),
        }
    )
    opened = pv.open_table(
        table, unit=pv.Person("id", max_rows=1), bounds={"x": (0, 10), "y": (-20, 20)}, name="t"
    )
    answer = _asked(opened.agg(c=pv.covariance("x", "y"), v=pv.variance("x")), ledger)
    both = np.array([[1, 5], [10, 20], [0, -20], [0, 20]], float)
    assert answer["c"][0] == pytest.approx(np.cov(both.T)[0, 1], rel=1e-3)
    assert answer["v"][0] == pytest.approx(np.var([1, 3, 10, 0, 10, 0], ddof=1), rel=1e-3)


def test_vectors_are_shared_where_they_mean_the_same():
    def vectors(**aggregates):
        return len(make_plan(_open().agg(**aggregates), pv.PureDP(1), accounting="basic").noise)

    assert vectors(v=pv.variance("x")) == 3
    assert vectors(v=pv.variance("x"), s=pv.deviation("x"), m=pv.mean("x"), t=pv.sum("x")) == 3
    assert vectors(c=pv.covariance("x", "y"), d=pv.covariance("y", "x", sample=False)) == 4
    assert vectors(c=pv.covariance("x", "y"), r=pv.correlation("y", "x")) == 6
    assert vectors(v=pv.variance("x"), w=pv.variance("x", bounds=(0, 20))) == 5
    assert vectors(b=pv.regression("y", on=["x", "z"])) == 1 + 3 + 5


@pytest.mark.parametrize(
    "asked",
    [
        pv.variance("x"),
        pv.covariance("x", "y"),
        pv.correlation("x", "y"),
        pv.covariance_matrix(["x", "y", "z"]),
        pv.regression("y", on="x"),
        pv.regression("y", on=["x", "z"]),
    ],
    ids=lambda asked: f"{type(asked).__name__} of {len(asked.columns)}",
)
def test_no_vector_is_starved_of_budget(asked):
    """Whatever is supposed about the data may be wrong: every sum keeps a fair share."""
    plan = make_plan(_open().agg(a=asked), pv.PureDP(1), accounting="basic")
    scales = [float(event.scale / event.sensitivity) for event in plan.noise.values()]
    assert max(scales) < 4 * min(scales)


def test_a_person_with_many_rows_counts_as_an_average_up_to_the_cap(no_noise, ledger):
    many = {"id": [0] * 1000 + list(range(1, 100)), "x": [0.0, 10.0] * 500 + [5.0] * 99}
    opened = pv.open_table(pa.table(many), unit=pv.Person("id", max_rows=2), bounds={"x": (0, 10)}, name="t")
    answer = _asked(opened.agg(v=pv.variance("x", sample=False), m=pv.mean("x")), ledger)
    assert answer["m"][0] == pytest.approx(5, abs=1e-3)
    assert answer["v"][0] == pytest.approx(25 * 2 / 101, rel=1e-3)


def test_unknown_keys_are_shown_with_every_term(ledger):
    hidden = _open(keys=None).group_by("g").agg(b=pv.regression("y", on="x"))
    answer = _asked(hidden, ledger, pv.ApproxDP(20, 1e-6))
    assert answer["g"] == ("a", "a", "b", "b")
    assert answer["term"] == ("(intercept)", "x") * 2


def test_rows_can_be_the_units(ledger):
    plain = _asked(_open(unit=pv.Row()).group_by("g").agg(v=pv.variance("x")), ledger, pv.PureDP(20))
    assert plain["v"] == pytest.approx((8.3, 8.3), abs=1.5)


def test_groups_of_few_rows_say_nothing(no_noise, ledger):
    few = {name: values[:20] for name, values in _rows().items()}
    query = _open(few).group_by("g").agg(v=pv.variance("x"), r=pv.correlation("x", "y"))
    answer = _asked(query, ledger, pv.PureDP("0.1"))
    assert answer["v"] == (None, None)
    assert answer["r"] == (None, None)
    lines = _asked(_open(few).agg(b=pv.regression("y", on="x")), ledger, pv.PureDP("0.1"))
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


def test_the_same_release_has_the_same_interval():
    events = [DiscreteLaplace(7, 1), DiscreteGaussian(9, 1, 1)]
    noise = simulated_noise(events)
    assert noise.shape == (DRAWS, 2)
    assert (noise == simulated_noise(events)).all()  # exact: the same draws, kept
    assert noise.std(axis=0) == pytest.approx([7 * math.sqrt(2), 9], rel=0.02)
    assert abs(np.corrcoef(noise.T)[0, 1]) < 0.01


def test_explain_states_errors_bias_and_origin():
    query = _open().group_by("g").agg(v=pv.variance("x"), r=pv.correlation("x", "y"))
    told = str(pv.explain(query, pv.PureDP(1)))
    assert "v: ± " in told
    assert "r: ± " in told
    assert "at 1,000 rows" in told
    assert "spread by a quarter of the range" in told
    assert "variances come out too small" in told
    assert "A variance below zero is shown as zero" in told
    assert "Clamp x to [0, 10] (stated by the caller)" in told
    lines = str(pv.explain(_open().agg(b=pv.regression("y", on=["x", "z"])), pv.PureDP(1)))
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
    answer = _asked(opened.agg(v=pv.variance("x")), ledger, pv.PureDP(1))
    ((low, high),) = answer.error("v")
    assert (high - low) / 2 == pytest.approx(expected, rel=0.3)
