"""Class sizes and the risks that follow from them."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from tests.disclosure.adult import adult
from tests.disclosure.tables import class_of, coded, in_order, rows

from privet.disclosure import Codes
from privet.disclosure._equivalence_classes import (
    class_sizes,
    journalist,
    population_map,
    prosecutor,
    weighted_risk,
)
from privet.disclosure._missing_values import sizes_of_each
from privet.errors import BadCodes


@pytest.mark.real_data(twin="test_the_histogram_has_every_class_and_row_once")
def test_adult_has_the_published_classes():
    sizes = class_sizes(adult().sizes())
    assert (sizes.rows, sizes.classes, sizes.uniques, sizes.k) == (30_162, 19_502, 15_512, 1)
    assert [sizes.of_size(s) for s in range(1, 7)] == [15_512, 2_098, 754, 375, 189, 155]
    assert sizes.rows_below(3) == 15_512 + 2 * 2_098


@pytest.mark.real_data(twin="test_risks_are_those_of_counting_row_by_row")
def test_adult_has_the_published_prosecutor_risk():
    codes = adult()
    risk = prosecutor(sizes_of_each(codes), codes.counts)
    assert risk.mean == pytest.approx(0.6465751607983555, rel=1e-14)
    assert risk.highest == 1
    published = {
        0.05: 0.9709236788,
        0.1: 0.8938067767,
        0.2: 0.7781314236,
        0.33: 0.7283999735,
        0.5: 0.5142895033,
    }
    assert risk.above == pytest.approx(published, abs=1e-10)


@given(rows())
def test_risks_are_those_of_counting_row_by_row(lines):
    codes = coded(lines)
    risk = prosecutor(sizes_of_each(codes), codes.counts, (0.3, 0.5))
    risks = [1 / size for size in class_of(lines, range(len(lines[0])))]
    assert risk.highest == max(risks)
    assert risk.mean == pytest.approx(sum(risks) / len(risks))
    assert risk.above == {t: pytest.approx(sum(r > t for r in risks) / len(risks)) for t in (0.3, 0.5)}


def test_the_histogram_has_every_class_and_row_once():
    sizes = class_sizes([1, 1, 2, 4, 7, 7, 5000])
    bins = sizes.histogram((1, 2, 5, 10))
    assert [(b.smallest, b.largest) for b in bins] == [(1, 1), (2, 4), (5, 9), (10, None)]
    assert [(b.classes, b.rows) for b in bins] == [(2, 2), (2, 6), (2, 14), (1, 5000)]


@given(rows(width=2), rows(width=2))
def test_population_counts_are_those_of_counting(sample, population):
    width = (4, 4)
    both = [
        Codes(("a", "b"), found.codes, found.counts, width, (None, None))
        for found in (coded(sample), coded(population))
    ]
    found = population_map(*both, ["b", "a"])
    counts = Counter(map(tuple, population))
    assert in_order(both[0], found.sizes, sample) == [counts[tuple(line)] for line in sample]
    assert found.k == min(counts[tuple(line)] for line in sample)
    assert found.unmatched == sum(counts[tuple(line)] == 0 for line in sample)
    risk = journalist(found.sizes, sizes_of_each(both[0]), both[0].counts)
    assert risk.mean <= prosecutor(sizes_of_each(both[0]), both[0].counts).mean + 1e-12


def test_a_sample_within_its_population_maps_onto_it():
    population = Codes.from_rows("ab", [[0, 0]] * 4 + [[0, 1]] * 3 + [[1, 1]])
    sample = Codes(("a", "b"), np.array([[0, 0], [0, 1]]), np.array([2, 1]), (2, 2), (None, None))
    found = population_map(sample, population, ["a", "b"])
    assert (found.sizes.tolist(), found.k, found.unmatched) == ([4, 3], 3, 0)
    risk = journalist(found.sizes, sizes_of_each(sample), sample.counts)
    assert risk.highest == pytest.approx(1 / 3)
    assert risk.mean == pytest.approx((1 / 4 + 1 / 4 + 1 / 3) / 3)


def test_tables_coded_apart_are_refused():
    with pytest.raises(BadCodes):
        population_map(Codes.from_rows("a", [[0]]), Codes.from_rows("a", [[1]]), ["a"])


def test_an_empty_table_discloses_nothing():
    codes = Codes.from_rows("ab", [])
    sizes = class_sizes(codes.sizes())
    assert (sizes.rows, sizes.k, sizes.uniques) == (0, 0, 0)
    assert prosecutor(sizes_of_each(codes), codes.counts).mean == pytest.approx(0)
    assert population_map(codes, codes, ["a"]).k == 0


# --- survey weights ----------------------------------------------------------------------------

FREQUENCIES = (3, 1, 3, 1, 2, 2, 1, 3)
WEIGHTS = (108, 45.5, 108, 17, 100, 100, 123.5, 108)


def test_individual_risk_is_that_of_the_published_toy():
    common = [0.08579129, 0.17707583, 0.01877883, 0.01877883, 0.03931625]
    for exact, three in ((False, 0.01369863), (True, 0.01355297)):
        risk = weighted_risk(FREQUENCIES, WEIGHTS, exact=exact)
        expected = [three, common[0], three, *common[1:], three]
        assert risk == pytest.approx(expected, abs=5e-9)


@pytest.mark.parametrize("f", [1, 2, 3, 7])
def test_individual_risk_is_the_mean_of_one_over_a_negative_binomial(f):
    from scipy.stats import nbinom

    p = 0.2
    extra = np.arange(5_000)
    expected = (nbinom.pmf(extra, f, p) / (f + extra)).sum()
    assert weighted_risk([f], [f / p])[0] == pytest.approx(expected, rel=1e-9)


def test_a_census_has_the_prosecutor_risk():
    assert weighted_risk([1, 4, 5], [1, 4, 5]).tolist() == pytest.approx([1, 0.25, 0.2])


@pytest.mark.parametrize(("f", "weights"), [([0], [1]), ([2], [1.5]), ([1], [float("nan")])])
def test_impossible_weights_are_refused(f, weights):
    with pytest.raises(BadCodes):
        weighted_risk(f, weights)
