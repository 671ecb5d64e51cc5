"""Local recoding, Mondrian and the anytime search: better than published losses, and what they say is true."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.protect.anonymize.adult_tables import adult

from privet.disclosure import Codes
from privet.disclosure._equivalence_classes import class_sizes
from privet.disclosure._population_uniqueness import population
from privet.errors import BadSearch, ModelUnfit, Unreachable
from privet.guarantee._promise_registry import (
    DeltaPresence,
    KAnonymity,
    KMap,
    LDiversity,
    PopulationUniqueness,
    RiskThreshold,
    TCloseness,
    parts,
)
from privet.protect.anonymize.hierarchies import Hierarchy
from privet.protect.anonymize.search import search

LETTERS = Hierarchy.from_paths("letter", [(c, "ab" if c < "c" else "cd", "*") for c in "abcd"])
DIGITS = Hierarchy.from_paths("digit", [("1", "low", "*"), ("2", "low", "*"), ("3", "high", "*")])
tables = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 2)), min_size=6, max_size=60)


def coded(rows):
    every = Codes.from_rows(("letter", "digit", "ill"), rows)
    return Codes(every.columns, every.codes, every.counts, (4, 3, 3), (None,) * 3)


def ladders():
    return [LETTERS.ladder("abcd"), DIGITS.ladder("123")]


@pytest.mark.real_data(twin="test_local_recoding_publishes_equal_cells_in_each_class")
@pytest.mark.parametrize(("k", "below"), [(2, 0.0216), (5, 0.05194), (10, 0.0764)])
def test_local_recoding_loses_less_than_the_best_peer(k, below):
    codes, hierarchies, _ = adult()
    start = time.process_time()
    found = search(codes, hierarchies, KAnonymity(k), max_suppressed="0.0001", how="local")
    spent = time.process_time() - start
    assert found.loss < below
    assert found.suppressed_rows <= 3
    assert not found.optimal
    assert spent < 15  # about 2 CPU-seconds on a quiet machine
    assert_classes(found, k)


@pytest.mark.real_data(twin="test_sets_list_the_values_of_their_class")
def test_sets_lose_less_than_hierarchy_nodes():
    codes, hierarchies, _ = adult()
    found = search(codes, hierarchies, KAnonymity(5), how="mondrian")
    assert found.loss < 0.0204
    assert found.suppressed_rows == 0
    assert_classes(found, 5)


def assert_classes(found, k):
    kept = ~found.suppressed
    sizes = np.bincount(found.labels[kept], weights=found.counts[kept])
    assert sizes.min() >= k
    assert found.classes == len(sizes)


@settings(max_examples=25, deadline=None)
@given(rows=tables, k=st.integers(2, 4))
def test_local_recoding_publishes_equal_cells_in_each_class(rows, k):
    codes = coded(rows)
    found = search(codes, ladders(), KAnonymity(k), how="local")
    texts = [
        tuple(
            ladder.hierarchy.labels[h][ladder.nodes[code, h]]
            for ladder, code, h in zip(ladders(), line, levels, strict=True)
        )
        for line, levels in zip(found.codes, found.nodes, strict=True)
    ]
    rows_of = {}
    for text, count in zip(texts, found.counts, strict=True):
        rows_of[text] = rows_of.get(text, 0) + int(count)
    assert min(rows_of.values()) >= k
    assert found.classes == len(rows_of)
    best = search(codes, ladders(), KAnonymity(k)).loss
    assert found.loss <= best + 1e-9


@settings(max_examples=25, deadline=None)
@given(rows=tables, k=st.integers(2, 4))
def test_sets_list_the_values_of_their_class(rows, k):
    codes = coded(rows)
    found = search(codes, ladders(), KAnonymity(k), how="mondrian")
    sizes = np.bincount(found.labels, weights=found.counts)
    assert sizes.min() >= k
    for j, sets in enumerate(found.sets):
        assert sets[found.labels, found.codes[:, j]].all()
    letters = found.sets[0].sum(axis=1)[found.labels] / 4
    assert np.allclose(letters, found.shares[:, 0])


@pytest.mark.parametrize("how", ["local", "mondrian"])
@settings(max_examples=30, deadline=None)
@given(rows=tables)
def test_every_class_keeps_a_joint_promise(how, rows):
    codes = coded(rows)
    promise = KAnonymity(2) & LDiversity("ill", 2) & TCloseness("ill", "0.6")
    try:
        found = search(codes, ladders(), promise, max_suppressed="0.2", how=how)
    except Unreachable:
        return
    shares = np.bincount(codes.codes[:, 2], weights=codes.counts, minlength=3) / codes.rows
    at = {tuple(line): label for line, label in zip(found.codes.tolist(), found.labels, strict=True)}
    labels = np.array([at[tuple(line)] for line in codes.codes[:, :2].tolist()])
    for label in set(labels[labels >= 0].tolist()):
        inside = labels == label
        values = np.bincount(codes.codes[inside, 2], weights=codes.counts[inside], minlength=3)
        assert np.count_nonzero(values) >= 2
        assert np.abs(values / values.sum() - shares).sum() / 2 <= 0.6 + 1e-9


@pytest.mark.real_data(twin="test_an_anytime_search_that_is_cut_short_says_so")
def test_an_anytime_search_says_whether_it_is_proven():
    codes, hierarchies, _ = adult()
    few = search(codes, hierarchies, KAnonymity(5), max_suppressed="0.05", how="anytime", most_nodes=300)
    assert few.nodes_evaluated <= 300
    assert not few.optimal
    assert few.loss == pytest.approx(0.26963466, abs=1e-6)


def test_an_anytime_search_that_is_cut_short_says_so():
    codes = coded([(at % 4, at % 3, 0) for at in range(24)])
    few = search(codes, ladders(), KAnonymity(3), how="anytime", most_nodes=3)
    assert few.nodes_evaluated <= 3
    assert not few.optimal
    small = search(coded([(0, 0, 0)] * 3 + [(1, 1, 1)] * 3), ladders(), KAnonymity(2), how="anytime")
    assert small.optimal
    assert small.loss == pytest.approx(0)


@settings(max_examples=25, deadline=None)
@given(rows=tables, share=st.sampled_from(["0", "0.2", "1"]))
def test_an_anytime_search_with_time_enough_is_optimal(rows, share):
    codes = coded(rows)
    slow = search(codes, ladders(), KAnonymity(2), max_suppressed=share, how="anytime")
    assert slow.optimal
    assert slow.loss == pytest.approx(search(codes, ladders(), KAnonymity(2), max_suppressed=share).loss)


@pytest.mark.parametrize("how", ["local", "mondrian"])
@settings(max_examples=40, deadline=None)
@given(
    rows=tables,
    promise=st.sampled_from(
        [
            RiskThreshold(average="0.2"),
            RiskThreshold(average="0.45"),
            RiskThreshold(highest="0.5", average="0.3"),
            PopulationUniqueness("0.05", "0.3"),
            KAnonymity(2) & RiskThreshold(average="0.3"),
        ]
    ),
)
def test_conditions_on_all_classes_together(how, rows, promise):
    try:
        found = search(coded(rows), ladders(), promise, max_suppressed="0.2", how=how)
    except Unreachable:
        return
    kept = ~found.suppressed
    sizes = np.bincount(found.labels[kept], weights=found.counts[kept]).astype(int)
    sizes = sizes[sizes > 0]
    for part in parts(promise):
        if isinstance(part, KAnonymity):
            assert sizes.min(initial=part.k) >= part.k
        elif isinstance(part, RiskThreshold):
            assert len(sizes) <= float(part.average) * sizes.sum() + 1e-9
            assert part.highest is None or sizes.min(initial=2) >= 2
        elif (sizes == 1).any():
            estimate = population(class_sizes(sizes), 0.3).dankar.share
            assert estimate is not None
            assert estimate <= 0.05


def test_a_mean_needs_no_class_as_large_as_its_bound_alone_would():
    rows = [(a, b, 0) for a in range(4) for b in range(3)] + [(0, 0, 0)] * 60
    for how in ("local", "mondrian"):
        mean = search(coded(rows), ladders(), RiskThreshold(average="0.2"), how=how)
        each = search(coded(rows), ladders(), RiskThreshold(highest="0.2"), how=how)
        assert mean.loss < each.loss


@pytest.mark.parametrize("how", ["local", "mondrian"])
@settings(max_examples=40, deadline=None)
@given(everybody=tables, drawn=st.integers(2, 10), k=st.integers(2, 5))
def test_every_row_fits_k_people_of_the_population(how, everybody, drawn, k):
    sample = everybody[:drawn]
    try:
        found = search(coded(sample), ladders(), KMap(k), population=coded(everybody), how=how)
    except Unreachable:
        # Sets list the values of the table's own rows: who has others fits none of them.
        letters, digits = ({row[j] for row in sample} for j in range(2))
        digits = set(range(min(digits), max(digits) + 1))
        fitting = [how == "local" or (row[0] in letters and row[1] in digits) for row in everybody]
        assert sum(fitting) < k
        return
    assert found.codes.shape[0] == len({row[:2] for row in sample})
    for at, (code, levels) in enumerate(zip(found.codes, found.nodes, strict=True)):
        if found.sets is None:
            fitting = [
                all(
                    ladder.nodes[row[j], levels[j]] == ladder.nodes[code[j], levels[j]]
                    for j, ladder in enumerate(ladders())
                )
                for row in everybody
            ]
        else:
            fitting = [all(found.sets[j][found.labels[at], row[j]] for j in range(2)) for row in everybody]
        assert sum(fitting) >= k


def test_what_local_recoding_cannot_keep_is_refused():
    codes = coded([(0, 0, 0)] * 5)
    for how in ("local", "mondrian"):
        with pytest.raises(ModelUnfit, match="delta-presence has no meaning"):
            search(codes, ladders(), DeltaPresence(0, "0.5"), how=how, population=codes)
        with pytest.raises(BadSearch):
            search(codes, ladders(), KAnonymity(2), metric="precision", how=how)
