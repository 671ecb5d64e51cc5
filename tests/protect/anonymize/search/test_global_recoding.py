"""The solution that one node is: classes of equal cells, as large as promised."""

import numpy as np
import pytest
from hypothesis import given, settings
from tests.protect.anonymize.search.illnesses import coded, ladders_of, tables

from privet.errors import Unreachable
from privet.guarantee._promise_registry import (
    KAnonymity,
)
from privet.protect.anonymize.search import search
from privet.protect.anonymize.search._distinct_tuples import Tuples
from privet.protect.anonymize.search._global_recoding import of_one_node
from privet.protect.anonymize.search._loss_metrics import metric_named
from privet.protect.anonymize.search._optimal_search import SearchState


@settings(max_examples=25, deadline=None)
@given(rows=tables)
def test_the_solution_is_what_it_says(rows):
    codes = coded(rows)
    found = search(codes, ladders_of(), KAnonymity(2), max_suppressed="1")
    kept = ~found.suppressed
    sizes = np.bincount(found.labels[kept], weights=found.counts[kept]) if kept.any() else np.zeros(1)
    assert set(sizes[sizes > 0]) <= {size for size in sizes if size >= 2}
    assert found.value[0] == pytest.approx(found.loss)
    nodes = np.stack(
        [ladder.nodes[found.codes[:, j], found.levels[j]] for j, ladder in enumerate(ladders_of())], axis=1
    )
    for label in set(found.labels[kept].tolist()):
        assert len(np.unique(nodes[found.labels == label], axis=0)) == 1


@pytest.mark.parametrize(
    ("proven", "words"), [(True, "no combination of levels"), (False, "none of the combinations looked at")]
)
def test_a_search_without_a_node_says_how_far_it_looked(proven, words):
    tuples = Tuples(coded([(0, 0, 0, 0), (1, 1, 1, 1)]), ladders_of())
    state = SearchState()
    state.proven = proven
    with pytest.raises(Unreachable, match=words) as refused:
        of_one_node(tuples, metric_named("loss", tuples), state, 1)
    assert refused.value.details["nodes_evaluated"] == 0


def test_levels_are_one_for_all_rows_and_suppressed_tuples_have_no_class():
    rows = [(0, 0, 0, 0)] * 3 + [(1, 0, 0, 0)] * 3 + [(3, 2, 1, 0)]
    found = search(coded(rows), ladders_of(), KAnonymity(3), max_suppressed="0.2")
    assert found.levels == (0, 0, 0)
    assert (found.nodes == 0).all()
    assert found.suppressed_rows == 1
    assert found.labels[found.suppressed].tolist() == [-1]
    assert found.classes == 2
    assert found.loss == pytest.approx(1 / 7), "one row of seven is lost whole"
