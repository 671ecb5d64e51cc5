"""Models that look beyond the table: population counts, presence, estimates, average risk."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.disclosure import Codes
from privet.errors import ModelUnfit, Unreachable
from privet.guarantee._promise_registry import (
    DeltaPresence,
    KAnonymity,
    KMap,
    LDiversity,
    PopulationUniqueness,
    PureDP,
    RiskThreshold,
)
from privet.protect.anonymize._promise_rules import rows_for_k_map
from privet.protect.anonymize.hierarchies import Hierarchy
from privet.protect.anonymize.search import search

LETTERS = Hierarchy.from_paths("letter", [(c, "ab" if c < "c" else "cd", "*") for c in "abcd"])
COIN = Hierarchy.from_paths("coin", [("h", "*"), ("t", "*")])
people = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1)), min_size=8, max_size=40)


def coded(rows):
    every = Codes.from_rows(("letter", "coin"), rows)
    return Codes(every.columns, every.codes, every.counts, (4, 2), (None, None))


def ladders():
    return [LETTERS.ladder("abcd"), COIN.ladder("ht")]


def generalized(rows, levels):
    paths = [[tuple(ladder.nodes[code]) for code in range(len(ladder.rows))] for ladder in ladders()]
    return [tuple(paths[j][cell][levels[j]] for j, cell in enumerate(row)) for row in rows]


def every_node():
    return [(a, b) for a in range(3) for b in range(2)]


@settings(max_examples=50, deadline=None)
@given(
    everybody=people,
    drawn=st.integers(2, 7),
    promise=st.sampled_from([KMap(3), DeltaPresence(0, "0.5"), DeltaPresence("0.1", "0.8")]),
)
def test_classes_are_compared_with_the_population(everybody, drawn, promise):
    sample = everybody[:drawn]
    feasible = {}
    for levels in every_node():
        public, mine = generalized(everybody, levels), generalized(sample, levels)
        if isinstance(promise, KMap):
            good = all(public.count(row) >= promise.k for row in mine)
        else:
            shares = [Fraction(mine.count(row), public.count(row)) for row in set(public)]
            good = all(promise.minimum <= share <= promise.maximum for share in shares)
        if good:
            feasible[levels] = True
    try:
        found = search(coded(sample), ladders(), promise, population=coded(everybody))
    except Unreachable:
        assert not feasible
        return
    assert found.levels in feasible
    assert found.suppressed_rows == 0
    assert found.loss <= min(search_loss(sample, levels) for levels in feasible) + 1e-12


def search_loss(rows, levels):
    total = 0.0
    for j, ladder in enumerate(ladders()):
        leaves = len(ladder.rows)
        shares = np.mean([ladder.shares[row[j], levels[j]] for row in rows])
        total += (shares - 1 / leaves) / (1 - 1 / leaves)
    return total / 2


def test_a_population_is_asked_for():
    with pytest.raises(ModelUnfit, match="population"):
        search(coded([(0, 0)] * 3), ladders(), KMap(2))


def poisson(mean, number):
    return sum(math.exp(-mean) * mean**i / math.factorial(i) for i in range(number + 1))


@pytest.mark.parametrize("fraction", ["0.01", "0.2", "0.9"])
def test_estimated_k_map_is_k_anonymity_with_a_smaller_k(fraction):
    for estimate in ("poisson", "zero-truncated-poisson"):
        promise = KMap(10, estimate, sampling_fraction=fraction, significance="0.05")
        rows = rows_for_k_map(promise)
        mean = 10 * float(fraction)

        def chance_of_reaching(number, *, mean=mean, estimate=estimate):
            zero = poisson(mean, 0) if estimate != "poisson" else 0
            return min(1.0, (1 - poisson(mean, number - 1)) / (1 - zero))

        assert rows == 10 or chance_of_reaching(rows) <= 0.05
        assert chance_of_reaching(rows - 1) > 0.05


def test_one_row_never_shows_that_there_are_several_people():
    for estimate in ("poisson", "zero-truncated-poisson"):
        for fraction in ("0.000001", "0.01", "0.5", "1"):
            promise = KMap(5, estimate, sampling_fraction=fraction, significance="0.01")
            assert rows_for_k_map(promise) >= (2 if estimate != "poisson" else 1)
    # A person who was drawn is drawn for sure, so a class of one row says nothing at all.
    rare = KMap(3, "zero-truncated-poisson", sampling_fraction="0.0001", significance="0.01")
    assert rows_for_k_map(rare) == 2


@settings(max_examples=40, deadline=None)
@given(rows=people, average=st.sampled_from(["0.1", "0.2", "0.4"]))
def test_average_risk_is_classes_over_rows(rows, average):
    try:
        found = search(coded(rows), ladders(), RiskThreshold(average=average), max_suppressed="0.3")
    except Unreachable:
        assert len(rows) * float(average) < 1 + 1e-9
        return
    kept = len(rows) - found.suppressed_rows
    assert found.classes <= float(average) * kept + 1e-9


def test_population_uniqueness_leaves_few_uniques():
    rows = [(a, b) for a in range(4) for b in range(2)] + [(0, 0)] * 12
    strict = search(coded(rows), ladders(), PopulationUniqueness(0, "0.5"), max_suppressed="0.5")
    sizes = np.bincount(strict.labels[~strict.suppressed], weights=strict.counts[~strict.suppressed])
    assert (sizes[sizes > 0] > 1).all()
    loose = search(coded(rows), ladders(), PopulationUniqueness("0.99", "0.5"), max_suppressed="0.5")
    assert loose.loss <= strict.loss


def test_a_promise_about_noise_is_refused():
    with pytest.raises(ModelUnfit, match="PureDP"):
        search(coded([(0, 0)] * 3), ladders(), KAnonymity(2) & PureDP(1))
    with pytest.raises(ModelUnfit):
        search(coded([(0, 0)] * 3), ladders(), LDiversity("absent", 2))
