"""Rows with levels or sets of their own: every promise about classes, tables and populations is kept."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.protect.anonymize.search.letters import coded, ladders, tables

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
from privet.protect.anonymize.search import search


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
