"""Quantiles, histograms, cross tables and distinct values: error bars cover what they say, and errors are as foretold.

Coverage is measured over so many values that 0.93 to 0.97 is more than five standard deviations wide on each side
(false-alarm rate below 1e-6); intervals of quantiles and of the most common values are bounds and may cover more.
"""

import math
import uuid

import numpy as np
import pyarrow as pa
import pytest

import privet as pv
from privet.engine._sealed_aggregates import aggregate
from privet.guarantee._events import Repeated
from privet.protect.query._release_run import noised
from privet.protect.query.noise_plan import make_plan
from privet.source import distribution_aggregates as binned

GROUPS, PERSONS = 10, 5_000


@pytest.fixture(scope="module")
def data():
    draw = np.random.default_rng(8)
    ids = np.arange(PERSONS)
    return pa.table(
        {
            "id": ids,
            "g": ids % GROUPS,
            "x": np.minimum(draw.gamma(2, 3, PERSONS), 40),
            "c": draw.choice(["a", "b", "d"], PERSONS, p=[0.7, 0.2, 0.1]),
            "v": draw.integers(0, 300, PERSONS),
        }
    )


def _open(data):
    return pv.open_table(
        data,
        unit=pv.Person("id", max_rows=1, max_groups=1),
        bounds={"x": (0, 40)},
        keys={"g": range(GROUPS), "c": ["a", "b", "d"]},
        name="t",
    )


def _draws(query, promise, folder, times):
    plan = make_plan(query, promise, accounting="basic")
    groups = aggregate(
        query.relation(),
        keys=query.keys,
        public_keys=query.public_keys(),
        measures=plan.measures,
        contribution=plan.contribution,
    )
    with pv.Ledger(folder / f"{uuid.uuid4()}.ledger", limit=pv.ApproxDP(10**8, "0.9")) as ledger:
        permits = ledger.charge(Repeated(plan.event, times), why="test", unit=query.table.unit).parts()
    return plan, [
        plan.readings[0].read(noised(plan, groups, permit)[1], plan.noise, 0.95) for permit in permits
    ]


def _coverage(draws, truth, answer=0):
    inside = [
        low <= exact <= high
        for shown in draws
        for low, exact, high in zip(shown.answers[answer].low, truth, shown.answers[answer].high, strict=True)
    ]
    return float(np.mean(inside))


@pytest.mark.parametrize("promise", [pv.PureDP("0.1"), pv.ApproxDP("0.1", 1e-6)], ids=["pure", "approximate"])
def test_histograms_cover(data, promise, tmp_path):
    query = _open(data).group_by("g").agg(h=binned.histogram("x", [0, 2, 5, 10, 40], nonnegative=True))
    _, draws = _draws(query, promise, tmp_path, 150)
    x, g = np.asarray(data["x"]), np.asarray(data["g"])
    truth = np.concatenate([np.histogram(x[g == one], [0, 2, 5, 10, 40])[0] for one in range(GROUPS)])
    assert 0.93 <= _coverage(draws, truth) <= 0.97
    assert _coverage(draws, truth, answer=1) >= 0.93
    fitted = np.array(draws[0].answers[1].values).reshape(GROUPS, 4)
    plain = np.array(draws[0].answers[0].values).reshape(GROUPS, 4)
    assert fitted.min() >= 0
    assert fitted.sum(axis=1) == pytest.approx(np.maximum(plain.sum(axis=1), 0))


def test_cross_tables_add_up_and_cover(data, tmp_path):
    query = _open(data).agg(n=binned.contingency("g", "c", margins=True))
    _, draws = _draws(query, pv.PureDP("0.1"), tmp_path, 200)
    g, c = np.asarray(data["g"]), np.asarray(data["c"])
    cells = np.array([[np.sum((g == one) & (c == two)) for two in "abd"] for one in range(GROUPS)])
    truth = np.vstack(
        [np.hstack([cells, cells.sum(axis=1, keepdims=True)]), [*cells.sum(axis=0), cells.sum()]]
    )
    assert 0.93 <= _coverage(draws, truth.reshape(-1)) <= 0.97
    noisy = np.array(draws[0].answers[0].values).reshape(GROUPS + 1, 4)
    assert (noisy[:-1, :-1].sum(axis=1) == noisy[:-1, -1]).all()
    assert (noisy[:-1].sum(axis=0) == noisy[-1]).all()
    assert draws[0].labels["c"][:4] == ("a", "b", "d", "(all)")


def test_distinct_values_cover(data, tmp_path):
    query = _open(data).group_by("g").agg(n=binned.distinct("v"))
    _, draws = _draws(query, pv.PureDP("0.1"), tmp_path, 400)
    g, v = np.asarray(data["g"]), np.asarray(data["v"])
    assert 0.93 <= _coverage(draws, [len(set(v[g == one])) for one in range(GROUPS)]) <= 0.97


@pytest.mark.parametrize("share", ["0.5", "0.9"])
def test_quantiles_err_as_foretold_and_their_intervals_cover(data, share, tmp_path):
    """The rank of what is chosen is off by a Laplace variable of scale 2·max(a, d-a)/(d·epsilon) rows, near enough."""
    query = _open(data).group_by("g").agg(q=binned.quantile("x", share, bins=400))
    plan, draws = _draws(query, pv.PureDP(1), tmp_path, 40)
    x, g = np.asarray(data["x"]), np.asarray(data["g"])
    truth = [np.quantile(x[g == one], float(share), method="inverted_cdf") for one in range(GROUPS)]
    assert _coverage(draws, truth) >= 0.95
    values = np.array([shown.answers[0].values for shown in draws])
    off = [
        abs(np.mean(x[g == one] <= value) - float(share)) * np.sum(g == one)
        for one in range(GROUPS)
        for value in values[:, one]
    ]
    event = next(iter(plan.noise.values())).event
    scale = 2 * max(float(share), 1 - float(share)) / float(event.epsilon)
    # The mean of 400 absolute errors: half a bin is worth a row or two on top.
    assert 0.4 * scale < np.mean(off) < 2 * scale + 2.5


@pytest.mark.parametrize("promise", [pv.PureDP(1), pv.ApproxDP(1, 1e-6)], ids=["pure", "approximate"])
def test_many_quantiles_cover(data, promise, tmp_path):
    """Intervals hold whole bins and a line that cannot fall, so that more than 95% are right."""
    shares = [n / 20 for n in range(1, 20)]
    query = _open(data).agg(q=binned.quantiles("x", shares))
    _, draws = _draws(query, promise, tmp_path, 40)
    truth = np.quantile(np.asarray(data["x"]), shares, method="inverted_cdf")
    assert _coverage(draws, truth) >= 0.93
    off = np.abs(np.array([shown.answers[0].values for shown in draws]) - truth)
    width = np.array([np.subtract(shown.answers[0].high, shown.answers[0].low) for shown in draws]) / 2
    assert np.median(off) < np.median(width)
    assert (np.diff(np.array([shown.answers[0].values for shown in draws]), axis=1) >= 0).all()


def test_a_share_of_the_budget_goes_to_the_interval(data):
    plan = make_plan(_open(data).agg(q=binned.median("x", interval="0.2")), pv.PureDP(1), accounting="basic")
    epsilons = [float(event.event.epsilon) for event in plan.noise.values()]
    assert epsilons == pytest.approx([0.8, 0.1, 0.1], rel=1e-3)
    shifts = [measure.shift for measure in plan.measures.values()]
    scale = 2 / 0.1
    assert shifts[0] == 0
    assert shifts[2] == -shifts[1] == pytest.approx(scale * math.log(102 / 0.05), abs=2)


def test_quantiles_of_tiny_and_empty_groups_cover_or_say_nothing(tmp_path):
    """With fewer rows than the shift, the ends are the bounds themselves."""
    table = pa.table({"id": [1, 2], "g": [0, 0], "x": [39.0, 39.5]})
    query = (
        _open(table.append_column("c", pa.array(["a", "a"]))).group_by("g").agg(q=binned.median("x", bins=80))
    )
    _, draws = _draws(query, pv.PureDP(1), tmp_path, 60)
    assert (
        np.mean([shown.answers[0].low[0] <= 39.0 and shown.answers[0].high[0] >= 39.5 for shown in draws])
        > 0.8
    )


def test_the_most_common_values_cover(data, tmp_path):
    query = _open(data).agg(n=binned.most_common("v", 5, among=range(400)))
    _, draws = _draws(query, pv.PureDP(1), tmp_path, 100)
    counts = np.bincount(np.asarray(data["v"]), minlength=400)
    inside = [
        low <= counts[value] <= high
        for shown in draws
        for value, low, high in zip(
            shown.labels["v"], shown.answers[0].low, shown.answers[0].high, strict=True
        )
    ]
    assert np.mean(inside) >= 0.95
    assert all(
        list(shown.answers[0].values) == sorted(shown.answers[0].values, reverse=True) for shown in draws
    )
