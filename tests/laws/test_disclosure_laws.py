"""Laws of every figure: what must not matter does not, and what must rise rises."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.disclosure.tables import NAMES, coded, rows

from privet.disclosure import Codes
from privet.disclosure._column_set_lattice import walk
from privet.disclosure._contingency_cells import cells
from privet.disclosure._equivalence_classes import class_sizes, prosecutor
from privet.disclosure._missing_values import SEMANTICS, sizes_of_each
from privet.disclosure._quasi_identifiers import column_sets, keys
from privet.disclosure._suda import suda
from privet.disclosure._unicity import unicity
from privet.disclosure.diversity_measures import diversity

lines_of = rows(smallest=2, width=4, most=14)


def figures(codes, sensitive="d"):
    """Everything that is said of a table, by names of columns."""
    found = walk(codes)
    special = suda(found)
    others = sorted(set(codes.columns) - {sensitive})
    return {
        "sizes": sorted(codes.sizes().tolist()),
        "sets": {
            frozenset(s.columns): (s.separation, s.distinction, s.unique_share)
            for s in column_sets(found, largest=4).sets
        },
        "scores": sorted(zip(special.scores.tolist(), codes.counts.tolist(), strict=True)),
        "minimal": {frozenset(each.columns): each.rows for each in special.sets},
        "keys": {frozenset(each) for each in keys(codes).sets},
        "unicity": [round(point.share, 12) for point in unicity(found)],
        "diversity": diversity(cells(codes, others, sensitive)),
    }


def rounded(found):
    worst = found["diversity"]
    shown = {k: v for k, v in vars(worst).items() if isinstance(v, float | int) and k != "t_ordered"}
    return {**found, "diversity": {k: pytest.approx(v) for k, v in shown.items()}}


@given(lines_of, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(lines, random):
    shuffled = list(lines)
    random.shuffle(shuffled)
    assert figures(coded(lines)) == figures(coded(shuffled))


@given(lines_of, st.permutations(range(4)))
def test_the_names_of_values_do_not_matter(lines, renamed):
    other = [tuple(renamed[value] for value in line) for line in lines]
    assert rounded(figures(coded(lines))) == rounded(
        figures(coded(other))
    )  # exact: counts, and shares rounded far above their error


@given(lines_of, st.permutations(range(4)))
def test_the_order_of_columns_does_not_matter(lines, order):
    codes = Codes.from_rows([NAMES[j] for j in order], [[line[j] for j in order] for line in lines])
    assert figures(coded(lines)) == figures(codes)


@given(lines_of)
def test_doubling_a_table_doubles_its_classes(lines):
    once, twice = coded(lines), coded([*lines, *lines])
    assert sorted(twice.sizes()) == [2 * size for size in sorted(once.sizes())]
    for missing in SEMANTICS:
        assert (sizes_of_each(twice, missing=missing) == 2 * sizes_of_each(once, missing=missing)).all()
    assert class_sizes(twice.sizes()).uniques == 0
    assert suda(walk(twice)).by_size == (0, 0, 0, 0)
    first, second = (diversity(cells(each, "abc", "d")) for each in (once, twice))
    assert second.k == 2 * first.k
    for name, value in vars(first).items():
        if name not in ("k", "single_valued_rows", "t_hierarchical"):
            assert getattr(second, name) == pytest.approx(value), name


@given(lines_of, st.sampled_from(["own value", "wildcard"]))
def test_another_quasi_identifier_never_lowers_risk(lines, missing):
    codes = coded(lines, missing=[3] * 4)
    risks = [
        prosecutor(sizes_of_each(codes, NAMES[:width], missing), codes.counts, (0.2, 0.4))
        for width in range(1, 5)
    ]
    for fewer, more in pairwise(risks):
        assert fewer.highest <= more.highest
        assert fewer.mean <= more.mean + 1e-12
        assert all(fewer.above[t] <= more.above[t] for t in fewer.above)


@given(lines_of)
def test_measures_of_sets_only_rise(lines):
    found = {frozenset(s.columns): s for s in column_sets(walk(coded(lines)), largest=4).sets}
    for small, fewer in found.items():
        for large, more in found.items():
            if small < large:
                assert fewer.separation <= more.separation
                assert fewer.distinction <= more.distinction
                assert fewer.unique_share <= more.unique_share
    shares = [point.share for point in unicity(walk(coded(lines)))]
    assert shares == sorted(shares) or np.allclose(shares, sorted(shares), atol=1e-12)


@given(lines_of)
def test_merging_all_classes_leaves_nothing_to_learn(lines):
    table = Codes.from_rows("xd", [(0, line[3]) for line in lines])
    worst = diversity(cells(table, ["x"], "d"))
    assert worst.t_equal == pytest.approx(0, abs=1e-12)
    assert worst.t_ordered == pytest.approx(0, abs=1e-12)
    assert worst.delta_disclosure == pytest.approx(0, abs=1e-12)
    assert worst.beta_basic == pytest.approx(0, abs=1e-12)
