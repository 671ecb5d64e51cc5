"""What classes say about sensitive values, against definitions computed value by value."""

import csv
import math
from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.disclosure.adult import adult, labels
from tests.disclosure.tables import rows
from tests.real_data import real_data

from privet.disclosure import Codes
from privet.disclosure import diversity_measures as diversity
from privet.disclosure._contingency_cells import cells, cells_of
from privet.errors import BadCodes


def by_class(lines):
    """Counts of the last column by class of the others, classes in order; and global shares."""
    classes = defaultdict(Counter)
    for line in lines:
        classes[tuple(line[:-1])][line[-1]] += 1
    total = Counter(line[-1] for line in lines)
    shares = {value: number / len(lines) for value, number in sorted(total.items())}
    return [classes[key] for key in sorted(classes)], shares


def made(lines):
    names = "abcde"[: len(lines[0])]
    return cells(Codes.from_rows(names, lines), names[:-1], names[-1])


def transport(q, p, cost):
    """The cheapest way to move one distribution onto another, by linear programming."""
    from scipy.optimize import linprog

    width = len(p)
    flows = np.zeros((2 * width, width * width))
    for i in range(width):
        for j in range(width):
            flows[i, i * width + j] = flows[width + j, i * width + j] = 1
    return linprog(np.ravel(cost), A_eq=flows, b_eq=[*q, *p], method="highs").fun


tables = rows(width=3, most=25, values=6)


@given(tables)
def test_l_diversity_is_as_defined(lines):
    found, (classes, _) = made(lines), by_class(lines)
    assert diversity.distinct_l(found).tolist() == [len(each) for each in classes]
    entropies = [
        -sum(n / each.total() * math.log(n / each.total()) for n in each.values()) for each in classes
    ]
    assert np.log(diversity.entropy_l(found)) == pytest.approx(entropies, abs=1e-12)
    assert found.sizes.tolist() == [each.total() for each in classes]


@given(tables, st.integers(1, 4), st.sampled_from([0.5, 1, 2, 3]))
def test_recursive_diversity_is_as_defined(lines, least, c):
    found, (classes, _) = made(lines), by_class(lines)
    expected = []
    for each in classes:
        counts = sorted(each.values(), reverse=True)
        expected.append(counts[0] < c * sum(counts[least - 1 :]))
    assert (diversity.recursive_ratio(found, least) < c).tolist() == expected


@given(tables)
def test_closeness_with_equal_and_ordered_distances_is_as_defined(lines):
    found, (classes, shares) = made(lines), by_class(lines)
    equal, ordered = [], []
    for each in classes:
        q = np.array([each[value] / each.total() for value in shares])
        apart = q - np.array(list(shares.values()))
        equal.append(np.abs(apart).sum() / 2)
        ordered.append(np.abs(np.cumsum(apart)).sum() / max(1, len(shares) - 1))
    assert diversity.t_equal(found) == pytest.approx(equal, abs=1e-12)
    assert diversity.t_ordered(found) == pytest.approx(ordered, abs=1e-12)


LEVELS = np.array([[0, 0, 0], [0, 0, 0], [1, 0, 0], [2, 1, 0], [2, 1, 0], [3, 1, 0]])


@given(rows(width=2, most=25, values=6))
def test_closeness_in_a_hierarchy_is_the_cheapest_transport(lines):
    found, (classes, shares) = made(lines), by_class(lines)
    levels = LEVELS[list(shares)]
    cost = [
        [0 if i == j else (1 + np.argmax(levels[i] == levels[j])) / 3 for j in range(len(levels))]
        for i in range(len(levels))
    ]
    expected = [
        transport([each[v] / each.total() for v in shares], list(shares.values()), cost) for each in classes
    ]
    assert found.originals.tolist() == list(shares)
    assert diversity.t_hierarchical(found, levels) == pytest.approx(expected, abs=1e-9)


@given(tables, st.sampled_from([0.5, 1, 2]))
def test_beta_delta_and_alpha_are_as_defined(lines, beta):
    found, (classes, shares) = made(lines), by_class(lines)
    basic, enhanced, delta, alpha, strict = [], [], [], [], []
    for each in classes:
        q = {value: each[value] / each.total() for value in shares}
        gains = {value: (q[value] - shares[value]) / shares[value] for value in shares}
        basic.append(max(0, *gains.values()))
        enhanced.append(all(g <= min(beta, -math.log(shares[v])) + 1e-12 for v, g in gains.items() if g > 0))
        delta.append(max(abs(math.log(q[v] / shares[v])) for v in shares if q[v]))
        strict.append(math.inf if 0 in q.values() else delta[-1])
        alpha.append(max(q.values()))
    assume(all(abs(value - beta) > 1e-9 for value in basic))
    assert diversity.beta_basic(found) == pytest.approx(basic, abs=1e-12)
    assert (diversity.beta_enhanced(found) <= beta).tolist() == enhanced
    assert diversity.delta_disclosure(found) == pytest.approx(delta, abs=1e-12)
    assert diversity.delta_disclosure(found, absent="refuse") == pytest.approx(strict, abs=1e-12)
    assert diversity.delta_disclosure(found, base=2) * math.log(2) == pytest.approx(delta, abs=1e-12)
    assert diversity.alpha(found) == pytest.approx(alpha)


@pytest.mark.real_data(twin="test_closeness_with_equal_and_ordered_distances_is_as_defined")
def test_adult_has_the_published_closeness():
    codes = adult()
    social = ["sex", "race", "marital-status"]
    assert diversity.t_equal(cells(codes, social, "salary-class")).max() == pytest.approx(0.7510775147536636)
    assert diversity.t_equal(cells(codes, social, "occupation")).max() == pytest.approx(0.8766328492805519)
    ages = cells(codes, ["sex", "race"], "age")
    assert diversity.t_ordered(ages).max() == pytest.approx(0.0919357148587203, rel=1e-12)


@pytest.mark.real_data(twin="test_beta_delta_and_alpha_are_as_defined")
def test_adult_has_the_published_diversity():
    worst = diversity.diversity(cells(adult(), ["sex", "race"], "occupation"))
    assert worst.k == 87
    assert worst.alpha == pytest.approx(0.2789115646258503)
    assert worst.beta_basic == pytest.approx(17.722532588454378)
    assert worst.delta_disclosure == pytest.approx(3.132721992807618)
    assert worst.entropy_l == pytest.approx(7.5556, abs=5e-5)
    assert worst.t_hierarchical is None


@pytest.mark.real_data(twin="test_closeness_in_a_hierarchy_is_the_cheapest_transport")
def test_adult_occupations_are_closer_in_their_hierarchy():
    names = labels()["occupation"]
    with (real_data("adult") / "adult_hierarchy_occupation.csv").open(encoding="utf-8") as file:
        above = {line[0]: line[1:] for line in csv.reader(file, delimiter=";")}
    levels = np.stack(
        [np.unique(level, return_inverse=True)[1] for level in zip(*[above[n] for n in names], strict=True)],
        1,
    )
    found = cells(adult(), ["sex", "race"], "occupation")
    assert (diversity.t_hierarchical(found, levels) <= diversity.t_equal(found) + 1e-12).all()


def test_a_fixed_reference_stays_when_classes_are_left_out():
    shares = np.array([0.5, 0.25, 0.25])
    found = cells_of(np.array([0, 0, 0]), np.array([2, 0, 2]), np.array([1, 2, 1]), shares)
    assert found.values.tolist() == [0, 2]
    assert found.counts.tolist() == [2, 2]
    assert diversity.t_equal(found).tolist() == pytest.approx([0.25])


def test_rows_in_classes_of_one_value_are_counted():
    worst = diversity.diversity(made([(0, 1), (0, 1), (1, 0), (1, 1)]))
    assert (worst.single_valued_rows, worst.distinct_l, worst.recursive_ratio[2]) == (2, 1, math.inf)


def test_what_cannot_be_measured_is_refused():
    codes = Codes.from_rows("ab", [[0, 1], [1, 0]])
    found = cells(codes, ["a"], "b")
    with pytest.raises(BadCodes):
        cells(codes, ["a", "b"], "b")
    with pytest.raises(BadCodes):
        diversity.recursive_ratio(found, 0)
    with pytest.raises(BadCodes):
        diversity.diversity(cells(Codes.from_rows("ab", []), ["a"], "b"))
    for levels in ([[0], [1]], [[0]], [[0, 0, 0], [0, 1, 0]]):
        with pytest.raises(BadCodes):
            diversity.t_hierarchical(found, np.array(levels))
