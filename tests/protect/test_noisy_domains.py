"""Ranges and values that are asked for in a form that noise can pay for: one row of a unit counts, in fixed bins."""

import datetime
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import privet as pv
from privet.guarantee import ThresholdedKeys, laplace_scale, threshold_for
from privet.mechanism import thresholded_keys
from privet.protect._noisy_domains import RangeHistogram, sides, value_counts, values_of

PEOPLE = pa.table(
    {
        "who": [1, 1, 1, 2, 3],
        "pay": [3.0, 3.0, 3.0, -0.3, None],
        "born": pa.array([datetime.date(1957, 5, 1)] * 4 + [datetime.date(2011, 1, 1)]),
    }
)
UNIT = pv.Person("who", max_rows=2)


def histogram(name, *, dates=False):
    relation = pv.open_table(PEOPLE, unit=UNIT).relation
    return RangeHistogram.of(relation, name, dates=dates)


def test_bins_are_the_same_for_every_table_and_hold_any_number():
    edges = histogram("pay").bins.edges()
    assert edges == tuple(-edge for edge in reversed(edges))
    assert int(edges[-1]) == 2**40
    assert 0.0 in edges
    assert histogram("pay").chance * histogram("pay").bins.count == pytest.approx(1e-3)
    years = histogram("born", dates=True).bins
    assert (years.edges()[0], years.edges()[-1], years.count) == (1900, 2100, 40)


def test_a_range_is_that_of_the_outermost_bins_that_stand_clear():
    one = histogram("pay")
    noisy = np.zeros(one.bins.count, int)
    assert one.outermost(noisy.tolist(), 5.0) is None
    noisy[[3, 10, 20]] = [5, 6, 7]
    edges = one.bins.edges()
    assert one.outermost(noisy.tolist(), 5.0) == (edges[10], edges[21]), "at the limit is not above it"
    assert one.outermost(noisy.tolist(), 4.9) == (edges[3], edges[21])


def test_each_person_counts_once_however_many_rows_are_theirs():
    for name, dates in (("pay", False), ("born", True)):
        one = histogram(name, dates=dates)
        exact = one.counts(UNIT)().answers["n"]
        assert exact.sensitivity.largest == exact.sensitivity.coordinates == 1
        assert int(exact._exact.sum()) == (2 if name == "pay" else 3)


def test_replacing_a_person_changes_two_bins():
    replaced = pv.Person("who", max_rows=1, change=pv.Change.REPLACE)
    assert (sides(UNIT), sides(replaced)) == (1, 2)
    relation = pv.open_table(PEOPLE, unit=replaced).relation
    exact = RangeHistogram.of(relation, "pay", dates=False).counts(replaced)().answers["n"]
    assert exact.sensitivity.total == 2


def test_values_that_few_have_and_missing_ones_are_not_found(ledger):
    rows = pa.table({"who": range(1000), "ward": ["rare", None, *["icu"] * 998]})
    unit = pv.Person("who", max_rows=1)
    scale = laplace_scale(Fraction(1), 1)
    event = ThresholdedKeys(scale, threshold_for(scale, 1, Fraction(1, 10**6)), 1)
    exact = value_counts(pv.open_table(rows, unit=unit).relation, unit, "ward")()
    shown = thresholded_keys(exact.answers["n"], ledger.charge(event, why="values", unit=unit))
    assert values_of(exact, shown, "ward") == {"icu"}
