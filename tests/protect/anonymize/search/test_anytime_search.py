"""The anytime search: as good as the optimum with time enough, and honest where it was cut short."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.protect.anonymize.adult_tables import adult
from tests.protect.anonymize.search.letters import coded, ladders, tables

from privet.guarantee._promise_registry import (
    KAnonymity,
)
from privet.protect.anonymize.search import search


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
