"""The unicity curve, and the repeatable choices that it and others are drawn with."""

from math import comb

import numpy as np
import pytest
from hypothesis import given
from tests.disclosure.adult import adult
from tests.disclosure.tables import class_of, coded, made_up, rows, subsets

from privet.disclosure import _quasi_random as drawing
from privet.disclosure._column_set_lattice import walk
from privet.disclosure._mean_interval import mean_interval
from privet.disclosure._unicity import unicity
from privet.errors import BadCodes


@given(rows(width=4, most=12))
def test_the_curve_is_the_mean_over_all_sets(lines):
    for point in unicity(walk(coded(lines))):
        shares = [
            class_of(lines, at).count(1) / len(lines) for at in subsets(4) if len(at) == point.attributes
        ]
        assert point.share == pytest.approx(sum(shares) / len(shares))
        assert point.best == pytest.approx(max(shares))
        assert point.exact
        assert point.low == point.high == point.share  # exact: one figure, thrice


@pytest.mark.real_data(twin="test_drawn_points_of_a_made_up_table_have_the_true_one_in_their_interval")
def test_drawn_points_have_the_true_one_in_their_interval():
    """Few draws from skewed shares: at 99.9 % all six intervals hold, where Student's t would miss one."""
    check_drawn_points(adult())


def test_drawn_points_of_a_made_up_table_have_the_true_one_in_their_interval():
    """Rows and draws are fixed, so that it cannot flicker."""
    check_drawn_points(made_up())


def check_drawn_points(codes):
    truth = unicity(walk(codes))
    drawn = unicity(walk(codes, largest=1), draws=15, confidence=0.999)
    assert [point.exact for point in drawn] == [True, False, False, False, False, False, False, True, True]
    for exact, point in zip(truth, drawn, strict=True):
        assert point.low <= exact.share <= point.high
        assert point.sets == (15 if not point.exact else comb(9, point.attributes))
        assert point.best <= exact.best


@pytest.mark.real_data(twin="test_a_made_up_table_is_counted_on_fewer_sets")
def test_a_large_table_is_counted_on_fewer_sets():
    check_fewer_sets(adult())


def test_a_made_up_table_is_counted_on_fewer_sets():
    check_fewer_sets(made_up())


def check_fewer_sets(codes):
    curve = unicity(walk(codes, largest=2), limit=12 * 7 * len(codes))
    assert [point.sets for point in curve if not point.exact] == [12] * 5
    curve = unicity(walk(codes, largest=2), limit=0)
    assert [point.sets for point in curve if not point.exact] == [10] * 5


def test_the_curve_ends_where_asked_and_tells_its_progress():
    told = []
    curve = unicity(walk(coded([(0, 1, 2), (1, 1, 2)])), largest=2, progress=told.append)
    assert [point.attributes for point in curve] == told == [1, 2]
    with pytest.raises(BadCodes):
        unicity(walk(coded([(0,)])), draws=1)


@pytest.mark.parametrize(("draws", "confidence"), [(10, 0.95), (15, 0.999), (100, 0.95)])
def test_intervals_hold_as_often_as_they_say(draws, confidence):
    """Nine in ten numbers are 0 and the rest near 1. The 400 repetitions are fixed, so that it cannot flicker."""
    everything = np.concatenate([np.zeros(270), np.linspace(0.8, 1, 30)])
    orders = np.argsort(drawing.whole_numbers("orders", 400 * 300, 2**31).reshape(400, 300), axis=1)
    found = [mean_interval(everything[order[:draws]], 300, confidence) for order in orders]
    held = np.mean([low <= everything.mean() <= high for low, high in found])
    assert held >= confidence
    assert np.mean([high - low for low, high in found]) < {10: 0.8, 15: 0.9, 100: 0.2}[draws]


def test_an_interval_closes_when_everything_was_drawn():
    everything = np.tile([0.2, 0.9, 0.4], 40)
    low, high = mean_interval(everything, 120, 0.95)
    assert low <= everything.mean() <= high
    assert high - low < 0.01


# --- choices -----------------------------------------------------------------------------------


def test_choices_are_repeatable_and_differ_by_name():
    first, again = (drawing.whole_numbers("a", 50, 1000) for _ in range(2))
    assert (first == again).all()
    assert (first != drawing.whole_numbers("b", 50, 1000)).any()


@pytest.mark.parametrize("below", [1, 2, 7, 10**7, 2**31])
def test_whole_numbers_are_in_range_and_evenly_spread(below):
    """Ten equal parts of 100,000 draws: each within six standard deviations; fixed, so that it cannot flicker."""
    drawn = drawing.whole_numbers("even", 100_000, below)
    assert 0 <= drawn.min() <= drawn.max() < below
    parts = min(10, below)
    counts = np.bincount((drawn * parts) // below, minlength=parts)
    expected = np.bincount((np.arange(below) * parts) // below) / below * 1e5 if below < 100 else 1e5 / parts
    assert (np.abs(counts - expected) <= 6 * np.sqrt(1e5 / parts)).all()


def test_pairs_are_of_different_rows_and_weighted_by_counts():
    first, second = drawing.row_pairs("p", np.array([1, 8, 1]), 90_000)
    assert ((first != second) | (first == 1)).all(), "a tuple of one row is never paired with itself"
    both = np.mean((first == 1) & (second == 1))
    assert both == pytest.approx(8 * 7 / 90, abs=0.01)


def test_drawn_subsets_differ_and_have_their_size():
    found = drawing.subsets("s", 12, 5, 100)
    assert len(set(found)) == 100
    assert all(len(set(at)) == 5 and list(at) == sorted(at) and at[-1] < 12 for at in found)
