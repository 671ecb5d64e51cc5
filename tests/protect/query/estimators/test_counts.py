"""Counts, sums and means read off noisy vectors, by hand."""

from fractions import Fraction

import numpy as np
import pytest

import privet as pv
from privet.guarantee import DiscreteLaplace
from privet.protect.query.estimators._counts import (
    CountReading,
    MeanReading,
    SumReading,
    clamped_column,
    spanned,
    told,
)
from privet.source import Bounds

LOUD = DiscreteLaplace(10)


def column(anchor="middle", **more):
    return clamped_column("x", Bounds(0, 16), anchor=anchor, **more)


def test_a_count_is_shown_as_it_is_even_below_zero():
    reading = CountReading("n", pv.count(), "rows", "number of rows")
    (answer,) = reading.read({"rows": np.array([5, -3])}, {"rows": LOUD}, 0.95).answers
    assert answer.values == (5, -3)
    # Discrete Laplace noise of scale 10: P(|noise| > w) = 2 q^(w + 1) / (1 + q), q = exp(-1/10), is below 5 % first at 30.
    assert (answer.low, answer.high) == ((-25, -33), (35, 27))  # exact: whole numbers
    assert answer.noise[0].weight(1) == pytest.approx(1)
    assert reading.expected({"rows": LOUD}, 0.95, (100,)) == ("n: ± 30",)


def test_a_sum_from_zero_needs_no_count_and_one_from_the_middle_does():
    plain = column("zero")
    step = plain.fixed.step
    reading = SumReading("s", pv.sum("x"), plain, with_count=False)
    noisy = {plain.total: np.array([int(Fraction(40) / step)])}
    (answer,) = reading.read(noisy, {plain.total: LOUD}, 0.95).answers
    assert answer.values == pytest.approx((40,))
    assert answer.high[0] - 40 == pytest.approx(30 * float(step))
    centred = column()
    both = SumReading("s", pv.sum("x"), centred, with_count=True)
    noisy = {centred.total: np.array([int(Fraction(-4) / step)]), centred.count: np.array([5])}
    noise = {centred.total: LOUD, centred.count: LOUD}
    (answer,) = both.read(noisy, noise, 0.95).answers
    assert answer.values == pytest.approx((5 * 8 - 4,), abs=1e-3), "five rows at the middle, less four"
    assert [term.weight(0) for term in answer.noise] == pytest.approx([float(step), 8], abs=1e-3)
    assert both.width(noise, 0.95, 1) > 8 * 25, "the count's noise tells: eight for each row"


def test_a_mean_stays_inside_the_bounds_and_is_silent_for_few_rows():
    of = column()
    reading = MeanReading("m", pv.mean("x"), of)
    steps = int(1 / of.fixed.step)
    counts = np.array([1000, 1000, 30, 31])
    noisy = {of.count: counts, of.total: np.array([2000, 10**6, 30, 31]) * steps}
    (answer,) = reading.read(noisy, {of.count: LOUD, of.total: LOUD}, 0.95).answers
    assert answer.values[0] == pytest.approx(8 + 2, abs=1e-3)
    assert answer.values[1] == 16, "no further out than the upper bound"
    assert answer.values[2] is None, "30 rows can be noise alone"
    assert answer.values[3] == pytest.approx(9, abs=1e-3)
    assert answer.low[0] < answer.values[0] < answer.high[0]
    assert answer.high[1] == 16  # exact: the bound itself
    # One more row at this count draws the mean towards the middle: -(10 - 8) / 1000.
    by_count = next(term for term in answer.noise if term.vector == of.count)
    assert by_count.weight(0) == pytest.approx(-2 / 1000, rel=1e-3)
    assert by_count.weight(2) is None


def test_coarse_steps_are_sixteen_times_as_large_and_named_apart():
    fine, coarse = column(), column(coarse=True)
    assert coarse.fixed.step == 16 * fine.fixed.step
    assert coarse.total != fine.total
    assert column("zero").total != fine.total
    other = clamped_column("x", Bounds(0, Fraction("16.0000000000001")))
    assert other.total != fine.total, "bounds that read alike are told apart"


def test_answers_of_rows():
    assert spanned("n", "", (1, 2), 3).low == (-2, -1)  # exact: whole numbers
    rows = told("n", "", [(1, 0, 2), (None, None, None)])
    assert (rows.values, rows.low, rows.high) == ((1, None), (0, None), (2, None))  # exact: values as given
    assert told("n", "", []).values == ()
