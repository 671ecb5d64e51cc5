"""Counts, sums and means read off distances to both bounds: the same answers with less noise."""

from fractions import Fraction

import numpy as np
import pytest
from tests.protect.hospital import open_stays

import privet as pv
from privet.engine._sealed_aggregates import aggregate
from privet.guarantee import DiscreteLaplace
from privet.protect.query.estimators._bound_distances import DistancesCount, DistancesMean, DistancesSum
from privet.protect.query.estimators._counts import clamped_column
from privet.protect.query.noise_plan import make_plan
from privet.source import Bounds


def plan(aggregates, promise, *, keys=False, max_rows=8, max_groups=4, accounting="basic", selection=None):
    unit = pv.Person("id", max_rows=max_rows, max_groups=max_groups)
    query = open_stays(keys=keys, unit=unit).group_by("ward").agg(**aggregates)
    return make_plan(query, promise, accounting=accounting, selection=selection)


def kinds(found):
    return [measure.kind for measure in found.measures.values()]


def test_distances_are_how_far_rows_lie_from_both_bounds():
    found = plan({"cost": pv.mean("cost")}, pv.PureDP(1), keys=True)
    groups = aggregate(
        found.query.relation(),
        keys=found.query.keys,
        public_keys=found.query.public_keys(),
        measures={**found.measures, "sum": next(iter(found.measures.values())).added},
        contribution=found.contribution,
    )
    ((name, measure),) = found.measures.items()
    above, below = groups.answers[name]._exact.reshape(-1, 2).T
    rows = np.array([400, 100, 10, 0])
    assert (above + below).tolist() == (rows * measure.span).tolist()
    centred = groups.answers["sum"]._exact
    assert (above - rows * measure.added.offset).tolist() == centred.tolist()


@pytest.mark.parametrize(
    ("aggregates", "expected"),
    [
        ({"m": pv.mean("days")}, ["distances"]),
        ({"m": pv.mean("days"), "s": pv.sum("days"), "n": pv.count("days")}, ["distances"]),
        ({"s": pv.sum("days"), "n": pv.count("days")}, ["distances"]),
        ({"s": pv.sum("days")}, ["sum"]),
        ({"n": pv.count("days")}, ["valid"]),
        ({"m": pv.mean("days"), "s": pv.sum("days", (0, 9))}, ["distances", "sum"]),
        ({"m": pv.mean("days"), "v": pv.variance("days")}, ["sum", "valid", "sum_of_squares"]),
    ],
)
def test_counts_sums_and_means_of_a_column_share_distances(aggregates, expected):
    assert sorted(kinds(plan(aggregates, pv.PureDP(1), keys=True))) == sorted(expected)


def test_distances_err_less_than_the_same_answers_apart():
    """A count by 2 · Laplace(s) against one by Laplace(2s); a sum from zero by one draw against two."""
    asked = {"n": pv.count("days"), "s": pv.sum("days"), "m": pv.mean("days")}
    together = plan(asked, pv.PureDP(1), keys=True)
    apart = plan({**asked, "v": pv.variance("days")}, pv.PureDP("1.5"), keys=True)
    for one, other in zip(together.readings, apart.readings[:3], strict=True):
        assert one.name == other.name
        assert one.width(together.noise, 0.95, 1000) < 0.9 * other.width(apart.noise, 0.95, 1000)


def of_bounds(low, high):
    return clamped_column("x", Bounds(low, high))


def read(kind, of, rows, noise):
    """The answer for groups of these values, given as exact distances."""
    span, step, lower = of.fixed.span, of.fixed.step, of.fixed.lower
    reading = kind("a", None, of)
    both = []
    for values in rows:
        above = sum(int((Fraction(value) - lower) / step) for value in values)
        both += [above, len(values) * span - above]
    (answer,) = reading.read({reading.vector: np.array(both)}, {reading.vector: noise}, 0.95).answers
    return answer


@pytest.mark.parametrize("bounds", [(0, 16), (-8, 8), (100, 116)])
def test_counts_sums_and_means_are_those_of_the_rows(bounds):
    of = of_bounds(*bounds)
    low = bounds[0]
    groups = [[low + 4] * 300, [low, low + 16] * 200, []]
    quiet = DiscreteLaplace(1)
    assert read(DistancesCount, of, groups, quiet).values == (300, 400, 0)
    sums = read(DistancesSum, of, groups, quiet).values
    assert sums == pytest.approx([sum(values) for values in groups], abs=0.1)
    means = read(DistancesMean, of, groups, quiet).values
    assert means[:2] == pytest.approx([low + 4, low + 8], abs=1e-3)
    assert means[2] is None


def test_a_mean_is_silent_where_noise_could_have_made_all_rows():
    of = of_bounds(0, 16)
    loud = DiscreteLaplace(100 * of.fixed.span)
    few, many = [[8] * 100], [[8] * 5000]
    assert read(DistancesMean, of, few, loud).values == (None,)
    (value,), (low,), (high,) = (
        getattr(read(DistancesMean, of, many, loud), name) for name in ("values", "low", "high")
    )
    assert value == pytest.approx(8, abs=1e-3)
    assert 0 <= low < 8 < high <= 16


def test_the_count_comes_at_no_cost_of_its_own():
    """One unit of noise in a distance is 1 / span of a row: the width of a count is that of two draws."""
    of = of_bounds(0, 16)
    reading = DistancesCount("n", None, of)
    width = reading.width({reading.vector: DiscreteLaplace(of.fixed.span)}, 0.95, 1)
    alone = 3.0  # a Laplace variable of scale 1 stays within ln 20
    assert alone < width < 2 * alone
