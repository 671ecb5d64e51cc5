"""Quasi-identifiers that nobody named, against brute force."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.disclosure.adult import adult
from tests.disclosure.tables import class_of, coded, made_up, rows, subsets

from privet.disclosure import Codes
from privet.disclosure import _quasi_identifiers as quasi
from privet.disclosure._column_set_lattice import walk
from privet.disclosure._quasi_identifiers import column_sets, keys, singling_out
from privet.errors import BadCodes


@pytest.mark.real_data(twin="test_the_hand_computed_toy_has_its_figures")
def test_adult_has_the_published_distinction_and_separation():
    found = {each.columns: each for each in column_sets(walk(adult()), largest=9).sets}
    assert len(found) == 511
    published = {
        ("age",): (0.0023871096, 0.9781172561),
        ("native-country",): (0.0013593263, 0.1678946113),
        ("occupation",): (0.0004641602, 0.8946220036),
        ("sex",): (0.0000663086, 0.4382843481),
        adult().columns: (0.6465751608, 0.9999063224),
    }
    for columns, figures in published.items():
        assert (found[columns].distinction, found[columns].separation) == pytest.approx(figures, abs=1e-10)


def test_the_hand_computed_toy_has_its_figures():
    lines = [(0, 0, 0), (1, 0, 0), (2, 0, 1), (0, 1, 2), (2, 1, 0)]
    found = {each.columns: each for each in column_sets(walk(coded(lines))).sets}
    expected = {"a": (0.6, 0.8), "b": (0.4, 0.6), "c": (0.6, 0.7), "bc": (0.8, 0.9)}
    expected |= {"ac": (1, 1), "ab": (1, 1), "abc": (1, 1)}
    for columns, figures in expected.items():
        each = found[tuple(columns)]
        assert (each.distinction, each.separation) == pytest.approx(figures)
    assert keys(coded(lines)).sets == (("a", "b"), ("a", "c"))


@given(rows(smallest=2, width=3))
def test_measures_are_those_of_comparing_all_pairs(lines):
    for each in column_sets(walk(coded(lines))).sets:
        at = ["abc".index(name) for name in each.columns]
        pairs = list(combinations(lines, 2))
        apart = sum(any(x[j] != y[j] for j in at) for x, y in pairs)
        assert each.separation == pytest.approx(apart / len(pairs))
        assert each.unique_share == pytest.approx(class_of(lines, at).count(1) / len(lines))


@pytest.mark.real_data(twin="test_sets_of_a_made_up_table_are_drawn_and_marked")
def test_sets_that_the_walk_did_not_reach_are_drawn_and_marked():
    check_drawn_sets(adult())


def test_sets_of_a_made_up_table_are_drawn_and_marked():
    check_drawn_sets(made_up())


def check_drawn_sets(codes):
    exact = {each.columns: each for each in column_sets(walk(codes)).sets}
    drawn = column_sets(walk(codes, largest=1), largest=3)
    assert (drawn.exact_size, drawn.drawn_size) == (1, 3)
    assert len(drawn.sets) == len(exact)
    for each in drawn.sets:
        assert each.exact == (len(each.columns) == 1)
        # Hoeffding's margin for 95 %, doubled: it holds for all 120 sets at once.
        assert abs(each.separation - exact[each.columns].separation) <= 2 * each.margin
        assert each.exact or (each.distinction is None and 0 < each.margin < 0.01)


# --- singling out ------------------------------------------------------------------------------


@given(rows(width=4, most=12), st.sampled_from([0.1, 0.3, 0.5, 1]))
def test_the_smallest_sets_are_those_of_brute_force(lines, share):
    strong = [at for at in subsets(4) if class_of(lines, at).count(1) >= share * len(lines) - 1e-9]
    expected = {tuple("abcd"[j] for j in at) for at in strong if not any(set(b) < set(at) for b in strong)}
    found = singling_out(walk(coded(lines)), share)
    assert {each.columns for each in found.sets} == expected
    assert found.exact


@pytest.mark.real_data(twin="test_a_set_is_grown_in_a_made_up_table")
def test_a_set_is_grown_where_no_small_one_is_enough():
    codes = adult()
    small = walk(codes, largest=2)
    found = singling_out(small, 0.2)
    assert not found.exact
    (grown,) = found.sets
    assert grown.unique_share >= 0.2
    assert grown.unique_share == pytest.approx((codes.sizes(grown.columns) == 1).sum() / codes.rows)
    assert len(grown.columns) == 5, "as few as the smallest found by looking at all"
    assert min(len(each.columns) for each in singling_out(walk(codes), 0.2).sets) == 5
    assert singling_out(small, 0.99).sets == ()


def test_a_set_is_grown_in_a_made_up_table():
    codes = made_up()
    found = singling_out(walk(codes, largest=2), 0.2)
    assert not found.exact
    (grown,) = found.sets
    assert grown.unique_share >= 0.2
    assert grown.unique_share == pytest.approx((codes.sizes(grown.columns) == 1).sum() / codes.rows)
    assert len(grown.columns) == min(len(each.columns) for each in singling_out(walk(codes), 0.2).sets)


@pytest.mark.parametrize("share", [0, -1, 1.1])
def test_an_impossible_share_is_refused(share):
    with pytest.raises(BadCodes):
        singling_out(walk(coded([(0,)])), share)


# --- keys --------------------------------------------------------------------------------------


@given(rows(smallest=2, width=5, most=14, values=4))
def test_keys_are_those_of_brute_force(lines):
    unique = [at for at in subsets(5) if max(class_of(lines, at)) == 1]
    expected = {tuple("abcde"[j] for j in at) for at in unique if not any(set(b) < set(at) for b in unique)}
    found = keys(coded(lines))
    assert set(found.sets) == expected
    assert len(found.sets) == len(expected)
    assert found.exact


@given(rows(smallest=2, width=5, most=14, values=4), st.integers(1, 4))
def test_keys_of_a_given_size_are_all_there(lines, largest):
    found = keys(coded(lines), largest=largest)
    assert set(found.sets) == {each for each in keys(coded(lines)).sets if len(each) <= largest}
    assert found.searched == largest


@pytest.mark.real_data(twin="test_equal_rows_or_one_row_have_no_key")
def test_adult_has_no_key():
    assert keys(adult()).sets == ()


def test_keys_are_found_among_many_rows_where_drawn_pairs_do_not_decide():
    """Only one pair of rows agrees on (a, b): drawing pairs will not meet it, checking candidates does."""
    size = 300
    a, b = np.divmod(np.arange(size * size), size)
    a[-1], b[-1] = 0, 0
    c = np.zeros(size * size, int)
    c[-1] = 1
    found = keys(Codes.from_rows("abc", np.column_stack([a, b, c])))
    assert found.sets == (("a", "b", "c"),)


def test_a_limit_on_work_keeps_what_was_proven():
    codes = Codes.from_rows("abc", [[i, i, i % 3] for i in range(50)])
    assert keys(codes).sets == (("a",), ("b",))
    found = keys(codes, limit=50)
    assert not found.exact
    assert found.sets == (("a",),)
    assert keys(codes, limit=0).sets == ()


def test_a_thousand_columns_end_soon():
    rng = np.random.default_rng(11)
    lines = rng.integers(0, 3, (400, 1000))
    lines[:, 500] = np.arange(400)
    codes = Codes.from_rows([f"c{j}" for j in range(1000)], lines)
    found = keys(codes)
    assert found.searched == 1
    assert found.sets == (("c500",),)
    assert walk(codes).searched == 1


def test_equal_rows_or_one_row_have_no_key():
    assert keys(coded([(0, 1), (0, 1)])).sets == ()
    assert keys(coded([(0, 1)])).sets == ()
    assert quasi.column_sets(walk(Codes.from_rows("a", []))).sets[0].separation == pytest.approx(0)
