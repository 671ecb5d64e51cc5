"""Classes at any node, made from the rows or rolled up from a node below: the same."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.protect.anonymize.search.letters import coded, ladders, tables

from privet.disclosure import Codes
from privet.errors import BadSearch
from privet.protect.anonymize.search import _distinct_tuples as distinct_tuples
from privet.protect.anonymize.search._distinct_tuples import Tuples

nodes = st.tuples(st.integers(0, 2), st.integers(0, 2))


def shown(row, levels):
    return tuple(int(ladder.nodes[row[j], levels[j]]) for j, ladder in enumerate(ladders()))


def sizes(tuples, classes):
    """The rows of each class by what it shows."""
    return {
        shown(tuples.codes[at], classes.levels): int(size)
        for at, size in zip(classes.tuples, classes.sizes, strict=True)
    }


@pytest.mark.parametrize("pack", [1, 4096], ids=["each column alone", "columns packed"])
@settings(max_examples=30)
@given(rows=tables, levels=nodes, step=nodes)
def test_classes_are_the_rows_that_look_alike(pack, rows, levels, step):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(distinct_tuples, "_PACK", pack)
        tuples = Tuples(coded(rows), ladders(), ["ill"])
        above = tuple(min(2, a + b) for a, b in zip(levels, step, strict=True))
        below = tuples.classes(levels)
        direct, rolled = tuples.classes(above), tuples.classes(above, below)
    wanted = Counter(shown(row, above) for row in rows)
    assert sizes(tuples, direct) == sizes(tuples, rolled) == wanted
    for classes in (direct, rolled):
        (cells,) = classes.cells
        held = Counter(zip(cells.classes.tolist(), cells.values.tolist(), strict=True))
        assert max(held.values()) == 1
        assert cells.counts.sum() == len(rows)
        of_class = np.bincount(cells.classes, weights=cells.counts)
        assert of_class.tolist() == classes.sizes.tolist()


def test_people_who_are_only_in_the_population_are_classes_without_rows():
    table, everybody = coded([(0, 0, 0), (0, 0, 1)]), coded([(0, 0, 0)] * 3 + [(3, 2, 0)] * 4)
    tuples = Tuples(table, ladders(), (), everybody.only(["letter", "digit"]))
    assert tuples.counts.tolist() == [2, 0]
    assert tuples.people.tolist() == [3, 4]
    assert tuples.rows == 2
    top = tuples.classes((2, 2))
    assert (top.sizes.tolist(), top.population.tolist()) == ([2], [7])
    bottom = tuples.classes((0, 0))
    assert bottom.present.tolist() == [0]


def test_some_of_the_tuples_are_still_compared_with_the_whole_table():
    tuples = Tuples(coded([(0, 0, 0)] * 3 + [(1, 1, 1)]), ladders(), ["ill"])
    part = tuples.only(np.array([False, True]))
    assert (part.rows, part.codes.tolist()) == (1, [[1, 1]])
    (cells,) = part.bottom.cells
    assert cells.shares == pytest.approx([0.75, 0.25, 0])
    assert cells.counts.tolist() == [1]


def test_what_was_laid_against_other_codes_is_refused():
    short = [ladders()[0].hierarchy.ladder("ab"), ladders()[1]]
    with pytest.raises(BadSearch, match="'letter' was laid against other codes"):
        Tuples(coded([(0, 0, 0)]), short)
    narrow = [ladders()[0], ladders()[1].hierarchy.ladder("12")]
    table = Codes(("letter", "digit"), np.array([[0, 0]], np.int32), np.array([1]), (4, 2), (None, None))
    with pytest.raises(BadSearch, match="other lists of values"):
        Tuples(table, narrow, (), coded([(0, 2, 0)]))
